"""A settings file: its bytes, its values by key, and what is wrong with them.

Most starts of the program find no file to read, so what only reading needs is imported there.
"""

import os
import stat
from pathlib import Path

from holdfast.errors import ConfigError
from holdfast.machine.handles import NO_LINK, NO_WAIT, open_handle
from holdfast.model.value import Value
from holdfast.settings.check import check
from holdfast.settings.schema import SettingValue, is_setting, unknown_key

MOST_BYTES = 65_536
"""More than any configuration needs."""
_BY_HAND = (
    ". Correct it there: `holdfast config edit` opens the project's file, `holdfast config edit --user` your own."
)


class Fault(Value):
    """Something that cannot be used.

    On which line it stands, and what else may have been meant, is found out when somebody is told: a file may come
    with a clone, and hold thousands.
    """

    error: ConfigError
    text: str = ""
    """The file that it is in."""
    option: str = ""
    """What a command needs to be told so that it works on that file."""

    @property
    def key(self) -> str:
        """The setting that it is about; `config` where it is about the file."""
        return str(self.error.facts["key"])

    def located(self) -> ConfigError:
        """Return the error with its line, and with what to do about it."""
        if not self.text:
            return self.error
        from holdfast.settings.lines import line_of

        number = line_of(self.text, self.key)
        command = f", or take it out with `holdfast config unset {self.key}{self.option}`"
        origin = self.error.facts["origin"]
        return ConfigError(
            key=self.key,
            problem=self.error.facts["problem"] if is_setting(self.key) else unknown_key(self.key),
            origin=f"{origin}, line {number}" if number else origin,
            advice=f". Correct it there{command if '.' in self.key else ''}.",
        )


def read_bytes(path: Path, *, follow: bool) -> bytes:
    """Return a regular file's bytes, empty where there is none; a clone may put a link, pipe or device there."""
    flags = NO_WAIT | (0 if follow else NO_LINK)
    try:
        handle = open_handle(path, os.O_RDONLY | flags)
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


def checked_values(path: Path, raw: bytes, option: str) -> tuple[dict[str, SettingValue], tuple[Fault, ...]]:
    """Return the values of a file that can be used, and what is wrong with the others."""
    values: dict[str, SettingValue] = {}
    faults: list[Fault] = []
    try:
        text = decode(path, raw)
        table = parse(text, str(path))
    except ConfigError as error:
        return {}, (Fault(error),)
    for key, value in table.items():
        if not is_setting(key):
            faults.append(Fault(ConfigError(key=key, problem="is not a setting", origin=path), text, option))
            continue
        try:
            values[key] = check(key, value, str(path))
        except ConfigError as error:
            faults.append(Fault(error, text, option))
    return values, tuple(faults)


def parse(text: str, origin: str) -> dict[str, object]:
    """Return a file's values by key; a value outside any section keeps its own name, which is no setting."""
    if not text:
        return {}
    import tomllib

    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        from holdfast.settings.lines import syntax_problem

        problem, place = syntax_problem(error, text)
        raise ConfigError(
            key="config", problem=f"is not valid TOML: {problem}", origin=f"{origin}{place}", advice=_BY_HAND
        ) from error
    values: dict[str, object] = {}
    for section, entries in table.items():
        if isinstance(entries, dict):
            values.update({f"{section}.{name}": value for name, value in entries.items()})
        else:
            values[section] = entries
    return values


def decode(path: Path, raw: bytes) -> str:
    """Return a file's text."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ConfigError(
            key="config", problem="is not text in UTF-8", origin=f"{path}, line {line}", advice=_BY_HAND
        ) from error
