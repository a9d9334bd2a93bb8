"""What can be set: one tree of values, each setting with its default, its check and what people are told of it."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TypeVar

from holdfast.capture.text.redact import problem_with
from holdfast.errors import ConfigError
from holdfast.model.finding import DEFAULT_PRESET, PRESETS
from holdfast.model.value import Value, field, metadata_of
from holdfast.settings.hooks import INJECT, NEVER, NEW
from holdfast.settings.sections import (
    BriefConfig,
    ExtractorConfig,
    FadingConfig,
    LogConfig,
    ServerConfig,
    StoreConfig,
    UpkeepConfig,
)
from holdfast.settings.sections import declare as _setting

SettingValue = str | int | float | bool | tuple[str, ...] | None
Section = TypeVar("Section")


class ProjectConfig(Value):
    """Which project this is."""

    id: str | None = _setting(
        None, "The project's id, instead of the git remote or the path. A whole team can share it.", kind=str
    )
    enabled: bool = _setting(
        True,
        "`false` in any place switches memory off here: nothing is written, reading still works.",
        harmless=True,
        final=False,
    )


class SearchConfig(Value):
    """How things are found."""

    floor: float = _setting(
        0.15,
        "The least share of a query's weight that a hit must hold, unless its meaning is near enough.",
        harmless=True,
        least=0,
        most=0.5,
    )
    postings_budget: int = _setting(
        20_000,
        "Index entries one query may read; past it the most frequent words are left out.",
        harmless=True,
        least=1_000,
        most=1_000_000,
    )

    vector_floor: float = _setting(
        0.3, "The least cosine at which a hit is an answer by its meaning alone.", harmless=True, least=-1, most=1
    )
    static_floor: float = _setting(
        0.31,
        "The same where the static table made the question's vector: in commands, and until the model is loaded.",
        harmless=True,
        least=-1,
        most=1,
    )
    fusion: str = _setting(
        "weighted",
        "How hybrid search puts words and meaning together.",
        harmless=True,
        choices=("weighted", "minmax", "rrf"),
    )
    memories_vector: float = _setting(
        0.93, "The share of meaning in a memory's score.", harmless=True, least=0, most=1
    )
    turns_vector: float = _setting(0.45, "The share of meaning in a turn's score.", harmless=True, least=0, most=1)
    sessions_vector: float = _setting(
        0.5, "The share of meaning in a session's score.", harmless=True, least=0, most=1
    )


class EmbeddingConfig(Value):
    """What makes vectors."""

    model: str = _setting(
        "minilm",
        "What makes vectors: the bundled model, word hashing, a server, fastembed, or nothing.",
        choices=("minilm", "hashing", "remote", "fastembed", "none"),
    )
    url: str | None = _setting(
        None, "For `remote`: the server's address up to `/embeddings`, such as `https://host/v1`.", kind=str
    )
    key_env: str = _setting("HOLDFAST_EMBEDDING_KEY", "For `remote`: the environment variable that holds the key.")
    remote_model: str | None = _setting(
        None, "For `remote` and `fastembed`: the model's name there, such as `bge-m3`.", kind=str
    )
    dimensions: int | None = _setting(
        None, "For `remote` and `fastembed`: how many numbers a vector has.", kind=int, least=1, most=65_536
    )
    timeout_ms: int = _setting(10_000, "For `remote`: how long one request may take.", least=100, most=600_000)
    batch: int = _setting(64, "For `remote`: texts sent in one request.", least=1, most=2_048)
    background: bool = _setting(
        True, "Whether a process in the background makes the vectors that commands and hooks left."
    )


class VectorsConfig(Value):
    """How vectors are searched."""

    hnsw_from: int = _setting(
        500_000,
        "Vectors from which on a graph (HNSW) is kept beside the exact scan.",
        harmless=True,
        least=1,
        most=1_000_000_000,
    )


class BackupConfig(Value):
    """How the store is copied."""

    auto: bool = _setting(True, "Whether the end of a session backs the store up, at most once a day.")
    keep: int = _setting(3, "How many automatic backups are kept.", least=1, most=1_000)


def _hook(purpose: str) -> bool:
    return _setting(True, f"Whether hooks {purpose}.", harmless=True, final=False)


class HooksConfig(Value):
    """What the hooks of agents do. What somebody switched off stays off, whoever else switches it on."""

    inject: str = _setting(
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

    allow: tuple[str, ...] = _setting(
        (),
        "Texts that are never redacted: as they stand, or, between slashes, as regular expressions of RE2.",
        problem=problem_with,
    )


def _tool(purpose: str) -> bool:
    return _setting(True, f"Whether agents are offered the tool that {purpose}.")


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

    auto: bool = _setting(
        False, "Whether servers keep memory in step with the project's Markdown files while they run."
    )
    exclude: tuple[str, ...] = _setting((), "Folders and files that are not read, relative to the project root.")


class ShareConfig(Value):
    """What is shared with others through the repository."""

    folder: str = _setting(
        "project-memory", "The folder of the repository that `holdfast share` writes to and reads."
    )


class CaptureConfig(Value):
    """What is remembered from sessions by itself."""

    auto: bool = _setting(
        True,
        "`false` in any place stops findings and promotion; what you ask to remember is kept all the same.",
        harmless=True,
        final=False,
    )
    preset: str = _setting(
        DEFAULT_PRESET,
        "How much must speak for a finding before it is promoted by itself.",
        choices=tuple(PRESETS),
    )


class UserConfig(Value):
    """Who is writing."""

    name: str | None = _setting(None, "Your name on what you remember, instead of the login name.", kind=str)


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
    return list(_settings())


def is_setting(key: str) -> bool:
    """Say whether there is a setting of that key."""
    return any(option.key == key for option in settings())


def setting(key: str, origin: str = "the command line") -> Setting:
    """Return one setting by its key."""
    known_setting = next((option for option in settings() if option.key == key), None)
    if known_setting is None:
        raise ConfigError(key=key, problem=unknown_key(key), origin=origin)
    return known_setting


def _settings() -> Iterator[Setting]:
    for section in Config.__slots__:
        if section in ("ignored", "problems", "doubts"):
            continue
        blank = getattr(Config(), section)
        for name, rules_of_field in metadata_of(type(blank)).items():
            rules = dict(rules_of_field)
            yield Setting(
                key=f"{section}.{name}",
                default=getattr(blank, name),
                doc=rules.pop("doc"),
                harmless=rules.pop("harmless"),
                rules=rules,
            )


def unknown_key(key: str) -> str:
    """Say that a key is none, and which may have been meant."""
    from holdfast.model.nearest import suggestion  # few make the mistake

    likely = suggestion(key, [option.key for option in settings()])
    if likely:
        return f"is not a setting; did you mean {likely}?"
    return "is not a setting; `holdfast help settings` lists them"
