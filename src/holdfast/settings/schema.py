"""The tree of settings: each has its default, its check, and the text that people read about it."""

from collections.abc import Mapping
from functools import cache
from typing import TypeVar

from holdfast.capture.text.redact import problem_with
from holdfast.errors import ConfigError
from holdfast.machine import server_url
from holdfast.model.finding import DEFAULT_PRESET, PRESETS
from holdfast.model.kinds import FADES_AFTER_DAYS
from holdfast.model.upkeep import MAX_BYTES, PROMOTED_MOST
from holdfast.model.value import Value, field, metadata_of
from holdfast.settings import INJECT, NEVER, NEW, START_BUDGET

SettingValue = str | int | float | bool | tuple[str, ...] | None
T = TypeVar("T")


def declare(default: T, doc: str, *, kind: type | None = None, harmless: bool = False, **rules: object) -> T:
    """Declare a setting: its default, what it does, whether a repository may set it, and what it may be.

    Its kind is that of its default, and has to be said where that is None.
    """
    return field(
        default=default, metadata={"doc": doc, "harmless": harmless, "kind": kind or type(default), **rules}
    )


class ProjectConfig(Value):
    """Which project this is."""

    id: str | None = declare(
        None, "The project's id, instead of the git remote or the path. A whole team can share it.", kind=str
    )
    enabled: bool = declare(
        True,
        "`false` in any place switches memory off here: nothing is written, reading still works.",
        harmless=True,
        final=False,
    )


class SearchConfig(Value):
    """How things are found."""

    floor: float = declare(
        0.15,
        "The least share of a query's weight that a hit must hold, unless its meaning is near enough.",
        harmless=True,
        least=0,
        most=0.5,
    )
    postings_budget: int = declare(
        20_000,
        "Index entries one query may read; past it the most frequent words are left out.",
        harmless=True,
        least=1_000,
        most=1_000_000,
    )

    vector_floor: float = declare(
        0.3, "The least cosine at which a hit is an answer by its meaning alone.", harmless=True, least=-1, most=1
    )
    static_floor: float = declare(
        0.31,
        "The same where the static table made the question's vector: in commands, and until the model is loaded.",
        harmless=True,
        least=-1,
        most=1,
    )
    fusion: str = declare(
        "weighted",
        "How hybrid search puts words and meaning together.",
        harmless=True,
        choices=("weighted", "minmax", "rrf"),
    )
    memories_vector: float = declare(
        0.93, "The share of meaning in a memory's score.", harmless=True, least=0, most=1
    )
    turns_vector: float = declare(0.45, "The share of meaning in a turn's score.", harmless=True, least=0, most=1)
    sessions_vector: float = declare(
        0.5, "The share of meaning in a session's score.", harmless=True, least=0, most=1
    )


class EmbeddingConfig(Value):
    """What makes vectors."""

    model: str = declare(
        "minilm",
        "What makes vectors: the bundled model, word hashing, a server, fastembed, or nothing.",
        choices=("minilm", "hashing", "remote", "fastembed", "none"),
    )
    url: str | None = declare(
        None, "For `remote`: the server's address up to `/embeddings`, such as `https://host/v1`.", kind=str
    )
    key_env: str = declare("HOLDFAST_EMBEDDING_KEY", "For `remote`: the environment variable that holds the key.")
    remote_model: str | None = declare(
        None, "For `remote` and `fastembed`: the model's name there, such as `bge-m3`.", kind=str
    )
    dimensions: int | None = declare(
        None, "For `remote` and `fastembed`: how many numbers a vector has.", kind=int, least=1, most=65_536
    )
    timeout_ms: int = declare(10_000, "For `remote`: how long one request may take.", least=100, most=600_000)
    batch: int = declare(64, "For `remote`: texts sent in one request.", least=1, most=2_048)
    background: bool = declare(
        True, "Whether a process in the background makes the vectors that commands and hooks left."
    )


class VectorsConfig(Value):
    """How vectors are searched."""

    hnsw_from: int = declare(
        500_000,
        "Vectors from which on a graph (HNSW) is kept beside the exact scan.",
        harmless=True,
        least=1,
        most=1_000_000_000,
    )


class BackupConfig(Value):
    """How the store is copied."""

    auto: bool = declare(True, "Whether the end of a session backs the store up, at most once a day.")
    keep: int = declare(3, "How many automatic backups are kept.", least=1, most=1_000)


def _hook(purpose: str) -> bool:
    return declare(True, f"Whether hooks {purpose}.", harmless=True, final=False)


class HooksConfig(Value):
    """What the hooks of agents do. What somebody switched off stays off, whoever else switches it on."""

    inject: str = declare(
        NEW,
        "When hooks hand an agent a brief: never, at a session's start and first prompt, later where something "
        "new plainly applies, or with every prompt.",
        harmless=True,
        choices=INJECT,
        final=NEVER,
    )
    session_start: bool = _hook("note that a session began, and brief the agent then")
    prompt: bool = _hook("record what the user says, and brief the agent on it")
    tool: bool = _hook("record what tools answered")
    reply: bool = _hook("record what the agent answers")
    compaction: bool = _hook("move what was recorded into the store before a client compacts its context")
    session_end: bool = _hook("move what was recorded into the store when a session ends")
    sign: bool = _hook("show you, where the client can, a line of how much was told and learnt")


class RedactConfig(Value):
    """What may not be kept."""

    allow: tuple[str, ...] = declare(
        (),
        "Texts that are never redacted: as they stand, or, between slashes, as regular expressions of RE2.",
        problem=problem_with,
    )


def _tool(purpose: str) -> bool:
    return declare(True, f"Whether agents are offered the tool that {purpose}.")


class McpConfig(Value):
    """Which tools the MCP server offers; each is called `memory_` and its key."""

    search: bool = _tool("finds memories")
    timeline: bool = _tool("shows what was remembered around one")
    get: bool = _tool("reads memories in full")
    add: bool = _tool("remembers something")
    recall: bool = _tool("finds and reads in one call")
    update: bool = _tool("changes, pins, confirms and supersedes")
    delete: bool = _tool("forgets a memory")
    prune: bool = _tool("removes what is old")
    stats: bool = _tool("counts what there is")

    @property
    def off(self) -> tuple[str, ...]:
        """The names of the tools that are switched off."""
        return tuple(f"memory_{tool_field}" for tool_field in self.__slots__ if not getattr(self, tool_field))


class IndexConfig(Value):
    """Which of the project's documents are read."""

    auto: bool = declare(
        False, "Whether servers keep memory in step with the project's Markdown files while they run."
    )
    exclude: tuple[str, ...] = declare((), "Folders and files that are not read, relative to the project root.")


class ShareConfig(Value):
    """What is shared with others through the repository."""

    folder: str = declare(
        "project-memory", "The folder of the repository that `holdfast share` writes to and reads."
    )


class CaptureConfig(Value):
    """What is remembered from sessions by itself."""

    auto: bool = declare(
        True,
        "`false` in any place stops findings and promotion; what you ask to remember is kept all the same.",
        harmless=True,
        final=False,
    )
    preset: str = declare(
        DEFAULT_PRESET,
        "How much must speak for a finding before it is promoted by itself.",
        choices=tuple(PRESETS),
    )


class UserConfig(Value):
    """Who is writing."""

    name: str | None = declare(None, "Your name on what you remember, instead of the login name.", kind=str)


class StoreConfig(Value):
    """Where and how memory is kept."""

    path: str | None = declare(
        None, "The database file, from the project root, instead of `.holdfast/memory.db`.", kind=str
    )
    synchronous: str = declare(
        "normal",
        "`normal` survives the crash of any process; `full` also waits for the disk at every write (power loss).",
        choices=("normal", "full"),
    )
    busy_timeout_ms: int = declare(
        5_000,
        "How long a write waits for another process before it gives up, in milliseconds.",
        least=0,
        most=600_000,
    )
    url: str | None = declare(
        None,
        "The PostgreSQL server that keeps memory instead of a file, such as `postgresql://db.example/holdfast`.",
        kind=str,
        own=True,
        secret=True,
        problem=server_url.problem_with,
    )
    tenant: str | None = declare(None, "With `store.url`: whose memory it is there.", kind=str, own=True)
    replica_url: str | None = declare(
        None,
        "With `store.url`: a copy of that server which answers reads once it has what was written here.",
        kind=str,
        own=True,
        secret=True,
        problem=server_url.problem_with,
    )


class UpkeepConfig(Value):
    """How much is kept."""

    auto: bool = declare(True, "Whether upkeep happens by itself, a little at a time.")
    max_bytes: int = declare(
        MAX_BYTES, "Bytes in use beyond which what is needed least goes.", least=1_048_576, most=1 << 50
    )
    max_memories: int | None = declare(
        None,
        "Memories, history included, beyond which those read longest ago go.",
        kind=int,
        least=1,
        most=1 << 40,
    )
    promoted: int = declare(
        PROMOTED_MOST, "Memories that may come from sessions by themselves.", least=10, most=1_000_000
    )
    turn_days: int | None = declare(
        None,
        "Days that turns which prove no memory are kept after their session ended.",
        kind=int,
        least=1,
        most=36_500,
    )
    merge: bool = declare(True, "Whether memories that say the same become one.")


class ExtractorConfig(Value):
    """A model that reads sessions that are over. Off until you name one."""

    url: str | None = declare(
        None,
        "The OpenAI-compatible server that reads what was said in sessions, up to `/chat/completions`, such as "
        "`http://localhost:11434/v1`. Unset: none does.",
        kind=str,
        own=True,
    )
    model: str | None = declare(None, "The model's name there.", kind=str, own=True)
    key_env: str = declare(
        "HOLDFAST_EXTRACTOR_KEY", "The environment variable that holds the key, if it needs one.", own=True
    )
    key_file: str | None = declare(
        None, "A file that holds the key, where the variable is not set.", kind=str, own=True
    )
    timeout_ms: int = declare(60_000, "How long one session may take to read.", least=100, most=600_000)
    calls: int = declare(
        3, "Sessions that are read at most when one has ended: one request each.", least=1, most=50
    )


class LogConfig(Value):
    """What else is written down."""

    daily: bool = declare(False, "Whether what is remembered is also written to a Markdown file a day.")


def _days(kind: str) -> int:
    doc = f"Days after which an unread {kind} is hidden; 0: never."
    return declare(FADES_AFTER_DAYS[kind] or 0, doc, least=0, most=36_500)


class FadingConfig(Value):
    """After how many days each kind is hidden."""

    decision: int = _days("decision")
    architecture: int = _days("architecture")
    preference: int = _days("preference")
    pattern: int = _days("pattern")
    fact: int = _days("fact")
    error: int = _days("error")
    bugfix: int = _days("bugfix")
    feature: int = _days("feature")
    refactor: int = _days("refactor")
    warning: int = _days("warning")
    discovery: int = _days("discovery")
    file_change: int = _days("file_change")
    change: int = _days("change")
    observation: int = _days("observation")
    task_progress: int = _days("task_progress")

    @property
    def days(self) -> dict[str, int | None]:
        """Days by kind; None: never."""
        return {kind: getattr(self, kind) or None for kind in self.__slots__}


class ServerConfig(Value):
    """How `holdfast serve` serves."""

    host: str = declare("127.0.0.1", "The address it listens on.")
    port: int = declare(7420, "The port it listens on; 0 takes any that is free.", least=0, most=65_535)
    threads: int = declare(
        2,
        "Requests that one process has under way. On a file one begins when the last has ended or taken 0.25 s.",
        least=1,
        most=256,
    )
    hosts: tuple[str, ...] = declare(
        (), "Further names that a Host header may have, with the port where there is one: those of a proxy."
    )
    origins: tuple[str, ...] = declare((), "Further sites whose pages may ask, such as `https://memory.example`.")
    concurrency: int = declare(
        256,
        "Requests under way in one process beyond which clients are asked to come again.",
        least=1,
        most=100_000,
    )
    body_bytes: int = declare(4_194_304, "The longest body of a request, in bytes.", least=1_024, most=1 << 30)
    patience_s: float = declare(
        10.0, "Seconds that a client may take to send its headers, and again for its body.", least=0.1, most=3_600
    )
    request_s: float = declare(30.0, "Seconds that one request may take.", least=0.1, most=3_600)


class BriefConfig(Value):
    """What an agent is told."""

    ceiling: int | None = declare(
        None,
        "The most tokens a brief may have, whatever is asked for.",
        harmless=True,
        kind=int,
        least=200,
        most=200_000,
    )
    start_budget: int = declare(
        START_BUDGET,
        "The most tokens of what an agent is told when a session starts: the standing rules. "
        "Claude Code takes about 2,300.",
        harmless=True,
        least=200,
        most=20_000,
    )
    nudge: bool = declare(
        True,
        "Whether agents are asked, in a line at a session's start and with a prompt that sounds lasting, to note "
        "what the user wants to hold, with the user's own words.",
        harmless=True,
    )
    reranker: str = declare(
        "none",
        "What has a second look at the best candidates: nothing, or a cross-encoder of the `fastembed` extra.",
        choices=("none", "fastembed"),
    )
    reranker_model: str = declare(
        "Xenova/ms-marco-MiniLM-L-6-v2", "For `fastembed`: the cross-encoder's name there."
    )


class Config(Value):
    """Every setting, by section."""

    project: ProjectConfig = field(default_factory=ProjectConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    redact: RedactConfig = field(default_factory=RedactConfig)
    capture: CaptureConfig = field(default_factory=CaptureConfig)
    backup: BackupConfig = field(default_factory=BackupConfig)
    upkeep: UpkeepConfig = field(default_factory=UpkeepConfig)
    fading: FadingConfig = field(default_factory=FadingConfig)
    log: LogConfig = field(default_factory=LogConfig)
    extractor: ExtractorConfig = field(default_factory=ExtractorConfig)
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    vectors: VectorsConfig = field(default_factory=VectorsConfig)
    index: IndexConfig = field(default_factory=IndexConfig)
    share: ShareConfig = field(default_factory=ShareConfig)
    hooks: HooksConfig = field(default_factory=HooksConfig)
    brief: BriefConfig = field(default_factory=BriefConfig)
    mcp: McpConfig = field(default_factory=McpConfig)
    server: ServerConfig = field(default_factory=ServerConfig)
    user: UserConfig = field(default_factory=UserConfig)
    ignored: tuple[str, ...] = ()
    """Keys of the project's file that were not obeyed, because the user did not vouch for it."""
    problems: tuple[str, ...] = ()
    """What could not be used, where the reader went on all the same."""
    doubts: tuple[str, ...] = ()
    """What is wrong where it stops nobody."""


class Setting(Value):
    """One setting, for documentation and checking."""

    key: str
    default: SettingValue
    doc: str
    harmless: bool
    rules: Mapping[str, object]

    @property
    def own(self) -> bool:
        """Whether only the user may set it, by typing it: it says where everything that is remembered goes."""
        return bool(self.rules.get("own"))

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "HOLDFAST_" + self.key.replace(".", "_").upper()


@cache
def settings() -> list[Setting]:
    """Return every setting there is."""
    return [
        Setting(
            key=f"{section}.{name}",
            default=getattr(blank, name),
            doc=str(rules["doc"]),
            harmless=bool(rules["harmless"]),
            rules=rules,
        )
        for section in Config.__slots__
        if isinstance(blank := getattr(Config(), section), Value)
        for name, rules in metadata_of(type(blank)).items()
    ]


def is_setting(key: str) -> bool:
    """Say whether there is a setting of that key."""
    return any(option.key == key for option in settings())


def setting(key: str, origin: str = "the command line") -> Setting:
    """Return one setting by its key."""
    known_setting = next((option for option in settings() if option.key == key), None)
    if known_setting is None:
        raise ConfigError(key=key, problem=unknown_key(key), origin=origin)
    return known_setting


def unknown_key(key: str) -> str:
    """Say that a key is none, and which may have been meant."""
    from holdfast.model.nearest import suggestion  # few make the mistake

    likely = suggestion(key, [option.key for option in settings()])
    if likely:
        return f"is not a setting; did you mean {likely}?"
    return "is not a setting; `holdfast help settings` lists them"
