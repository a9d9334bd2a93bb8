"""Markdown in pieces: sections by heading, and the paragraphs and list items of a section. Pure.

Only what tells pieces apart is understood: headings, fenced code, list items, blank lines. Lines inside fenced
code are never taken for anything else.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

_HEADING = re.compile(r" {0,3}(?P<level>#{1,6})(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?P<mark>=+|-{2,})[ \t]*$")
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})")
_BULLET = re.compile(r" {0,3}(?P<mark>[-*+])[ \t]+(?P<text>\S.*)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class Section(Struct, frozen=True):
    """What stands below one heading, without what stands below deeper ones."""

    trail: tuple[str, ...]
    """The headings that lead to it, its own last; empty before the first heading."""
    body: str
    line: int
    """The number of the line that its body begins on."""

    @property
    def title(self) -> str:
        """Its own heading."""
        return self.trail[-1] if self.trail else ""


class Block(Struct, frozen=True):
    """A paragraph, or a list item with what belongs to it."""

    text: str
    line: int
    bullet: bool


def sections(text: str) -> list[Section]:
    """Cut a document at its headings; sections without any text are left out."""
    closed_sections: list[Section] = []
    trail: list[tuple[int, str]] = []
    body: list[tuple[int, str]] = []
    for number, line, code in _numbered_lines(text):
        heading = None if code else _HEADING.match(line)
        above = "" if code or not body else body[-1][1]
        under = _UNDERLINE.match(line) if above.strip() and not _BULLET.match(above) else None
        if heading:
            closed_sections.extend(_close_section(trail, body))
            _descend(trail, len(heading["level"]), (heading["title"] or "").strip())
            body = []
        elif under:
            closed_sections.extend(_close_section(trail, body[:-1]))
            _descend(trail, 1 if under["mark"][0] == "=" else 2, above.strip())
            body = []
        elif body or line.strip():
            body.append((number, line))
    return [*closed_sections, *_close_section(trail, body)]


def blocks(section: Section) -> Iterator[Block]:
    """Cut a section into paragraphs and top-level list items; an item keeps what is indented below it."""
    piece: list[str] = []
    bullet = False
    first, column = section.line, 0
    for number, line, code in _numbered_lines(section.body, section.line):
        item = None if code else _BULLET.match(line)
        if item and (not bullet or item.start("mark") < column):
            yield from _block(piece, first, bullet)
            piece, bullet, first, column = [item["text"]], True, number, item.start("text")
            continue
        over = bullet and piece[-1:] == [""] and line.strip() and line[:1] not in (" ", "\t")
        if not code and (over or not (line.strip() or bullet)):
            yield from _block(piece, first, bullet)
            piece, bullet, first = [], False, number
        if piece or line.strip():
            first = first if piece else number
            piece.append(line if line.strip() else "")
    yield from _block(piece, first, bullet)


def without_comments(text: str) -> str:
    """Return a text without HTML comments, which nobody sees."""
    return _COMMENT.sub("", text)


def _close_section(trail: list[tuple[int, str]], body: list[tuple[int, str]]) -> Iterator[Section]:
    text = "\n".join(line for _, line in body).rstrip()
    if text:
        yield Section(tuple(title for _, title in trail), text, body[0][0])


def _block(piece: list[str], line: int, bullet: bool) -> Iterator[Block]:
    text = "\n".join(piece).strip("\n").rstrip()
    if text.strip():
        yield Block(text, line, bullet)


def _numbered_lines(text: str, start: int = 1) -> Iterator[tuple[int, str, bool]]:
    """Hand out lines with their numbers, and whether each belongs to fenced code."""
    fence = ""
    for number, line in enumerate(text.split("\n"), start):
        mark = _FENCE.match(line.lstrip() if fence else line)
        if fence:
            closes = mark and mark["mark"].startswith(fence) and not line.strip().strip(fence[0])
            yield number, line, True
            fence = "" if closes else fence
        else:
            fence = mark["mark"] if mark else ""
            yield number, line, bool(fence)


def _descend(trail: list[tuple[int, str]], level: int, title: str) -> None:
    while trail and trail[-1][0] >= level:
        trail.pop()
    trail.append((level, title))
