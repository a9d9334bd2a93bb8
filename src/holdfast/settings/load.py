"""Settings as they are in force: read from the user's file, the project's file and the environment.

Later wins. What cannot be used is named with its file and line, and stops whoever needs settings; `load_anyway`
goes on without it, for those who look for what is wrong. A project's file may come with a cloned repository, so
until the user vouches for it only harmless keys of it are obeyed; the rest is reported, not raised. Apart from
`storage.open`, so that whoever only wants a setting does not pay for stores and embedders.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from holdfast.errors import ConfigError, InvalidInput
from holdfast.machine import disk, paths, server_url
from holdfast.machine.paths import key_of
from holdfast.machine.project import Project
from holdfast.model.ids import digest_bytes
from holdfast.settings.files import Fault, check, checked_values, read_bytes
from holdfast.settings.schema import Config, SettingValue, setting, settings

CONFIG = "config.toml"
MOST_NAMED = 3
"""Faults of one sort that people are told of at once."""

PREFIX = "HOLDFAST_"
OTHER_VARIABLES = frozenset(
    PREFIX + name
    for name in "CONFIG_HOME DATA_HOME DEBUG DISABLE EMBEDDING_KEY EXTRACTOR_KEY HOOK_PACE TOKEN".split()
)
"""Variables of ours that are no settings."""


class Registry(Struct, frozen=True):
    """A folder with one entry for each configuration vouched for."""

    folder: Path

    def vouches_for_config(self, file: Path, text: bytes) -> bool:
        """Say whether this user vouched for these bytes of this file."""
        try:
            stored_identity = json.loads(self._entry(file).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return bool(stored_identity == _config_identity(file, text))

    def vouch_for_config(self, file: Path, text: bytes | None = None) -> None:
        """Vouch for these bytes of a configuration file, or for it as it stands."""
        paths.make_private(str(self.folder))
        identity = _config_identity(file, file.read_bytes() if text is None else text)
        disk.replace_file(self._entry(file), json.dumps(identity))

    def _entry(self, file: Path) -> Path:
        return self.folder / f"{key_of(os.path.realpath(file))}.json"


class Vouching(Struct, frozen=True):
    """A settings file, and what of it is not obeyed as it stands."""

    file: Path | None = None
    ignored: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    """Those of the ignored keys that only the user may set, by typing them."""
    problems: tuple[str, ...] = ()
    """What of the settings cannot be used, in this file or elsewhere."""
    doubts: tuple[str, ...] = ()
    """What is wrong with them where it stops nobody."""

    def accept(self, registry: Registry) -> tuple[str, ...]:
        """Obey the file from now on; return the keys that were not obeyed before."""
        if self.file is None or self.file.is_symlink() or not self.file.is_file():
            raise InvalidInput(field="--config", problem=f"there is no file {self.file}.")
        for key in self.reserved:
            problem = "says where all you remember goes: take that line out, and set it with `holdfast config set`"
            raise ConfigError(key=key, problem=problem, origin=self.file)
        registry.vouch_for_config(self.file)
        return self.ignored


def _config_identity(file: Path, text: bytes) -> dict[str, object]:
    return {"path": os.path.realpath(file), "sha256": digest_bytes(text)}


class Sources(Struct, frozen=True):
    """Where settings come from, besides their defaults."""

    user_file: Path
    project_file: Path
    vouched: Callable[[bytes], bool]
    """Whether the user accepted these very bytes of the project's file."""
    environment: Mapping[str, str]


class SettingChoice(Struct, frozen=True):
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


def vouch_for_config(file: Path, text: bytes | None = None) -> None:
    """Let a project's settings file count as the user's own: these bytes of it, or as it stands."""
    registry().vouch_for_config(file, text)


class Survey(Struct, frozen=True):
    """What the sources say: the values in force, and whatever cannot be used."""

    choices: dict[str, SettingChoice]
    """Every setting that somebody set."""
    ignored: tuple[str, ...] = ()
    """Keys that were not obeyed."""
    faults: tuple[Fault, ...] = ()
    """What is wrong in a place that counts."""
    doubts: tuple[Fault, ...] = ()
    """What is wrong where it stops nobody: in a file that nobody vouched for, in the name of a variable."""


def load(sources: Sources) -> Config:
    """Read the configuration; raise an error that names the key, and where it stands, when it cannot be used."""
    choices, ignored_keys = choose(sources)
    return replace(_build(choices.values()), ignored=ignored_keys)


def load_anyway(sources: Sources) -> Config:
    """Read what can be used of the configuration; what cannot is in it as a text, and has its default."""
    overview = survey(sources)
    doubts = (*overview.doubts, *_misspelt_variables(sources.environment, overview.choices.values()))
    return replace(
        _build(overview.choices.values()),
        ignored=overview.ignored,
        problems=_texts(overview.faults),
        doubts=_texts(doubts),
    )


def _texts(faults: Sequence[Fault]) -> tuple[str, ...]:
    """Return what people are told of faults; of many, the first few."""
    more = len(faults) - MOST_NAMED
    names = [str(fault.located()) for fault in faults[:MOST_NAMED]]
    return (*names, f"and {more:,} more of that sort") if more > 0 else tuple(names)


def choose(sources: Sources) -> tuple[dict[str, SettingChoice], tuple[str, ...]]:
    """Return the value in force of every setting that somebody set, and the keys that were not obeyed."""
    overview = survey(sources)
    for fault in overview.faults:
        raise fault.located()
    return overview.choices, overview.ignored


def survey(sources: Sources) -> Survey:
    """Read every source to its end, whatever is wrong in it. Later values win, except over one that is final."""
    own = _read_project(sources.project_file, sources.vouched)
    surveys = (_read_user(sources.user_file), own, _read_environment(sources.environment))
    choices: dict[str, SettingChoice] = {}
    for choice in (choice for source in surveys for choice in source.choices.values()):
        before = choices.get(choice.key)
        # what somebody switched off stays off
        if before is None or before.value != setting(choice.key).rules.get("final", ()):
            choices[choice.key] = choice
    return Survey(choices, own.ignored, tuple(fault for source in surveys for fault in source.faults), own.doubts)


def vouched(sources: Sources) -> bool:
    """Say whether the project's file is accepted as it stands."""
    try:
        return sources.vouched(read_bytes(sources.project_file, follow=False))
    except ConfigError:
        return False


def reserved_keys(keys: Iterable[str]) -> tuple[str, ...]:
    """Return those of the keys that only the user may set, by typing them."""
    own = {option.key for option in settings() if option.own}
    return tuple(key for key in keys if key in own)


def _chosen(values: Mapping[str, SettingValue], origin: str, file: Path) -> dict[str, SettingChoice]:
    return {key: SettingChoice(key, value, origin, str(file)) for key, value in values.items()}


def _read_user(path: Path) -> Survey:
    try:
        raw = read_bytes(path, follow=True)
    except ConfigError as error:
        return Survey({}, faults=(Fault(error),))
    values, faults = checked_values(path, raw, " --user")
    return Survey(_chosen(values, "user", path), faults=faults)


def _read_project(path: Path, is_vouched: Callable[[bytes], bool]) -> Survey:
    """Read a project's file; unless the user vouched for it, only what is harmless and right counts."""
    try:
        raw = read_bytes(path, follow=False)
    except ConfigError as error:
        return Survey({}, ignored=("config",), doubts=(Fault(error),))
    values, faults = checked_values(path, raw, "")
    if is_vouched(raw):
        return Survey(_chosen(values, "project", path), faults=faults)
    harmless = {option.key for option in settings() if option.harmless}
    obeyed_values = {key: value for key, value in values.items() if key in harmless}
    ignored_keys = sorted([*(fault.key for fault in faults), *(key for key in values if key not in harmless)])
    return Survey(_chosen(obeyed_values, "project", path), tuple(ignored_keys), doubts=faults)


def _build(choices: Iterable[SettingChoice]) -> Config:
    config = Config()
    for choice in choices:
        section, name = choice.key.split(".")
        config = replace(config, **{section: replace(getattr(config, section), **{name: choice.value})})
    return config


def _read_environment(environment: Mapping[str, str]) -> Survey:
    choices, faults = {}, []
    for option in settings():
        if not environment.get(option.variable):
            continue
        origin = f"the environment variable {option.variable}"
        try:
            value = check(option.key, environment[option.variable], origin)
        except ConfigError as error:
            faults.append(Fault(error))
        else:
            choices[option.key] = SettingChoice(option.key, value, "environment", option.variable)
    return Survey(choices, faults=tuple(faults))


def _misspelt_variables(environment: Mapping[str, str], choices: Iterable[SettingChoice]) -> list[Fault]:
    """Return the variables that are like one of ours; others of our prefix are some other program's business."""
    variables = {option.variable for option in settings()} | OTHER_VARIABLES
    keys = {choice.value for choice in choices if choice.key.endswith(".key_env")}
    unknown = [name for name in environment if name.startswith(PREFIX) and name not in variables | keys]
    if not unknown:
        return []
    from holdfast.model.nearest import suggestion  # few make the mistake

    names = sorted(variable.removeprefix(PREFIX) for variable in variables)
    doubts = {name: suggestion(name.removeprefix(PREFIX), names, f"{PREFIX}{{}}") for name in unknown}
    return [
        Fault(ConfigError(key=name, problem=f"sets nothing; did you mean {likely}?", origin="the environment"))
        for name, likely in doubts.items()
        if likely
    ]
