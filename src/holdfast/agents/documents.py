"""Changing JSON with comments, and TOML, as text: what is not ours stays where it is, to the byte.

A member of a JSON object owns its name, its value, what stands between them, and one comma. It owns no comment:
somebody wrote that. Of TOML comments, order and layout stay, and every value that is not ours.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, MutableMapping

import tomlkit
from msgspec import Struct, field
from tomlkit.exceptions import TOMLKitError

Path = tuple[str, ...]

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_REMARK = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)(?=[ \t]*\r?\n)")
_LINE_REST = re.compile(r"[ \t]*(?:\r?\n|$)")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_PLAIN = re.compile(r"[^\s,\]}/]+")
_DEFAULT_INDENT = "  "


class Unreadable(ValueError):
    """A text that is not what it should be; says where, and what is wrong."""


class Node(Struct):
    """A value and where it stands; of an object or an array, what is in it."""

    start: int
    end: int = 0
    opener: str = ""
    """`{` or `[`; empty for anything else."""
    parts: list["JsonPart"] = field(default_factory=list)

    def member(self, name: str) -> "JsonPart | None":
        """Return a member of an object; of several with one name the last, which is the one that counts."""
        matches = [part for part in self.parts if part.name == name]
        return matches[-1] if matches else None


class JsonPart(Struct):
    """A member of an object or an item of an array, from its name to its value, and the comma after it."""

    start: int
    value: Node
    name: str | None = None
    comma: int | None = None


def loads(text: str) -> object:
    """Return the value of a text; nothing at all is an empty object."""
    return _value_of(text, parse(text)) if _tree(text) else {}


def parse(text: str) -> Node:
    """Return where everything stands in a text."""
    reader = _Reader(text)
    node = reader.value()
    reader.blank()
    if reader.place != len(text):
        raise reader.problem("something follows the value")
    return node


def with_member(text: str, path: Path, value: object) -> str:
    """Set a member, making the objects above it where there are none."""
    return _with(text, path, lambda document, node: _set_member(document, node, path[-1], value), "{")


def with_item(text: str, path: Path, value: object) -> str:
    """Append an item to an array, making it and the objects above it where there are none."""
    return _with(text, (*path, ""), lambda document, node: _add(document, node, None, value), "[")


def without_member(text: str, path: Path) -> str:
    """Remove a member, where there is one."""
    holder = find(text, path[:-1])
    part = holder.member(path[-1]) if holder else None
    return _without(text, holder, part) if holder and part else text


def without_items(text: str, path: Path, is_ours: Callable[[object], bool]) -> str:
    """Remove the items of an array that are ours."""
    while True:
        array = find(text, path)
        own_parts = [part for part in array.parts if is_ours(_value_of(text, part.value))] if array else []
        if not array or not own_parts:
            return text
        text = _without(text, array, own_parts[-1])


def without_nested(text: str, path: Path, name: str, is_ours: Callable[[object], bool]) -> str:
    """Remove what is ours from the lists that the items of an array have by a name, and an item left with none."""
    array = find(text, path)
    for group in reversed(array.parts if array and array.opener == "[" else []):
        inner = group.value.member(name) if group.value.opener == "{" else None
        parts = inner.value.parts if inner and inner.value.opener == "[" else []
        own_parts = [part for part in parts if is_ours(_value_of(text, part.value))]
        if array and inner and own_parts and len(own_parts) == len(parts):
            text = _without(text, array, group)
            return without_nested(text, path, name, is_ours)
        if inner and own_parts:
            text = _without(text, inner.value, own_parts[-1])
            return without_nested(text, path, name, is_ours)
    return text


def find(text: str, path: Path) -> Node | None:
    """Return the value at a path, None where there is none."""
    node = _tree(text)
    for name in path:
        part = node.member(name) if node and node.opener == "{" else None
        if part is None:
            return None
        node = part.value
    return node


def items(text: str, path: Path) -> Iterator[object]:
    """Yield the items of an array."""
    array = find(text, path)
    if array and array.opener == "[":
        yield from (_value_of(text, part.value) for part in array.parts)


def empty(node: Node | None) -> bool:
    """Say whether a value is an object or array with nothing in it."""
    return node is not None and bool(node.opener) and not node.parts


def _tree(text: str) -> Node | None:
    return parse(text) if text.lstrip("\ufeff").strip() else None


def _with(text: str, path: Path, change: Callable[[str, Node], str], opener: str) -> str:
    """Descend to the holder of a path's last name, making what is missing, and change it there."""
    if _tree(text) is None:
        text = text + "{}\n"
    for depth in range(len(path) - 1):
        above = find(text, path[:depth])
        last = depth == len(path) - 2
        if above is None or above.opener != "{":
            raise Unreadable(f"{'.'.join(path[:depth])} is not an object")
        if above.member(path[depth]) is None:
            text = _add(text, above, path[depth], [] if last and opener == "[" else {})
    holder = find(text, path[:-1])
    if holder is None or holder.opener != opener:
        expected_shape = "an object" if opener == "{" else "a list"
        raise Unreadable(f"{'.'.join(path[:-1]) or 'the whole'} is not {expected_shape}")
    return change(text, holder)


def _set_member(text: str, holder: Node, name: str, value: object) -> str:
    part = holder.member(name)
    if part is None:
        return _add(text, holder, name, value)
    literal = _render_value(value, text, _line_indent(text, part.start))
    return text[: part.value.start] + literal + text[part.value.end :]


def _add(text: str, holder: Node, name: str | None, value: object) -> str:
    """Put a new part behind the last one, on a line of its own where the others have theirs."""
    inline = bool(holder.parts) and "\n" not in text[holder.start : holder.parts[0].start]
    outer = _line_indent(text, holder.start)
    inner = _line_indent(text, holder.parts[0].start) if holder.parts and not inline else outer + _indent(text)
    key = "" if name is None else f"{json.dumps(name, ensure_ascii=False)}: "
    if inline:
        literal = key + json.dumps(value, ensure_ascii=False)
        last = holder.parts[-1]
        place = last.comma + 1 if last.comma is not None else last.value.end
        return text[:place] + ("" if last.comma is not None else ",") + f" {literal}" + text[place:]
    line = _line_end(text)
    literal = line + inner + key + _render_value(value, text, inner)
    if not holder.parts:
        inside = text[holder.start + 1 : holder.end - 1]
        rest = inside.rstrip() if inside.strip() else ""
        return text[: holder.start + 1] + rest + literal + line + outer + text[holder.end - 1 :]
    last = holder.parts[-1]
    if last.comma is not None:
        place = _after_remark(text, last.comma + 1)
        return text[:place] + literal + "," + text[place:]
    end = last.value.end
    place = _after_remark(text, end)
    return text[:end] + "," + text[end:place] + literal + text[place:]


def _after_remark(text: str, place: int) -> int:
    """Return the end of a comment that stands behind a part on its line: it belongs to that part."""
    match = _REMARK.match(text, place)
    return match.end() if match else place


def _without(text: str, holder: Node, part: JsonPart) -> str:
    """Cut out a part, and see that nothing but it is gone."""
    remaining_text = _cut_part(text, holder, part)
    if loads(remaining_text) != _value_of(text, parse(text), part.start):
        raise Unreadable("our entry cannot be removed without changing something else")
    return remaining_text


def _cut_part(text: str, holder: Node, part: JsonPart) -> str:
    """Cut out a part with the blanks before it and one comma; the line end before it only with its whole line."""
    start = part.start
    while start > holder.start + 1 and text[start - 1] in " \t":
        start -= 1
    end = part.value.end
    if text[start - 1] == "\n":
        after = end if part.comma is None else part.comma + 1
        if _LINE_REST.match(text, after):
            start -= 2 if text[start - 2 : start] == "\r\n" else 1
        else:
            start = part.start
    if part.comma is not None:
        return _close_holder(text[:start], text[end : part.comma] + text[part.comma + 1 :], holder)
    place = holder.parts.index(part)
    comma = holder.parts[place - 1].comma if place else None
    if comma is None:
        return _close_holder(text[:start], text[end:], holder)
    return text[:comma] + text[comma + 1 : start] + text[end:]


def _close_holder(head: str, tail: str, holder: Node) -> str:
    """Let a holder with nothing left in it end where it began."""
    alone = len(holder.parts) == 1 and len(head) == holder.start + 1
    return head + (tail.lstrip() if alone and tail.lstrip()[:1] in ("}", "]") else tail)


def _render_value(value: object, text: str, indent: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=_indent(text)).split("\n")
    return (_line_end(text) + indent).join(lines)


def _indent(text: str) -> str:
    """Return what a file's author indents by: what the first member of the whole has."""
    tree = _tree(text)
    if tree and tree.parts and "\n" in text[tree.start : tree.parts[0].start]:
        return _line_indent(text, tree.parts[0].start) or _DEFAULT_INDENT
    return _DEFAULT_INDENT


def _line_indent(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))].lstrip("\ufeff")


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _value_of(text: str, node: Node, without: int | None = None) -> object:
    """Return a value, if need be without the part that begins at a place."""
    parts = [part for part in node.parts if part.start != without]
    if node.opener == "{":
        return {part.name: _value_of(text, part.value, without) for part in parts}
    if node.opener == "[":
        return [_value_of(text, part.value, without) for part in parts]
    value: object = json.loads(text[node.start : node.end], strict=False)
    return value


class _Reader:
    """Reads values one after the other, passing over blanks and comments."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 1 if text.startswith("\ufeff") else 0

    def value(self) -> Node:
        self.blank()
        node = Node(self.place)
        char = self.text[self.place : self.place + 1]
        if char in ("{", "["):
            node.opener = char
            self.place += 1
            self._parts(node, "}" if char == "{" else "]")
        else:
            self._scalar()
        node.end = self.place
        return node

    def blank(self) -> None:
        match = _BLANK.match(self.text, self.place)
        self.place = match.end() if match else self.place

    def problem(self, problem: str) -> Unreadable:
        line = self.text.count("\n", 0, self.place) + 1
        return Unreadable(f"line {line}: {problem}")

    def _parts(self, node: Node, closer: str) -> None:
        while True:
            self.blank()
            if self.text[self.place : self.place + 1] == closer:
                self.place += 1
                return
            if node.parts and node.parts[-1].comma is None:
                raise self.problem(f"a comma or {closer} is missing")
            start = self.place
            name = self._name() if closer == "}" else None
            part = JsonPart(start, self.value(), name)
            self.blank()
            if self.text[self.place : self.place + 1] == ",":
                part.comma = self.place
                self.place += 1
            node.parts.append(part)

    def _name(self) -> str:
        match = _STRING.match(self.text, self.place)
        if not match:
            raise self.problem("a name in quotes is missing")
        self.place = match.end()
        self.blank()
        if self.text[self.place : self.place + 1] != ":":
            raise self.problem("a colon is missing")
        self.place += 1
        return str(json.loads(match[0], strict=False))

    def _scalar(self) -> None:
        match = _STRING.match(self.text, self.place) or _PLAIN.match(self.text, self.place)
        try:
            json.loads(match[0] if match else "", strict=False)
        except ValueError:
            raise self.problem("a value is missing, or is not JSON") from None
        self.place = match.end() if match else self.place


# ── TOML ───────────────────────────────────────────────────────────────────────────────────────────────────────

_HEADER = re.compile(r"\s*\[\[?[^\[\]]+\]\]?\s*(?:#.*)?$")
_SILENT = re.compile(r"\s*(?:#.*)?$")


def with_table(text: str, section: str, name: str, values: Mapping[str, object]) -> str:
    """Set the table `[section.name]`; one that says the same already is left as it is written.

    A table that is missing goes to the end: anywhere else the keys that follow it would become its own.
    """
    holder = _toml_section(_toml_values(text), section)
    if holder.get(name) == dict(values):
        return text
    text = without_table(text, section, name)
    new_text = _append_table(text, f"[{section}.{name}]\n{tomlkit.dumps(values)}")
    expected_document = _toml_values(text)
    expected_document[section] = {**_toml_section(expected_document, section), name: dict(values)}
    try:
        parsed_document = _toml_values(new_text)
    except Unreadable as error:
        raise Unreadable(f"{section} takes no table [{section}.{name}] as it is written: {error}") from error
    if parsed_document != expected_document:
        raise Unreadable(f"[{section}.{name}] cannot be added without changing something else")
    return new_text


def table(text: str, section: str, name: str) -> dict[str, object] | None:
    """Return what the table `[section.name]` says; None where there is none."""
    holder = _toml_values(text).get(section)
    values = holder.get(name) if isinstance(holder, dict) else None
    return values if isinstance(values, dict) else None


def without_table(text: str, section: str, name: str) -> str:
    """Remove the table `[section.name]` and those below it, from their headers to their last keys.

    A comment behind the last key is about what follows it. A table without a header goes by its keys.
    """
    values = _toml_values(text)
    holder = values.get(section)
    if not isinstance(holder, dict) or name not in holder:
        return text
    del holder[name]
    for remaining_text in (_cut_table(text, section, name), _drop_table(text, section, name)):
        try:
            if _is_same(_toml_values(remaining_text), values, section):
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
    document = _toml_document(text)
    holder = document.get(section)
    if isinstance(holder, MutableMapping):
        del holder[name]
    return tomlkit.dumps(document)


def _append_table(text: str, table: str) -> str:
    """Put a table at the end, a blank line after what is there, in the file's own line ends."""
    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    addition = gap + table
    return text + (addition.replace("\n", "\r\n") if "\r\n" in text else addition)


def _toml_section(values: Mapping[str, object], section: str) -> dict[str, object]:
    holder = values.get(section, {})
    if not isinstance(holder, dict):
        raise Unreadable(f"{section} is not a table")
    return holder


def _toml_values(text: str) -> dict[str, object]:
    """Return the values of a text; numbers with a point as written, for one of them, nan, is unlike itself."""
    try:
        return tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(str(error)) from error


def _toml_document(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise Unreadable(str(error)) from error
