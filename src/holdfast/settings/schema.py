"""Settings: one tree of values, read from the user's file, the project's file and the environment.

Later wins. A project's file may come with a cloned repository, so until the user vouches for it only harmless
keys of it are obeyed; the rest is reported, not raised.

Most starts of the program find no file to read, so what only reading needs is imported there.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

from holdfast.capture.sessions.promotion import DEFAULT_PRESET, PRESETS
from holdfast.capture.text.clean import quote
from holdfast.capture.text.redact.allowed import problem_with
from holdfast.errors import ConfigError
from holdfast.machine import server_url
from holdfast.model.value import Value, field, metadata_of, replace
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

MOST_BYTES = 65_536
"""More than any configuration needs."""


class ProjectConfig(Value):
    """Which project this is."""

    id: str | None = _setting(
        None, "The project's id, instead of the git remote or the path. A whole team can share it.", kind=str
    )
    enabled: bool = _setting(
        True,
        "`false` in any place switches memory off here: nothing is written, reading still works.",
        harmless=True,
        kind=bool,
        final=False,
    )


class SearchConfig(Value):
    """How things are found."""

    floor: float = _setting(
        0.15,
        "The least share of a query's weight that a hit must hold, unless its meaning is near enough.",
        harmless=True,
        kind=float,
        least=0,
        most=0.5,
    )
    postings_budget: int = _setting(
        20_000,
        "Index entries one query may read; past it the most frequent words are left out.",
        harmless=True,
        kind=int,
        least=1_000,
        most=1_000_000,
    )

    vector_floor: float = _setting(
        0.3,
        "The least cosine at which a hit is an answer by its meaning alone.",
        harmless=True,
        kind=float,
        least=-1,
        most=1,
    )
    static_floor: float = _setting(
        0.31,
        "The same where the static table made the question's vector: in commands, and until the model is loaded.",
        harmless=True,
        kind=float,
        least=-1,
        most=1,
    )
    fusion: str = _setting(
        "weighted",
        "How hybrid search puts words and meaning together.",
        harmless=True,
        kind=str,
        choices=("weighted", "minmax", "rrf"),
    )
    memories_vector: float = _setting(
        0.93, "The share of meaning in a memory's score.", harmless=True, kind=float, least=0, most=1
    )
    turns_vector: float = _setting(
        0.45, "The share of meaning in a turn's score.", harmless=True, kind=float, least=0, most=1
    )
    sessions_vector: float = _setting(
        0.5, "The share of meaning in a session's score.", harmless=True, kind=float, least=0, most=1
    )


class EmbeddingConfig(Value):
    """What makes vectors."""

    model: str = _setting(
        "minilm",
        "What makes vectors: the bundled model, word hashing, a server, fastembed, or nothing.",
        kind=str,
        choices=("minilm", "hashing", "remote", "fastembed", "none"),
    )
    url: str | None = _setting(
        None, "For `remote`: the server's address up to `/embeddings`, such as `https://host/v1`.", kind=str
    )
    key_env: str = _setting(
        "HOLDFAST_EMBEDDING_KEY", "For `remote`: the environment variable that holds the key.", kind=str
    )
    remote_model: str | None = _setting(
        None, "For `remote` and `fastembed`: the model's name there, such as `bge-m3`.", kind=str
    )
    dimensions: int | None = _setting(
        None, "For `remote` and `fastembed`: how many numbers a vector has.", kind=int, least=1, most=65_536
    )
    timeout_ms: int = _setting(
        10_000, "For `remote`: how long one request may take.", kind=int, least=100, most=600_000
    )
    batch: int = _setting(64, "For `remote`: texts sent in one request.", kind=int, least=1, most=2_048)
    background: bool = _setting(
        True, "Whether a process in the background makes the vectors that commands and hooks left.", kind=bool
    )


class VectorsConfig(Value):
    """How vectors are searched."""

    hnsw_from: int = _setting(
        500_000,
        "Vectors from which on a graph (HNSW) is kept beside the exact scan.",
        harmless=True,
        kind=int,
        least=1,
        most=1_000_000_000,
    )


class BackupConfig(Value):
    """How the store is copied."""

    auto: bool = _setting(True, "Whether the end of a session backs the store up, at most once a day.", kind=bool)
    keep: int = _setting(3, "How many automatic backups are kept.", kind=int, least=1, most=1_000)


def _hook(purpose: str) -> bool:
    return _setting(True, f"Whether hooks {purpose}.", harmless=True, kind=bool, final=False)


class HooksConfig(Value):
    """What the hooks of agents do. What somebody switched off stays off, whoever else switches it on."""

    inject: str = _setting(
        NEW,
        "When hooks hand an agent a brief: never, at a session's start and first prompt, later where something "
        "new plainly applies, or with every prompt.",
        harmless=True,
        kind=str,
        choices=INJECT,
        final=NEVER,
    )
    session_start: bool = _hook("note that a session began, and brief the agent then")
    prompt: bool = _hook("record what the user says, and brief the agent on it")
    tool: bool = _hook("record what tools answered")
    reply: bool = _hook("record what the agent answers")
    compaction: bool = _hook("move what was recorded into the store before a client compacts its context")
    session_end: bool = _hook("move what was recorded into the store when a session ends")


class RedactConfig(Value):
    """What may not be kept."""

    allow: tuple[str, ...] = _setting(
        (),
        "Texts that are never redacted: as they stand, or, between slashes, as regular expressions of RE2.",
        kind=tuple,
        problem=problem_with,
    )


def _tool(purpose: str) -> bool:
    return _setting(True, f"Whether agents are offered the tool that {purpose}.", kind=bool)


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
        False, "Whether servers keep memory in step with the project's Markdown files while they run.", kind=bool
    )
    exclude: tuple[str, ...] = _setting(
        (), "Folders and files that are not read, relative to the project root.", kind=tuple
    )


class ShareConfig(Value):
    """What is shared with others through the repository."""

    folder: str = _setting(
        "project-memory", "The folder of the repository that `holdfast share` writes to and reads.", kind=str
    )


class CaptureConfig(Value):
    """What is remembered from sessions by itself."""

    auto: bool = _setting(
        True,
        "`false` in any place stops findings and promotion; what you ask to remember is kept all the same.",
        harmless=True,
        kind=bool,
        final=False,
    )
    preset: str = _setting(
        DEFAULT_PRESET,
        "How much must speak for a finding before it is promoted by itself.",
        kind=str,
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


class Sources(Value):
    """Where settings come from, besides their defaults."""

    user_file: Path
    project_file: Path
    vouched: Callable[[bytes], bool]
    """Whether the user accepted these very bytes of the project's file."""
    environment: Mapping[str, str]


class SettingChoice(Value):
    """A setting's value in force, and who set it."""

    key: str
    value: SettingValue
    origin: str
    """`default`, `user`, `project` or `environment`."""
    where: str = ""
    """The file or the variable that sets it."""

    @property
    def shown(self) -> SettingValue:
        """The value as it may be shown: an address without its password."""
        secret = isinstance(self.value, str) and setting(self.key).rules.get("secret")
        return server_url.without_password(str(self.value)) if secret else self.value


@cache
def settings() -> list[Setting]:
    """Return every setting there is."""
    return list(_settings())


def setting(key: str, origin: str = "the command line") -> Setting:
    """Return one setting by its key."""
    known_setting = next((option for option in settings() if option.key == key), None)
    if known_setting is None:
        raise ConfigError(key=key, problem=_unknown(key), origin=origin)
    return known_setting


def _settings() -> Iterator[Setting]:
    for section in Config.__slots__:
        if section == "ignored":
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


def load(sources: Sources) -> Config:
    """Read the configuration; raise an error that names the key, and where it stands, when it cannot be used."""
    choices, ignored_keys = choose(sources)
    return replace(_build(choices.values()), ignored=ignored_keys)


def choose(sources: Sources) -> tuple[dict[str, SettingChoice], tuple[str, ...]]:
    """Return the value in force of every setting that somebody set, and the keys that were not obeyed."""
    user, project = sources.user_file, sources.project_file
    user_values = _checked_values(user, _read_bytes(user, follow=True))
    own, ignored_keys = _read_project(project, sources.vouched)
    choices: dict[str, SettingChoice] = {}
    _take(choices, [SettingChoice(key, value, "user", str(user)) for key, value in user_values.items()])
    _take(choices, [SettingChoice(key, value, "project", str(project)) for key, value in own.items()])
    _take(choices, _read_environment(sources.environment))
    return choices, ignored_keys


def vouched(sources: Sources) -> bool:
    """Say whether the project's file is accepted as it stands."""
    try:
        return sources.vouched(_read_bytes(sources.project_file, follow=False))
    except ConfigError:
        return False


def reserved_keys(keys: Iterable[str]) -> tuple[str, ...]:
    """Return those of the keys that only the user may set, by typing them."""
    own = {option.key for option in settings() if option.own}
    return tuple(key for key in keys if key in own)


def _take(choices: dict[str, SettingChoice], later: list[SettingChoice]) -> None:
    """Let later values win, except over one that is final: what somebody switched off stays off."""
    for choice in later:
        before = choices.get(choice.key)
        if before is None or before.value != setting(choice.key).rules.get("final", ()):
            choices[choice.key] = choice


def _read_project(
    path: Path, is_vouched: Callable[[bytes], bool]
) -> tuple[dict[str, SettingValue], tuple[str, ...]]:
    try:
        raw = _read_bytes(path, follow=False)
    except ConfigError:
        return {}, ("config",)
    return (_checked_values(path, raw), ()) if is_vouched(raw) else _read_warily(path, raw)


def _read_warily(path: Path, raw: bytes) -> tuple[dict[str, SettingValue], tuple[str, ...]]:
    """Read a file nobody vouched for: what is harmless and right counts, the rest is named, nothing raises."""
    harmless = {option.key for option in settings() if option.harmless}
    obeyed_values: dict[str, SettingValue] = {}
    ignored_keys = []
    try:
        table = _parse(path, raw)
    except ConfigError:
        return {}, ("config",)
    for key, value in table.items():
        try:
            checked_value = check(key, value, str(path))
        except ConfigError:
            ignored_keys.append(key)
            continue
        if key in harmless:
            obeyed_values[key] = checked_value
        else:
            ignored_keys.append(key)
    return obeyed_values, tuple(sorted(ignored_keys))


def _build(choices: Iterable[SettingChoice]) -> Config:
    config = Config()
    for choice in choices:
        section, name = choice.key.split(".")
        config = replace(config, **{section: _with(getattr(config, section), name, choice.value)})
    return config


def _with(section: Section, name: str, value: SettingValue) -> Section:
    new_section: Section = replace(section, **{name: value})  # type: ignore[type-var]  # every section is a dataclass
    return new_section


def _read_bytes(path: Path, *, follow: bool) -> bytes:
    """Return a regular file's bytes, empty where there is none; a clone may put a link, pipe or device there."""
    flags = getattr(os, "O_NONBLOCK", 0) | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
    try:
        handle = os.open(path, os.O_RDONLY | flags)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ConfigError(key="config", problem="is not a regular file", origin=path)
            raw = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise ConfigError(key="config", problem=error.strerror or str(error), origin=path) from error
    if len(raw) > MOST_BYTES:
        raise ConfigError(key="config", problem=f"has more than {MOST_BYTES:,} bytes", origin=path)
    return raw


def _checked_values(path: Path, raw: bytes) -> dict[str, SettingValue]:
    return {key: check(key, value, str(path)) for key, value in _parse(path, raw).items()}


def _parse(path: Path, raw: bytes) -> dict[str, object]:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise ConfigError(key="config", problem=f"is not valid TOML: {error}", origin=path) from error
    return parse(text, str(path))


def parse(text: str, origin: str) -> dict[str, object]:
    """Return a file's values by key; a value outside any section keeps its own name, which is no setting."""
    if not text:
        return {}
    import tomllib

    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(key="config", problem=f"is not valid TOML: {error}", origin=origin) from error
    values: dict[str, object] = {}
    for section, entries in table.items():
        if isinstance(entries, dict):
            values.update({f"{section}.{name}": value for name, value in entries.items()})
        else:
            values[section] = entries
    return values


def _read_environment(environment: Mapping[str, str]) -> list[SettingChoice]:
    keys_by_variable = {option.variable: option.key for option in settings() if environment.get(option.variable)}
    return [
        SettingChoice(key, check(key, environment[name], f"the environment variable {name}"), "environment", name)
        for name, key in keys_by_variable.items()
    ]


def check(key: str, value: object, origin: str) -> SettingValue:
    """Return a value as its setting's type; raise when it is not one that the setting may have."""
    rules = setting(key, origin).rules
    kind = rules["kind"]
    typed_value = _coerce(value, kind)
    if typed_value is None:
        raise ConfigError(key=key, problem=f"must be {_NAMES[kind]}, not {quote(value)}", origin=origin)
    for problem in _problems(typed_value, rules.get("problem")):
        raise ConfigError(key=key, problem=problem, origin=origin)
    choices = rules.get("choices")
    if isinstance(choices, tuple) and typed_value not in choices:
        problem = f"must be one of {', '.join(choices)}, not {quote(value)}"
        raise ConfigError(key=key, problem=problem, origin=origin)
    least, most = rules.get("least"), rules.get("most")
    is_bounded = isinstance(least, int | float) and isinstance(most, int | float)
    if is_bounded and isinstance(typed_value, int | float) and not least <= typed_value <= most:  # type: ignore[operator]  # numbers
        raise ConfigError(key=key, problem=f"must lie from {least} to {most}, not {quote(value)}", origin=origin)
    return typed_value


def _problems(value: SettingValue, problem_with: object) -> Iterator[str]:
    """Yield what is wrong with a text, or with the items of a list, where the setting has a rule for them."""
    if callable(problem_with):
        yield from filter(None, map(problem_with, value if isinstance(value, tuple) else (value,)))


_NAMES: Mapping[object, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list of texts",
}
_SWITCHES: Mapping[object, bool] = {
    **dict.fromkeys((True, "true", "on", "yes", "1"), True),
    **dict.fromkeys((False, "false", "off", "no", "0"), False),
}


def _coerce(value: object, kind: object) -> SettingValue:
    """Return the value as its kind, None when it is not of it. The environment gives numbers and lists as text."""
    if kind is bool:
        return _SWITCHES.get(value.lower() if isinstance(value, str) else value)
    if isinstance(value, bool):
        return None
    try:
        if kind is tuple:
            items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [None]
            texts = tuple(item.strip() for item in items if isinstance(item, str) and item.strip())
            return texts if len(texts) == len(items) else None
        if kind is str:
            return value if isinstance(value, str) and value.strip() else None
        if kind is int:
            return int(value) if isinstance(value, int | str) else None
        return float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None


def _unknown(key: str) -> str:
    import difflib

    close_keys = difflib.get_close_matches(key, [option.key for option in settings()], n=1)
    return (
        f"is not a setting; did you mean {close_keys[0]}?"
        if close_keys
        else "is not a setting; see docs/configuration.md"
    )
