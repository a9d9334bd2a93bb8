"""Settings as they are in force: read from the user's file, the project's file and the environment.

Later wins. A project's file may come with a cloned repository, so until the user vouches for it only harmless
keys of it are obeyed; the rest is reported, not raised. Apart from `compose.open`, so that whoever only wants a
setting does not pay for stores and embedders.

Most starts of the program find no file to read, so what only reading needs is imported there.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from holdfast.capture.text.clean import quote
from holdfast.errors import ConfigError
from holdfast.guard.registry import Registry
from holdfast.machine import paths, server_url
from holdfast.machine.project import Project
from holdfast.model.value import Value, replace
from holdfast.settings.schema import Config, Section, SettingValue, setting, settings

MOST_BYTES = 65_536
"""More than any configuration needs."""

CONFIG = "config.toml"
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


def sources_of(project: Project, environment: Mapping[str, str] | None = None) -> Sources:
    """Return where a project's settings come from."""
    file = project.root / paths.PROJECT_HOME / CONFIG
    return Sources(
        user_file=Path(paths.config_directory()) / CONFIG,
        project_file=file,
        vouched=lambda text: registry().vouches_for_config(file, text),
        environment=os.environ if environment is None else environment,
    )


def registry() -> Registry:
    """Return what this user vouches for."""
    return Registry(Path(paths.data_directory()) / "vouched")


def vouch_for_config(file: Path) -> None:
    """Let a project's settings file count as the user's own, as it stands."""
    registry().vouch_for_config(file)


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


def _read_environment(environment: Mapping[str, str]) -> list[SettingChoice]:
    keys_by_variable = {option.variable: option.key for option in settings() if environment.get(option.variable)}
    return [
        SettingChoice(key, check(key, environment[name], f"the environment variable {name}"), "environment", name)
        for name, key in keys_by_variable.items()
    ]


def _problems(value: SettingValue, problem_with: object) -> Iterator[str]:
    """Yield what is wrong with a text, or with the items of a list, where the setting has a rule for them."""
    if callable(problem_with):
        yield from filter(None, map(problem_with, value if isinstance(value, tuple) else (value,)))


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
