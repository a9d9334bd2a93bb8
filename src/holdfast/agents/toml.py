"""Changing TOML as its author wrote it: comments, order and layout stay, and every value that is not ours."""

import re
import tomllib
from collections.abc import Mapping, MutableMapping

import tomlkit
from tomlkit.exceptions import TOMLKitError

from holdfast.agents.jsonc import Unreadable

_HEADER = re.compile(r"\s*\[\[?[^\[\]]+\]\]?\s*(?:#.*)?$")
_SILENT = re.compile(r"\s*(?:#.*)?$")


def with_table(text: str, section: str, name: str, values: Mapping[str, object]) -> str:
    """Set the table `[section.name]`; one that says the same already is left as it is written.

    A table that is missing goes to the end: anywhere else the keys that follow it would become its own.
    """
    holder = _holder(_loads(text), section)
    if holder.get(name) == dict(values):
        return text
    text = without_table(text, section, name)
    new_text = _append_table(text, f"[{section}.{name}]\n{tomlkit.dumps(values)}")
    expected_document = _loads(text)
    expected_document[section] = {**_holder(expected_document, section), name: dict(values)}
    try:
        parsed_document = _loads(new_text)
    except Unreadable as error:
        raise Unreadable(f"{section} takes no table [{section}.{name}] as it is written: {error}") from error
    if parsed_document != expected_document:
        raise Unreadable(f"[{section}.{name}] cannot be added without changing something else")
    return new_text


def table(text: str, section: str, name: str) -> dict[str, object] | None:
    """Return what the table `[section.name]` says; None where there is none."""
    holder = _loads(text).get(section)
    values = holder.get(name) if isinstance(holder, dict) else None
    return values if isinstance(values, dict) else None


def without_table(text: str, section: str, name: str) -> str:
    """Remove the table `[section.name]` and those below it, from their headers to their last keys.

    A comment behind the last key is about what follows it. A table without a header goes by its keys.
    """
    values = _loads(text)
    holder = values.get(section)
    if not isinstance(holder, dict) or name not in holder:
        return text
    del holder[name]
    for remaining_text in (_cut_table(text, section, name), _drop_table(text, section, name)):
        try:
            if _is_same(_loads(remaining_text), values, section):
                return remaining_text
        except Unreadable:
            continue
    raise Unreadable(f"[{section}.{name}] cannot be removed without changing something else")


def _is_same(first: Mapping[str, object], second: Mapping[str, object], section: str) -> bool:
    """Say whether two files say the same; a section with nothing in it says nothing."""
    return {**first, section: first.get(section) or {}} == {**second, section: second.get(section) or {}}


def _cut_table(text: str, section: str, name: str) -> str:
    own_header = re.compile(
        rf"""\s*\[\s*["']?{re.escape(section)}["']?\s*\.\s*["']?{re.escape(name)}["']?\s*[.\]]"""
    )
    kept_lines: list[str] = []
    pending_lines: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if _HEADER.match(line):
            kept_lines, pending_lines, inside = kept_lines + pending_lines, [], bool(own_header.match(line))
        elif inside and _SILENT.match(line):
            pending_lines.append(line)
            continue
        elif inside:
            pending_lines = []
        if not inside:
            kept_lines.append(line)
    kept_lines += pending_lines
    return "".join(kept_lines)


def _drop_table(text: str, section: str, name: str) -> str:
    document = _parse(text)
    holder = document.get(section)
    if isinstance(holder, MutableMapping):
        del holder[name]
    return tomlkit.dumps(document)


def _append_table(text: str, table: str) -> str:
    """Put a table at the end, a blank line after what is there, in the file's own line ends."""
    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    addition = gap + table
    return text + (addition.replace("\n", "\r\n") if "\r\n" in text else addition)


def _holder(values: Mapping[str, object], section: str) -> dict[str, object]:
    holder = values.get(section, {})
    if not isinstance(holder, dict):
        raise Unreadable(f"{section} is not a table")
    return holder


def _loads(text: str) -> dict[str, object]:
    """Return the values of a text; numbers with a point as written, for one of them, nan, is unlike itself."""
    try:
        return tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(str(error)) from error


def _parse(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise Unreadable(str(error)) from error
