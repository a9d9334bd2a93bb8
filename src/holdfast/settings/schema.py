"""The tree of settings: each has its default, its check, and the text that people read about it."""

from collections.abc import Mapping
from functools import cache
from types import NoneType
from typing import Annotated, get_args, get_origin

from msgspec import Struct, field
from msgspec.structs import fields

from holdfast.capture.text.redact import problem_with
from holdfast.errors import ConfigError
from holdfast.machine import server_url
from holdfast.model.finding import DEFAULT_PRESET, PRESETS
from holdfast.model.kinds import FADES_AFTER_DAYS
from holdfast.model.upkeep import MAX_BYTES, PROMOTED_MOST
from holdfast.settings import INJECT, NEVER, NEW, START_BUDGET

SettingValue = str | int | float | bool | tuple[str, ...] | None


def about(doc: str, *, harmless: bool = False, **rules: object) -> Mapping[str, object]:
    """Say of a setting what it does, whether a repository may set it, and what it may be."""
    return {"doc": doc, "harmless": harmless, **rules}


class ProjectConfig(Struct, frozen=True):
    """Which project this is."""

    id: Annotated[
        str | None, about("The project's id, instead of the git remote or the path. A whole team can share it.")
    ] = None
    enabled: Annotated[
        bool,
        about(
            "`false` in any place switches memory off here: nothing is written, reading still works.",
            harmless=True,
            final=False,
        ),
    ] = True


class SearchConfig(Struct, frozen=True):
    """How things are found."""

    floor: Annotated[
        float,
        about(
            "The least share of a query's weight that a hit must hold, unless its meaning is near enough.",
            harmless=True,
            least=0,
            most=0.5,
        ),
    ] = 0.15
    postings_budget: Annotated[
        int,
        about(
            "Index entries one query may read; past it the most frequent words are left out.",
            harmless=True,
            least=1_000,
            most=1_000_000,
        ),
    ] = 20_000

    vector_floor: Annotated[
        float,
        about(
            "The least cosine at which a hit is an answer by its meaning alone.", harmless=True, least=-1, most=1
        ),
    ] = 0.3
    static_floor: Annotated[
        float,
        about(
            "The same where the static table made the question's vector: in commands, and until the "
            "model is loaded.",
            harmless=True,
            least=-1,
            most=1,
        ),
    ] = 0.31
    fusion: Annotated[
        str,
        about(
            "How hybrid search puts words and meaning together.",
            harmless=True,
            choices=("weighted", "minmax", "rrf"),
        ),
    ] = "weighted"
    memories_vector: Annotated[
        float, about("The share of meaning in a memory's score.", harmless=True, least=0, most=1)
    ] = 0.93
    turns_vector: Annotated[
        float, about("The share of meaning in a turn's score.", harmless=True, least=0, most=1)
    ] = 0.45
    sessions_vector: Annotated[
        float, about("The share of meaning in a session's score.", harmless=True, least=0, most=1)
    ] = 0.5


class EmbeddingConfig(Struct, frozen=True):
    """What makes vectors."""

    model: Annotated[
        str,
        about(
            "What makes vectors: the bundled model, word hashing, a server, fastembed, or nothing.",
            choices=("minilm", "hashing", "remote", "fastembed", "none"),
        ),
    ] = "minilm"
    url: Annotated[
        str | None, about("For `remote`: the server's address up to `/embeddings`, such as `https://host/v1`.")
    ] = None
    key_env: Annotated[str, about("For `remote`: the environment variable that holds the key.")] = (
        "HOLDFAST_EMBEDDING_KEY"
    )
    remote_model: Annotated[
        str | None, about("For `remote` and `fastembed`: the model's name there, such as `bge-m3`.")
    ] = None
    dimensions: Annotated[
        int | None, about("For `remote` and `fastembed`: how many numbers a vector has.", least=1, most=65_536)
    ] = None
    timeout_ms: Annotated[int, about("For `remote`: how long one request may take.", least=100, most=600_000)] = (
        10_000
    )
    batch: Annotated[int, about("For `remote`: texts sent in one request.", least=1, most=2_048)] = 64
    background: Annotated[
        bool, about("Whether a process in the background makes the vectors that commands and hooks left.")
    ] = True


class VectorsConfig(Struct, frozen=True):
    """How vectors are searched."""

    hnsw_from: Annotated[
        int,
        about(
            "Vectors from which on a graph (HNSW) is kept beside the exact scan.",
            harmless=True,
            least=1,
            most=1_000_000_000,
        ),
    ] = 500_000


class BackupConfig(Struct, frozen=True):
    """How the store is copied."""

    auto: Annotated[bool, about("Whether the end of a session backs the store up, at most once a day.")] = True
    keep: Annotated[int, about("How many automatic backups are kept.", least=1, most=1_000)] = 3


def _hook(purpose: str) -> Mapping[str, object]:
    return about(f"Whether hooks {purpose}.", harmless=True, final=False)


class HooksConfig(Struct, frozen=True):
    """What the hooks of agents do. What somebody switched off stays off, whoever else switches it on."""

    inject: Annotated[
        str,
        about(
            "When hooks hand an agent a brief: never, at a session's start and first prompt, later "
            "where something new plainly applies, or with every prompt.",
            harmless=True,
            choices=INJECT,
            final=NEVER,
        ),
    ] = NEW
    session_start: Annotated[bool, _hook("note that a session began, and brief the agent then")] = True
    prompt: Annotated[bool, _hook("record what the user says, and brief the agent on it")] = True
    tool: Annotated[bool, _hook("record what tools answered")] = True
    act: Annotated[bool, _hook("tell the agent of a rule that a tool call touches, and obey guards")] = True
    files: Annotated[bool, _hook("tell what memory knows about a file that an agent opens")] = True
    reply: Annotated[bool, _hook("record what the agent answers")] = True
    compaction: Annotated[
        bool, _hook("move what was recorded into the store before a client compacts its context")
    ] = True
    session_end: Annotated[bool, _hook("move what was recorded into the store when a session ends")] = True
    sign: Annotated[
        bool, _hook("show you, where the client can, a line of how much was told and what was learnt")
    ] = True


class RedactConfig(Struct, frozen=True):
    """What may not be kept."""

    allow: Annotated[
        tuple[str, ...],
        about(
            "Texts that are never redacted: as they stand, or, between slashes, as regular expressions of RE2.",
            problem=problem_with,
        ),
    ] = ()


def _tool(purpose: str) -> Mapping[str, object]:
    return about(f"Whether agents are offered the tool that {purpose}.")


class McpConfig(Struct, frozen=True):
    """Which tools the MCP server offers; each is called `memory_` and its key."""

    search: Annotated[bool, _tool("finds memories")] = True
    timeline: Annotated[bool, _tool("shows what was remembered around one")] = True
    get: Annotated[bool, _tool("reads memories in full")] = True
    add: Annotated[bool, _tool("remembers something")] = True
    recall: Annotated[bool, _tool("finds and reads in one call")] = True
    update: Annotated[bool, _tool("changes, pins, confirms and supersedes")] = True
    delete: Annotated[bool, _tool("forgets a memory")] = True
    prune: Annotated[bool, _tool("removes what is old")] = True
    stats: Annotated[bool, _tool("counts what there is")] = True

    @property
    def off(self) -> tuple[str, ...]:
        """The names of the tools that are switched off."""
        return tuple(
            f"memory_{tool_field}" for tool_field in self.__struct_fields__ if not getattr(self, tool_field)
        )


class IndexConfig(Struct, frozen=True):
    """Which of the project's documents are read."""

    auto: Annotated[
        bool, about("Whether servers keep memory in step with the project's Markdown files while they run.")
    ] = False
    exclude: Annotated[
        tuple[str, ...], about("Folders and files that are not read, relative to the project root.")
    ] = ()


class ShareConfig(Struct, frozen=True):
    """What is shared with others through the repository."""

    folder: Annotated[str, about("The folder of the repository that `holdfast share` writes to and reads.")] = (
        "project-memory"
    )


class CaptureConfig(Struct, frozen=True):
    """What is remembered from sessions by itself."""

    auto: Annotated[
        bool,
        about(
            "`false` in any place stops findings and promotion; what you ask to remember is kept all the same.",
            harmless=True,
            final=False,
        ),
    ] = True
    preset: Annotated[
        str, about("How much must speak for a finding before it is promoted by itself.", choices=tuple(PRESETS))
    ] = DEFAULT_PRESET


class UserConfig(Struct, frozen=True):
    """Who is writing."""

    name: Annotated[str | None, about("Your name on what you remember, instead of the login name.")] = None


class StoreConfig(Struct, frozen=True):
    """Where and how memory is kept."""

    path: Annotated[
        str | None, about("The database file, from the project root, instead of `.holdfast/memory.db`.")
    ] = None
    synchronous: Annotated[
        str,
        about(
            "`normal` survives the crash of any process; `full` also waits for the disk at every write "
            "(power loss).",
            choices=("normal", "full"),
        ),
    ] = "normal"
    busy_timeout_ms: Annotated[
        int,
        about(
            "How long a write waits for another process before it gives up, in milliseconds.",
            least=0,
            most=600_000,
        ),
    ] = 5_000
    url: Annotated[
        str | None,
        about(
            "The PostgreSQL server that keeps memory instead of a file, such as "
            "`postgresql://db.example/holdfast`.",
            own=True,
            secret=True,
            problem=server_url.problem_with,
        ),
    ] = None
    tenant: Annotated[str | None, about("With `store.url`: whose memory it is there.", own=True)] = None
    replica_url: Annotated[
        str | None,
        about(
            "With `store.url`: a copy of that server which answers reads once it has what was written here.",
            own=True,
            secret=True,
            problem=server_url.problem_with,
        ),
    ] = None


class UpkeepConfig(Struct, frozen=True):
    """How much is kept."""

    auto: Annotated[bool, about("Whether upkeep happens by itself, a little at a time.")] = True
    max_bytes: Annotated[
        int, about("Bytes in use beyond which what is needed least goes.", least=1_048_576, most=1 << 50)
    ] = MAX_BYTES
    max_memories: Annotated[
        int | None,
        about("Memories, history included, beyond which those read longest ago go.", least=1, most=1 << 40),
    ] = None
    promoted: Annotated[
        int, about("Memories that may come from sessions by themselves.", least=10, most=1_000_000)
    ] = PROMOTED_MOST
    turn_days: Annotated[
        int | None,
        about("Days that turns which prove no memory are kept after their session ended.", least=1, most=36_500),
    ] = None
    merge: Annotated[bool, about("Whether memories that say the same become one.")] = True


class ExtractorConfig(Struct, frozen=True):
    """A model that reads sessions that are over. Off until you name one."""

    url: Annotated[
        str | None,
        about(
            "The OpenAI-compatible server that reads what was said in sessions, up to "
            "`/chat/completions`, such as `http://localhost:11434/v1`. Unset: none does.",
            own=True,
        ),
    ] = None
    model: Annotated[str | None, about("The model's name there.", own=True)] = None
    key_env: Annotated[str, about("The environment variable that holds the key, if it needs one.", own=True)] = (
        "HOLDFAST_EXTRACTOR_KEY"
    )
    key_file: Annotated[
        str | None, about("A file that holds the key, where the variable is not set.", own=True)
    ] = None
    timeout_ms: Annotated[int, about("How long one session may take to read.", least=100, most=600_000)] = 60_000
    calls: Annotated[
        int, about("Sessions that are read at most when one has ended: one request each.", least=1, most=50)
    ] = 3


class LogConfig(Struct, frozen=True):
    """What else is written down."""

    daily: Annotated[bool, about("Whether what is remembered is also written to a Markdown file a day.")] = False


_FADES = {kind: days or 0 for kind, days in FADES_AFTER_DAYS.items()}


def _days(kind: str) -> Mapping[str, object]:
    return about(f"Days after which an unread {kind} is hidden; 0: never.", least=0, most=36_500)


class FadingConfig(Struct, frozen=True):
    """After how many days each kind is hidden."""

    decision: Annotated[int, _days("decision")] = _FADES["decision"]
    architecture: Annotated[int, _days("architecture")] = _FADES["architecture"]
    preference: Annotated[int, _days("preference")] = _FADES["preference"]
    pattern: Annotated[int, _days("pattern")] = _FADES["pattern"]
    fact: Annotated[int, _days("fact")] = _FADES["fact"]
    error: Annotated[int, _days("error")] = _FADES["error"]
    bugfix: Annotated[int, _days("bugfix")] = _FADES["bugfix"]
    feature: Annotated[int, _days("feature")] = _FADES["feature"]
    refactor: Annotated[int, _days("refactor")] = _FADES["refactor"]
    warning: Annotated[int, _days("warning")] = _FADES["warning"]
    discovery: Annotated[int, _days("discovery")] = _FADES["discovery"]
    file_change: Annotated[int, _days("file_change")] = _FADES["file_change"]
    change: Annotated[int, _days("change")] = _FADES["change"]
    observation: Annotated[int, _days("observation")] = _FADES["observation"]
    task_progress: Annotated[int, _days("task_progress")] = _FADES["task_progress"]

    @property
    def days(self) -> dict[str, int | None]:
        """Days by kind; None: never."""
        return {kind: getattr(self, kind) or None for kind in self.__struct_fields__}


class ServerConfig(Struct, frozen=True):
    """How `holdfast serve` serves."""

    host: Annotated[str, about("The address it listens on.")] = "127.0.0.1"
    port: Annotated[int, about("The port it listens on; 0 takes any that is free.", least=0, most=65_535)] = 7420
    threads: Annotated[
        int,
        about(
            "Requests that one process has under way. On a file one begins when the last has ended or "
            "taken 0.25 s.",
            least=1,
            most=256,
        ),
    ] = 2
    hosts: Annotated[
        tuple[str, ...],
        about("Further names that a Host header may have, with the port where there is one: those of a proxy."),
    ] = ()
    origins: Annotated[
        tuple[str, ...], about("Further sites whose pages may ask, such as `https://memory.example`.")
    ] = ()
    concurrency: Annotated[
        int,
        about(
            "Requests under way in one process beyond which clients are asked to come again.",
            least=1,
            most=100_000,
        ),
    ] = 256
    body_bytes: Annotated[int, about("The longest body of a request, in bytes.", least=1_024, most=1 << 30)] = (
        4_194_304
    )
    patience_s: Annotated[
        float,
        about(
            "Seconds that a client may take to send its headers, and again for its body.", least=0.1, most=3_600
        ),
    ] = 10.0
    request_s: Annotated[float, about("Seconds that one request may take.", least=0.1, most=3_600)] = 30.0


class BriefConfig(Struct, frozen=True):
    """What an agent is told."""

    ceiling: Annotated[
        int | None,
        about("The most tokens a brief may have, whatever is asked for.", harmless=True, least=200, most=200_000),
    ] = None
    start_budget: Annotated[
        int,
        about(
            "The most tokens of what an agent is told when a session starts: the standing rules. "
            "Claude Code takes about 2,300.",
            harmless=True,
            least=200,
            most=20_000,
        ),
    ] = START_BUDGET
    nudge: Annotated[
        bool,
        about(
            "Whether agents are asked, in a line at a session's start and with a prompt that sounds "
            "lasting, to note what the user wants to hold, with the user's own words.",
            harmless=True,
        ),
    ] = True
    reranker: Annotated[
        str,
        about(
            "What has a second look at the best candidates: nothing, or a cross-encoder of the `fastembed` extra.",
            choices=("none", "fastembed"),
        ),
    ] = "none"
    reranker_model: Annotated[str, about("For `fastembed`: the cross-encoder's name there.")] = (
        "Xenova/ms-marco-MiniLM-L-6-v2"
    )


class Config(Struct, frozen=True):
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


class Setting(Struct, frozen=True):
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
            key=f"{section}.{declared.name}",
            default=declared.default,
            doc=str(rules["doc"]),
            harmless=bool(rules["harmless"]),
            rules={**rules, "kind": _kind(type_hint)},
        )
        for section in Config.__struct_fields__
        if isinstance(blank := getattr(Config(), section), Struct)
        for declared in fields(blank)
        for type_hint, rules in [get_args(declared.type)]
    ]


def _kind(type_hint: object) -> object:
    """Return what a setting's value is: `str` for `str | None`, `tuple` for a tuple of texts."""
    kinds = [kind for kind in get_args(type_hint) if kind is not NoneType]
    return get_origin(type_hint) if get_origin(type_hint) is tuple else (kinds or [type_hint])[0]


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
