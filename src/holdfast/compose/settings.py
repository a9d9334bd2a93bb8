"""Settings for people: what is in force and who set it, and changing one in the user's or the project's file."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from holdfast.compose.open import make_home
from holdfast.errors import ConfigError, UnsafePath
from holdfast.machine import durable, paths
from holdfast.machine.project import find_project
from holdfast.settings.edit import with_key, without_key
from holdfast.settings.load import (
    SettingChoice,
    Sources,
    check,
    choose,
    parse,
    reserved_keys,
    sources_of,
    vouch_for_config,
    vouched,
)
from holdfast.settings.schema import SettingValue, setting, settings

Agreement = Callable[[Sequence[str]], bool]
"""Ask a person whether these keys, which somebody else wrote, shall count from now on."""

_SET_BY_OTHERS = (
    "was set by somebody else, and says where all you remember goes. Take that line out of the file first"
)


@dataclass(frozen=True, slots=True)
class Report:
    """Every setting with the value in force, and the keys of the project's file that are not obeyed."""

    settings: tuple[SettingChoice, ...]
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SettingChange:
    """What a change came to: the file, as it is named, whether it is another now, and what is in force."""

    file: Path
    changed: bool
    in_force: SettingChoice


def sources(directory: Path) -> Sources:
    """Return where the settings for a directory come from."""
    return sources_of(find_project(directory))


def report(directory: Path) -> Report:
    """Return what is in force in a directory."""
    choices, ignored_keys = choose(sources(directory))
    every = [
        choices.get(option.key, SettingChoice(option.key, option.default, "default")) for option in settings()
    ]
    return Report(tuple(every), ignored_keys)


def in_force(directory: Path, key: str) -> SettingChoice:
    """Return the value in force of one setting; raise, with the nearest name, when there is no such setting."""
    setting(key)
    return next(choice for choice in report(directory).settings if choice.key == key)


def change(directory: Path, key: str, text: str | None, *, user: bool, agreed: Agreement) -> SettingChange:
    """Set a key in a file, or with None take it out; nothing is written unless the file can be used after."""
    value = None if text is None else check(key, text, "the command line")
    config_sources = sources(directory)
    named_file = config_sources.user_file if user else config_sources.project_file
    file = Path(os.path.realpath(named_file)) if user else _own(named_file)  # a link of the user's stays one
    before = _read_text(file)
    after = without_key(before, key, str(file)) if value is None else with_key(before, key, value, str(file))
    if after != before and user:
        paths.make_private(str(file.parent))
        _write(file, after)
    elif after != before:
        _take_over(config_sources, after, agreed, key)
        make_home(file.parent)
        _write(file, after)
        vouch_for_config(file)
    return SettingChange(named_file, after != before, _after(directory, key, value))


def _after(directory: Path, key: str, value: SettingValue) -> SettingChoice:
    """Return what is in force after a change; another key may still be wrong, and its time to be named comes."""
    try:
        return in_force(directory, key)
    except ConfigError:
        return SettingChoice(key, value, "default")


def _own(file: Path) -> Path:
    for place in (file.parent, file):
        if place.is_symlink():
            raise UnsafePath(path=place, problem="symbolic link")
    return file


def _take_over(config_sources: Sources, after: str, agree: Agreement, typed_key: str) -> None:
    """Before a file that somebody else wrote counts as the user's own: ask about what it would then set.

    Where memory goes is not asked about: the user types that, or it is not so.
    """
    ignored_keys = () if vouched(config_sources) else choose(config_sources)[1]
    keys = [
        key for key in ignored_keys if key in parse(after, str(config_sources.project_file)) and key != typed_key
    ]
    for key in reserved_keys(keys):
        raise ConfigError(key=key, problem=_SET_BY_OTHERS, origin=config_sources.project_file)
    if keys and not agree(keys):
        raise ConfigError(
            key="config",
            problem=f"also sets {', '.join(keys)}, which somebody else wrote. Look at it, then repeat with --yes",
            origin=config_sources.project_file,
        )
    for key, value in parse(after, str(config_sources.project_file)).items():
        check(key, value, str(config_sources.project_file))


def _read_text(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            return stream.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(key="config", problem=str(error), origin=file) from error


def _write(file: Path, text: str) -> None:
    """Write a file whole or not at all; it keeps its mode."""
    try:
        durable.replace_file(file, text, file.stat().st_mode & 0o777 if file.exists() else 0o600)
    except OSError as error:
        raise ConfigError(key="config", problem=error.strerror or str(error), origin=file) from error


def as_text(value: SettingValue) -> str:
    """Return a value as it would be typed."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
