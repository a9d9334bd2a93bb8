"""Settings: one dataclass tree, read from the user's file, the project's file and the environment.

Later wins. A project's file may come with a cloned repository, so until the user vouches for it only harmless
keys of it are obeyed; the rest is reported, not raised.
"""

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TypeVar

from holdfast.capture.clean import echo
from holdfast.capture.redact.allowed import problem_with
from holdfast.errors import ConfigError

Value = str | int | float | tuple[str, ...] | None
_NAMES: dict[object, str] = {str: "text", int: "a whole number", float: "a number", tuple: "a list of texts"}
T = TypeVar("T")
Section = TypeVar("Section")


def _setting(default: T, doc: str, *, harmless: bool = False, **rules: object) -> T:
    """Declare a setting: its default, what it does, whether a repository may set it, and what it may be."""
    return field(default=default, metadata={"doc": doc, "harmless": harmless, **rules})


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """Which project this is."""

    id: str | None = _setting(
        None, "The project's id, instead of the git remote or the path. A whole team can share it.", kind=str
    )


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """Where and how memory is kept."""

    path: str | None = _setting(
        None, "The database file, from the project root, instead of `.holdfast/memory.db`.", kind=str
    )
    synchronous: str = _setting(
        "normal",
        "`normal` survives the crash of any process; `full` also waits for the disk at every write (power loss).",
        harmless=True,
        kind=str,
        choices=("normal", "full"),
    )
    busy_timeout_ms: int = _setting(
        5_000,
        "How long a write waits for another process before it gives up, in milliseconds.",
        harmless=True,
        kind=int,
        least=0,
        most=600_000,
    )


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How things are found."""

    floor: float = _setting(
        0.1,
        "The least share of a query's weight that a hit must hold; less is not an answer. 0 keeps everything.",
        harmless=True,
        kind=float,
        least=0,
        most=1,
    )
    postings_budget: int = _setting(
        20_000,
        "Index entries one query may read; past it the most frequent words are left out.",
        harmless=True,
        kind=int,
        least=100,
        most=10_000_000,
    )


@dataclass(frozen=True, slots=True)
class RedactConfig:
    """What may not be kept."""

    allow: tuple[str, ...] = _setting(
        (),
        "Texts that are never redacted: as they stand, or, between slashes, as regular expressions of RE2.",
        kind=tuple,
        problem=problem_with,
    )


@dataclass(frozen=True, slots=True)
class UserConfig:
    """Who is writing."""

    name: str | None = _setting(None, "Your name on what you remember, instead of the login name.", kind=str)


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting, by section."""

    project: ProjectConfig = field(default_factory=ProjectConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    redact: RedactConfig = field(default_factory=RedactConfig)
    user: UserConfig = field(default_factory=UserConfig)
    ignored: tuple[str, ...] = ()
    """Keys of the project's file that were not obeyed, because the user did not vouch for it."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, for documentation and checking."""

    key: str
    default: Value
    doc: str
    harmless: bool
    rules: Mapping[str, object]

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "HOLDFAST_" + self.key.replace(".", "_").upper()


def settings() -> list[Setting]:
    """Return every setting there is."""
    return list(_settings())


def _settings() -> Iterator[Setting]:
    for section in fields(Config):
        if section.name == "ignored":
            continue
        blank = getattr(Config(), section.name)
        for one in fields(blank):
            rules = dict(one.metadata)
            yield Setting(
                key=f"{section.name}.{one.name}",
                default=getattr(blank, one.name),
                doc=rules.pop("doc"),
                harmless=rules.pop("harmless"),
                rules=rules,
            )


def load(*, user_file: Path, project_file: Path, project_trusted: bool, environment: Mapping[str, str]) -> Config:
    """Read the configuration; raise an error that names the key, and where it stands, when it cannot be used."""
    values: dict[str, Value] = {}
    values.update(_read_file(user_file))
    if project_trusted:
        values.update(_read_file(project_file))
        ignored: tuple[str, ...] = ()
    else:
        harmless, ignored = _read_warily(project_file)
        values.update(harmless)
    values.update(_read_environment(environment))
    return replace(_build(values), ignored=ignored)


def _read_warily(path: Path) -> tuple[dict[str, Value], tuple[str, ...]]:
    """Read a file nobody vouched for: what is harmless and right counts, the rest is named, nothing raises."""
    harmless = {one.key for one in settings() if one.harmless}
    obeyed: dict[str, Value] = {}
    ignored = []
    try:
        raw = _read_table(path)
    except ConfigError:
        return {}, ("config",)
    for key, value in raw.items():
        try:
            checked = _checked(key, value, str(path))
        except ConfigError:
            ignored.append(key)
            continue
        if key in harmless:
            obeyed[key] = checked
        else:
            ignored.append(key)
    return obeyed, tuple(sorted(ignored))


def _build(values: Mapping[str, Value]) -> Config:
    config = Config()
    for key, value in values.items():
        section, name = key.split(".")
        config = replace(config, **{section: _with(getattr(config, section), name, value)})
    return config


def _with(section: Section, name: str, value: Value) -> Section:
    changed: Section = replace(section, **{name: value})  # type: ignore[type-var]  # every section is a dataclass
    return changed


def _read_file(path: Path) -> dict[str, Value]:
    return {key: _checked(key, value, str(path)) for key, value in _read_table(path).items()}


def _read_table(path: Path) -> dict[str, object]:
    """Return a file's values by key; a value outside any section keeps its own name, which is no setting."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(key="config", problem=error.strerror or str(error), origin=path) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(key="config", problem=f"is not valid TOML: {error}", origin=path) from error
    values: dict[str, object] = {}
    for section, entries in table.items():
        if isinstance(entries, dict):
            values.update({f"{section}.{name}": value for name, value in entries.items()})
        else:
            values[section] = entries
    return values


def _read_environment(environment: Mapping[str, str]) -> dict[str, Value]:
    return {
        one.key: _checked(one.key, environment[one.variable], f"the environment variable {one.variable}")
        for one in settings()
        if environment.get(one.variable)
    }


def _checked(key: str, value: object, origin: str) -> Value:
    setting = {one.key: one for one in settings()}.get(key)
    if setting is None:
        raise ConfigError(key=key, problem=_unknown(key), origin=origin)
    rules = setting.rules
    kind = rules["kind"]
    typed = _typed(value, kind)
    if typed is None:
        raise ConfigError(key=key, problem=f"must be {_NAMES[kind]}, not {echo(value)!r}", origin=origin)
    for problem in _problems(typed, rules.get("problem")):
        raise ConfigError(key=key, problem=problem, origin=origin)
    choices = rules.get("choices")
    if isinstance(choices, tuple) and typed not in choices:
        problem = f"must be one of {', '.join(choices)}, not {echo(value)!r}"
        raise ConfigError(key=key, problem=problem, origin=origin)
    least, most = rules.get("least"), rules.get("most")
    if (
        isinstance(typed, int | float)
        and isinstance(least, int)
        and isinstance(most, int)
        and not least <= typed <= most
    ):
        raise ConfigError(key=key, problem=f"must lie from {least} to {most}, not {echo(value)!r}", origin=origin)
    return typed


def _problems(value: Value, problem_with: object) -> Iterator[str]:
    """Yield what is wrong with the items of a list, where the setting has a rule for them."""
    if callable(problem_with) and isinstance(value, tuple):
        yield from filter(None, map(problem_with, value))


def _typed(value: object, kind: object) -> Value:
    """Return the value as its kind, None when it is not of it. The environment gives numbers and lists as text."""
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
    except ValueError:
        return None


def _unknown(key: str) -> str:
    near = difflib.get_close_matches(key, [one.key for one in settings()], n=1)
    return f"is not a setting; did you mean {near[0]}?" if near else "is not a setting; see docs/configuration.md"
