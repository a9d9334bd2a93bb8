"""Settings for people: what is in force and who set it, and changing one in the user's or the project's file."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from holdfast.errors import ConfigError, UnsafePath
from holdfast.machine import disk, paths
from holdfast.machine.project import find_project
from holdfast.settings.files import check, decode, parse, read_bytes, with_key, without_key
from holdfast.settings.load import (
    SettingChoice,
    Sources,
    choose,
    reserved_keys,
    sources_of,
    survey,
    vouch_for_config,
    vouched,
)
from holdfast.settings.schema import SettingValue, setting, settings
from holdfast.storage.open import make_home

Agreement = Callable[[Sequence[str]], bool]
"""Ask a person whether these keys, which somebody else wrote, shall count from now on."""

_SET_BY_OTHERS = (
    "was set by somebody else, and says where all you remember goes. Take that line out of the file first"
)


class Report(Struct, frozen=True):
    """Every setting with the value in force, and the keys of the project's file that are not obeyed."""

    settings: tuple[SettingChoice, ...]
    ignored: tuple[str, ...]


class SettingChange(Struct, frozen=True):
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


def in_force_anyway(directory: Path, key: str) -> tuple[SettingChoice, str]:
    """Return the value of one setting as far as the files can be used, and what is wrong where they cannot."""
    overview = survey(sources(directory))
    default = SettingChoice(key, setting(key).default, "default")
    faults = [fault for fault in (*overview.faults, *overview.doubts) if fault.key in (key, "config")]
    return overview.choices.get(key, default), str(faults[0].located()) if faults else ""


def change(directory: Path, key: str, text: str | None, *, user: bool, agreed: Agreement) -> SettingChange:
    """Set a key in a file, or with None take it out; nothing is written unless the file can be used after."""
    value = None if text is None else check(key, text, "the command line")
    config_sources = sources(directory)
    named_file = config_sources.user_file if user else config_sources.project_file
    file = Path(os.path.realpath(named_file)) if user else _own(named_file)  # a link of the user's stays one
    before = _read_text(file)
    after = without_key(before, key, str(file)) if value is None else with_key(before, key, value, str(file))
    if value is None and after == before:
        setting(key)  # one that is none, and not even there, was mistyped
    if after != before and user:
        paths.make_private(str(file.parent))
        _write(file, after)
    elif after != before:
        _take_over(config_sources, after, agreed, key)
        make_home(file.parent)
        _write(file, after)
        vouch_for_config(file, after.encode())
    return SettingChange(named_file, after != before, _after(directory, key, value))


def edit(directory: Path, *, user: bool, editor: Callable[[Path], None]) -> Path:
    """Let a person change a whole file in their editor; raise when it cannot be used after.

    A project's file that was theirs, or was not there, is theirs still, with the very bytes that are read when the
    editor closes; one that somebody else wrote is not yet.
    """
    config_sources = sources(directory)
    file = config_sources.user_file if user else _own(config_sources.project_file)
    before = file.read_bytes() if file.exists() else None
    if before is None:
        (paths.make_private if user else _make_home)(str(file.parent))
        _write(file, "")
    editor(file)
    if not user and (before is None or config_sources.vouched(before)):
        after = read_bytes(_own(file), follow=False)
        if after != before:
            vouch_for_config(file, after)
    overview = survey(sources(directory))
    for fault in (*overview.faults, *overview.doubts):
        if str(fault.error.facts["origin"]).startswith(str(file)):
            raise fault.located()
    return file


def _make_home(directory: str) -> None:
    make_home(Path(directory))


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
    ignored_keys = () if vouched(config_sources) else survey(config_sources).ignored
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
        return decode(file, file.read_bytes())
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ConfigError(key="config", problem=error.strerror or str(error), origin=file) from error


def _write(file: Path, text: str) -> None:
    """Write a file whole or not at all; it keeps its mode."""
    try:
        disk.replace_file(file, text, file.stat().st_mode & 0o777 if file.exists() else 0o600)
    except OSError as error:
        raise ConfigError(key="config", problem=error.strerror or str(error), origin=file) from error


def as_text(value: SettingValue) -> str:
    """Return a value as it would be typed."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
