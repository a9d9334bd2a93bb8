"""A settings file as text: one key set or removed, every other line left as it stands. Pure.

An editor of lines, not of TOML: what it made is parsed, and refused unless just that key changed.
"""

import json
import re

from holdfast.errors import ConfigError
from holdfast.settings.schema import SettingValue, parse

_HEADER = re.compile(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$")
_KEY = re.compile(r"(\s*[A-Za-z0-9_.\-\"' ]+?\s*=\s*)")
_REST = re.compile(r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^#"'])*?(\s*#.*)?$""")


def with_key(text: str, key: str, value: SettingValue, origin: str) -> str:
    """Return the text with a key set: in its line, else in its section, else in a new section at the end."""
    section, _, name = key.partition(".")
    lines = text.splitlines()
    written = f"{name} = {_written(value)}"
    places = _places(lines)
    if key in places:
        lines[places[key]] = _replaced(lines[places[key]], value)
    elif (last := _end_of(lines, section)) is not None:
        lines.insert(last + 1, written)
    else:
        lines += ([""] if lines and lines[-1].strip() else []) + [f"[{section}]", written]
    read_back = list(value) if isinstance(value, tuple) else value
    return _checked(text, lines, {**parse(text, origin), key: read_back}, key, origin)


def without_key(text: str, key: str, origin: str) -> str:
    """Return the text without a key; the same text when it holds none."""
    held = parse(text, origin)
    if key not in held:
        return text
    lines = text.splitlines()
    place = _places(lines).get(key)
    if place is not None:
        del lines[place]
    return _checked(text, lines, {name: one for name, one in held.items() if name != key}, key, origin)


def _checked(text: str, lines: list[str], wanted: dict[str, object], key: str, origin: str) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    made = "".join(line + end for line in lines)
    try:
        if parse(made, origin) == wanted:
            return made
    except ConfigError:
        pass
    raise ConfigError(
        key=key, problem="stands in a form that only a person can edit; do it by hand", origin=origin
    )


def _places(lines: list[str]) -> dict[str, int]:
    """Return the line of each key, by its whole name."""
    places = {}
    section = ""
    for number, line in enumerate(lines):
        header, key = _HEADER.match(line), _KEY.match(line)
        if header:
            section = _bare(header[1]) + "."
        elif key:
            places[section + _bare(key[1])] = number
    return places


def _end_of(lines: list[str], section: str) -> int | None:
    """Return the last line of a section that says something, its header at least."""
    last = None
    inside = False
    for number, line in enumerate(lines):
        header = _HEADER.match(line)
        if header:
            inside = _bare(header[1]) == section
        if inside and (header or _KEY.match(line)):
            last = number
    return last


def _replaced(line: str, value: SettingValue) -> str:
    """Return a line with another value; a comment behind it stays."""
    key = _KEY.match(line)
    start = key.end() if key else 0
    rest = _REST.match(line, start)
    return line[:start] + _written(value) + (rest[1] or "" if rest else "")


def _bare(name: str) -> str:
    return re.sub(r"[\s\"'=]", "", name)


def _written(value: SettingValue) -> str:
    return json.dumps(value, ensure_ascii=False)
