"""Changing TOML as its author wrote it: comments, order and layout stay. By tomlkit, which is made for that."""

from collections.abc import Mapping, MutableMapping

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from holdfast.install.jsonc import Unreadable


def with_table(text: str, section: str, name: str, values: Mapping[str, object]) -> str:
    """Set the table `[section.name]`; one that says the same already is left as it is written."""
    document = _parse(text)
    holder = document.get(section)
    if holder is None:
        holder = tomlkit.table(is_super_table=True)
        document[section] = holder
    if not isinstance(holder, MutableMapping):
        raise Unreadable(f"{section} is not a table")
    known = holder.get(name)
    if isinstance(known, Mapping) and _plain(known) == dict(values):
        return text
    holder[name] = _table(values)
    return tomlkit.dumps(document)


def without_table(text: str, section: str, name: str) -> str:
    """Remove the table `[section.name]`, and `[section]` when nothing else is in it."""
    document = _parse(text)
    holder = document.get(section)
    if not isinstance(holder, MutableMapping) or name not in holder:
        return text
    del holder[name]
    if not holder:
        del document[section]
    return tomlkit.dumps(document)


def _parse(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise Unreadable(str(error)) from error


def _table(values: Mapping[str, object]) -> Table:
    made = tomlkit.table()
    for name, value in values.items():
        made[name] = value
    return made


def _plain(table: Mapping[str, object]) -> dict[str, object]:
    return {name: value.unwrap() if hasattr(value, "unwrap") else value for name, value in table.items()}
