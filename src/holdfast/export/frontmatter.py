"""The block between `---` lines at the top of a Markdown file: names and values, in the simple part of YAML.

Texts, numbers, true and false, lists in brackets or with dashes, JSON objects. Whatever else YAML can do is taken
as text: a file that anybody may have written needs no anchors, tags or aliases.
"""

import json
import re
from collections.abc import Mapping

Value = str | int | float | bool | None | list[str] | dict[str, object]

_FENCE = re.compile(r"---[ \t]*\n(?P<block>(?:.*\n)*?)---[ \t]*(?:\n|$)")
_NAMED_VALUE = re.compile(r"(?P<name>[A-Za-z_][\w .-]*?)\s*:(?:\s+(?P<value>.*))?$")
_ITEM = re.compile(r"\s*-\s+(?P<value>.*)$")
_NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,18})?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_PLAIN = re.compile(r"[A-Za-z/][\w ./@()+-]*")


def split(text: str) -> tuple[dict[str, Value], str]:
    """Return the values at the top of a file, and the text below them; none where there is no such block."""
    match = _FENCE.match(text)
    return (_values(match["block"]), text[match.end() :]) if match else ({}, text)


def join(values: Mapping[str, Value], body: str) -> str:
    """Return a file with values at its top; what is read back from it is the same."""
    lines = [f"{name}: {_write_value(value)}".rstrip() for name, value in values.items()]
    return "\n".join(["---", *lines, "---", "", body.rstrip("\n")]) + "\n"


def _values(block: str) -> dict[str, Value]:
    values: dict[str, Value] = {}
    last = None
    for line in block.split("\n"):
        item = _ITEM.match(line)
        name_match = None if line[:1].isspace() else _NAMED_VALUE.match(line)
        if item and last is not None:
            before = values[last]
            values[last] = [*(before if isinstance(before, list) else []), str(_read_value(item["value"]))]
        elif name_match:
            last = name_match["name"]
            values[last] = _read_value(name_match["value"] or "")
    return values


def _read_value(text: str) -> Value:
    text = text.strip()
    if text in _WORDS:
        return _WORDS[text]
    if text[:1] in ('"', "[", "{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, str | dict):
            return value
        if isinstance(value, list):
            return [str(element) for element in value]
    if text.startswith("[") and text.endswith("]"):
        return [_unquote(element) for element in text[1:-1].split(",") if element.strip()]
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return _unquote(text)


def _unquote(text: str) -> str:
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] == "'"
    return text[1:-1].replace("''", "'") if is_quoted else text.strip('"') if text.startswith('"') else text


def _write_value(value: Value) -> str:
    """Write a value so that any reader of YAML takes it as it was meant."""
    match value:
        case None:
            return ""
        case str() if _PLAIN.fullmatch(value) and value.strip() == value and value.lower() not in _RESERVED_WORDS:
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)


_RESERVED_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
