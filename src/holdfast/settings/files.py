"""A settings file: its bytes, its values by key, what is wrong with them and on which line, and one key set in it.

Most starts of the program find no file to read, so what only reading or writing needs is imported there. A file
that is edited keeps every other line as it stands: the result is parsed, and refused unless just that key changed.
"""

import os
import stat
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.capture.text.clean import quote
from holdfast.errors import ConfigError
from holdfast.machine.disk import NO_LINK, NO_WAIT, open_handle
from holdfast.model.patterns import regex
from holdfast.settings.schema import SettingValue, is_setting, setting, unknown_key

if TYPE_CHECKING:
    import tomlkit

MOST_BYTES = 65_536
"""More than any configuration needs."""
_BY_HAND = (
    ". Correct it there: `holdfast config edit` opens the project's file, `holdfast config edit --user` your own."
)


class Fault(Struct, frozen=True):
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


def kind_text(rules: Mapping[str, object]) -> str:
    """Return what a setting may be, for people."""
    choices, least, most = rules.get("choices"), rules.get("least"), rules.get("most")
    if isinstance(choices, tuple):
        return f"one of {', '.join(choices)}"
    bounds = "" if least is None else f", from {least} to {most}"
    return f"{_NAMES[rules['kind']]}{bounds}"


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


_HEADER = regex(r"\s*\[([\w.-]+)\]")
_PLACE = regex(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def line_of(text: str, key: str) -> int | None:
    """Return the line that begins with a key, or is its header; None where none does, as in an inline table."""
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        name, equals, _ = line.partition("=")
        if header:
            section = f"{header[1]}."
        if section == f"{key}." or (equals and section + name.strip(" \t\"'") == key):
            return number
    return None


def syntax_problem(error: Exception, text: str) -> tuple[str, str]:
    """Return what the parser says is wrong with a text, and where."""
    message = str(error)
    place = _PLACE.search(message)
    if place is None:
        return message, ""
    end = max(1, len(text.splitlines()))
    return message[: place.start()], f", line {place[1]}, column {place[2]}" if place[1] else f", line {end}"


def with_key(text: str, key: str, value: SettingValue, origin: str) -> str:
    """Return the text with a key set: where it stands, else in its section, else in a new section at the end."""
    values = parse(text, origin)
    document = _document(text, key, origin)
    section, _, name = key.partition(".")
    plain = list(value) if isinstance(value, tuple) else value
    if section not in document:
        import tomlkit

        document[section] = tomlkit.table()
    _set_key(_table(document, section, key, origin), name, plain)
    return _check_edit(document, text, values | {key: plain}, key, origin)


def without_key(text: str, key: str, origin: str) -> str:
    """Return the text without a key; the same text when it holds none."""
    values = parse(text, origin)
    if key not in values:
        return text
    document = _document(text, key, origin)
    section, _, name = key.partition(".")
    del _table(document, section, key, origin)[name]
    del values[key]
    return _check_edit(document, text, values, key, origin)


def _document(text: str, key: str, origin: str) -> "tomlkit.TOMLDocument":
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise _by_hand(key, origin) from error


def _table(document: "tomlkit.TOMLDocument", section: str, key: str, origin: str) -> MutableMapping[str, object]:
    table = document[section]
    if not isinstance(table, MutableMapping):
        raise _by_hand(key, origin)
    return table


def _set_key(table: MutableMapping[str, object], name: str, value: object) -> None:
    """Set a key; a new one goes behind the last key, before the comments that lead to the next section."""
    from tomlkit.items import Table

    body = table.value.body if isinstance(table, Table) else []
    trailing = []
    while name not in table and body and body[-1][0] is None:
        trailing.append(body.pop())
    table[name] = value
    body.extend(reversed(trailing))


def _check_edit(
    document: "tomlkit.TOMLDocument", text: str, values: dict[str, object], key: str, origin: str
) -> str:
    import tomlkit

    new_text = tomlkit.dumps(document)
    if "\r\n" in text:
        new_text = new_text.replace("\r\n", "\n").replace("\n", "\r\n")
    try:
        if parse(new_text, origin) == values:
            return new_text
    except ConfigError:
        pass
    raise _by_hand(key, origin)


def _by_hand(key: str, origin: str) -> ConfigError:
    return ConfigError(
        key=key, problem="stands in a form that only a person can edit; do it by hand", origin=origin
    )
