"""A settings file as its author wrote it, with one key set or removed; every other line stays as it stands. Pure.

What was made is parsed, and refused unless just that key changed.
"""

from collections.abc import MutableMapping

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from holdfast.errors import ConfigError
from holdfast.settings.files import parse
from holdfast.settings.schema import SettingValue


def with_key(text: str, key: str, value: SettingValue, origin: str) -> str:
    """Return the text with a key set: where it stands, else in its section, else in a new section at the end."""
    values = parse(text, origin)
    document = _document(text, key, origin)
    section, _, name = key.partition(".")
    plain = list(value) if isinstance(value, tuple) else value
    if section not in document:
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


def _document(text: str, key: str, origin: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise _by_hand(key, origin) from error


def _table(document: tomlkit.TOMLDocument, section: str, key: str, origin: str) -> MutableMapping[str, object]:
    table = document[section]
    if not isinstance(table, MutableMapping):
        raise _by_hand(key, origin)
    return table


def _set_key(table: MutableMapping[str, object], name: str, value: object) -> None:
    """Set a key; a new one goes behind the last key, before the comments that lead to the next section."""
    body = table.value.body if isinstance(table, Table) else []
    trailing = []
    while name not in table and body and body[-1][0] is None:
        trailing.append(body.pop())
    table[name] = value
    body.extend(reversed(trailing))


def _check_edit(
    document: tomlkit.TOMLDocument, text: str, values: dict[str, object], key: str, origin: str
) -> str:
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
