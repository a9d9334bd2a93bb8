"""A message cut into sentences: what was said, without what was shown.

Code blocks, quoted lines, tables, and what `pasted` recognises as nobody's word are left out. Offsets are those of
the message, so a sentence can be pointed at and masked later. What the sentences mean is read in `reading`.
"""

import re
from collections.abc import Iterator

from holdfast.capture.text.pasted import unsaid
from holdfast.model.patterns import regex
from holdfast.model.value import Value

HEAD_READ = 16_000
TAIL_READ = 8_000
"""Characters read from the start and from the end of a message: a long one opens with its goal and closes last."""

_FENCE = regex(r"\s{0,3}(`{3,}|~{3,})(.*)")
_SHOWN_LINE = regex(r"\s*(?:>|\||\$ |>>> |\.\.\. |@@ |[-+]{3} |diff --git |Traceback \(most recent)")
_HEADING = regex(r"\s{0,3}#{1,6}\s+(?P<hash>\S.*)|\s*(?:\*\*|__)(?P<bold>[^*_]{1,80})(?:\*\*|__):?\s*$")
_ITEM = regex(r"(?P<indent>\s*)(?:[-*•+]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
_END = regex(r"[.!?…]+[\"')\]*_`”’]*(?=\s|$)")
_QUOTATION = regex(r"(?<!\w)[\"“][^\"“”\n]{12,600}[\"”]")
_ABBREVIATION = regex(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|(?<=\w )no|fig|dr|mr|ms)\.$", re.IGNORECASE)
_NUMERAL = regex(r"\s*\d{1,3}\.")
_VISIBLE = regex(r"\S")
_ABBREVIATION_READ = 12
"""Characters before a full stop in which an abbreviation is looked for."""

_WHITE = regex(r"\s+")


class Sentence(Value):
    """One sentence, and where in its message it stands."""

    text: str
    start: int
    end: int
    head: str = ""
    """The heading or the introducing line (`We agreed on:`) that it stands under."""
    block: int = 0
    """The paragraph or list item it belongs to, counted from 0."""
    item: bool = False
    """Whether it stands in a list."""


class _Block(Value):
    start: int
    end: int
    item: bool
    head: str
    section: int
    """How many headings stand above it."""


def sentences(text: str) -> list[Sentence]:
    """Cut a message into sentences; of a very long one, its start and its end."""
    all_sentences: list[Sentence] = []
    introduction, section = "", 0
    for number, block in enumerate(_blocks(text)):
        if not block.item or block.section != section:
            introduction, section = "", block.section
        for start, end in _cuts(text, block):
            piece = _WHITE.sub(" ", text[start:end])
            all_sentences.append(Sentence(piece, start, end, introduction or block.head, number, block.item))
        if all_sentences and all_sentences[-1].block == number and all_sentences[-1].text.endswith(":"):
            introduction = all_sentences[-1].text
    return all_sentences


def _blocks(text: str) -> Iterator[_Block]:
    """Yield paragraphs and list items, under their headings."""
    head, start, end, item, fence, section = "", -1, 0, False, "", 0
    lines = list(_lines(text))
    for (line_start, line_end), is_pasted in zip(lines, unsaid(text, lines), strict=True):
        line = text[line_start:line_end]
        mark = _FENCE.match(line)
        in_fence = bool(fence or mark)
        fence = _fence_after(fence, mark)
        heading = None if in_fence or is_pasted else _HEADING.match(line)
        begins = None if in_fence else _ITEM.match(line)
        is_skipped = HEAD_READ <= line_start < len(text) - TAIL_READ
        is_hidden = bool(
            is_skipped or is_pasted or in_fence or heading or not line.strip() or _SHOWN_LINE.match(line)
        )
        if start >= 0 and (is_hidden or begins):
            yield _Block(start, end, item, head, section)
            start = -1
        if heading:
            head, section = (heading["hash"] or heading["bold"]).rstrip().rstrip("#").strip("*_: "), section + 1
        if is_hidden:
            continue
        if start < 0:
            start, item = line_start + (begins.end() if begins else 0), bool(begins)
        end = line_end
    if start >= 0:
        yield _Block(start, end, item, head, section)


def _fence_after(fence: str, mark: re.Match[str] | None) -> str:
    """Return the fence that is open after a line: one is closed only by as long a one, and nothing behind it."""
    if mark is None:
        return fence
    if not fence:
        return mark[1]
    closes = mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not mark[2].strip()
    return "" if closes else fence


def _lines(text: str) -> Iterator[tuple[int, int]]:
    position, size = 0, len(text)
    while position < size:
        end = text.find("\n", position)
        end = size if end < 0 else end
        yield position, min(end, position + HEAD_READ)
        position = end + 1


def _cuts(text: str, block: _Block) -> Iterator[tuple[int, int]]:
    """Yield where sentences begin and end; who begins in lower case goes on in it, a quotation is one piece."""
    start, small = block.start, text[block.start : block.start + 1].islower()
    quotations = [match.span() for match in _QUOTATION.finditer(text, block.start, block.end)]
    for ending in _END.finditer(text, block.start, block.end):
        following = _next_character(text, ending.end(), block.end)
        if (following.islower() and not small) or (
            following and _is_abbreviation(text, start, ending.start() + 1)
        ):
            continue
        if any(first < ending.start() and ending.end() < last for first, last in quotations):
            continue
        yield from _trim(text, start, ending.end())
        start = ending.end()
    yield from _trim(text, start, block.end)


def _next_character(text: str, start: int, end: int) -> str:
    match = _VISIBLE.search(text, start, end)
    return match[0] if match else ""


def _is_abbreviation(text: str, start: int, end: int) -> bool:
    """Say whether a full stop ends a short form and not the sentence that begins at `start`."""
    read_from = max(start, end - _ABBREVIATION_READ)
    return bool(_ABBREVIATION.search(text[read_from:end])) or bool(
        read_from == start and _NUMERAL.fullmatch(text[start:end])
    )


def _trim(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end -= len(piece) - len(piece.rstrip())
    if any(character.isalnum() for character in text[start:end]):
        yield start, end
