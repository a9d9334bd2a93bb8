"""A message cut into sentences: what was said, without what was shown or pasted.

Code blocks, quoted lines and tables are left out, and what nobody said: logs, stack traces, terminals, tool
transcripts, documents, templates, recognised by shape, line by line, never by subject. Offsets are those of the
message, so a sentence can be pointed at and masked later. What the sentences mean is weighed in `judge`.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from holdfast.model.patterns import regex

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

_TEMPLATE = regex(
    r"\s*(?:this session is being continued from a previous conversation"
    r"|implement the following plan\b"
    r"|base directory for this skill\b"
    r"|caveat: the messages below were generated"
    r"|please continue the conversation from where we left it off"
    r"|\[request (?:interrupted|cancelled) by (?:the )?user[^\]]*\]\s*$)",
    re.IGNORECASE,
)
"""How messages open that a client wrote: summaries of a compacted context, plans handed over, skills, notices."""

_SHAPES = regex(
    r"""\s*(?:\d+\.\d+\s)?(?:
      [\[(]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d | \[?\d{1,2}:\d\d:\d\d\b | \[\d\d/\d\d/\d\d             # a time stamp
    | \[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|NOTICE|CRITICAL)\]?[\s:\]]               # a level
    | (?:npm|yarn|pnpm)\s(?:ERR!|error\b|warn\b|notice\b|info\b) | npm\sWARN
    | [\u2139\u23e9-\u23fa\u2600-\u27bf\U0001f300-\U0001f43f\U0001f450-\U0001f5ff\U0001f680-\U0001faff]
      \ufe0f?\s\s?\S
    | Warning:\s | (?:GET|POST|PUT|PATCH|DELETE|HEAD)\s/\S*\s\d{3}\b | \S+\sgit:\(
    | (?:➜|❯|λ|✗|✓|✔|✖|⨯|●|⏺|⎿|▲|•\s(?:Packages|Running|Remote)|├|└|│|╭|╰|┌|═|─)                # marks of tools
    | (?:\$|%|>>>|\.\.\.|PS>|C:\\)\s | [\w.-]+@[\w.-]+[:\s][^\n]{0,80}[$\#%]\s | \#\d+\s\[       # prompts
    | (?:==|--)>\s | =>\s | >\s*\S
    | at\s[^\n]{1,160}[:(][^\n]*\d+\)?\s*$ | File\s"[^"\n]+",\sline\s\d+ | Traceback\s\(most
    | (?:[\w$.]+(?:Error|Exception|Warning))(?::\s|\s*$) | Caused\sby: | goroutine\s\d+ | panic:\s
    | [\w./\\@-]+\.\w{1,5}(?::\d+){1,2}(?::|\s|$) | [\w./-]+\(\d+,\d+\)
    | (?:@@|diff\s--git|index\s[0-9a-f]{6,}|[-+]{3})\s | \d+\s*[→|]\s
    | (?:On\sbranch|Your\sbranch\sis|Changes\s(?:not\sstaged|to\sbe\scommitted)|Untracked\sfiles)\b
    | </?[a-zA-Z][\w-]*(?:\s[^<>\n]*)?>\s*$ | </?(?:tool|details|summary|usage|function|command)[\w-]*
    | [{}\[\]();,]+\s*$ | [^\s:]{1,40}\s*[:=]\s*[{\["']?[^\s]{0,80}[,;{]\s*$
    | (?:Running|Building|Compiling|Bundling|Downloading|Installing|Uploading)\s[^\n]{0,80}(?:\.\.\.|…)
    )""",
    re.VERBOSE,
)
"""Lines that a program wrote."""

_PAIRS = regex(r"\b[\w.-]+=(?:\"[^\"]*\"|[^\s=\"]+)")
_CODE = regex(
    r".*(?:[;{]|=>|\(\)|\):)\s*$|\s*(?:const|let|var|import|export|def|func|return|class|if|for)\b.*[({=;].*"
)
_SYMBOLS = regex(r"[^\w\s.,!?'\"’()-]")

_PASTED_HEADING = regex(r"\s{0,3}#{1,6}\s+\S")

SYMBOLS = 0.18
"""Share of signs in a line above which it is no prose."""

HEAVY = 6
"""Lines of a program in one message from which on it is a paste with talk around it, not talk with lines in it."""

DENSE = 0.3
"""Share of a program's lines between the first and the last of them, for the same."""

HEADINGS = 3
"""Headings that make a message a document."""

DOCUMENT_CHARS = 600
"""Characters from which on two headings do."""

MOST_LINE = 400
"""Characters of a line that are looked at."""


class SentenceSpan(Struct, frozen=True):
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


class _Block(Struct, frozen=True):
    start: int
    end: int
    item: bool
    head: str
    section: int
    """How many headings stand above it."""


def sentences(text: str) -> list[SentenceSpan]:
    """Cut a message into sentences; of a very long one, its start and its end."""
    all_sentences: list[SentenceSpan] = []
    introduction, section = "", 0
    for number, block in enumerate(_blocks(text)):
        if not block.item or block.section != section:
            introduction, section = "", block.section
        for start, end in _cuts(text, block):
            piece = _WHITE.sub(" ", text[start:end])
            all_sentences.append(SentenceSpan(piece, start, end, introduction or block.head, number, block.item))
        if all_sentences and all_sentences[-1].block == number and all_sentences[-1].text.endswith(":"):
            introduction = all_sentences[-1].text
    return all_sentences


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where every sentence of every line stands, of what was shown or pasted too."""
    for start, end in _lines(text):
        yield from _cuts(text, _Block(start, end, item=False, head="", section=0))


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


def is_template(text: str) -> bool:
    """Say whether a message as a whole was written by a client, not by the person who sent it."""
    return _TEMPLATE.match(text) is not None


def unsaid(text: str, lines: Sequence[tuple[int, int]]) -> list[bool]:
    """Mark the lines of a message that nobody said."""
    if is_template(text):
        return [True] * len(lines)
    shape_flags = [_is_shaped(text[start : min(end, start + MOST_LINE)]) for start, end in lines]
    document = _document_from(text, lines)
    unsaid_flags = [line or place >= document for place, line in enumerate(shape_flags)]
    places = [place for place, line in enumerate(shape_flags) if line]
    if len(places) >= HEAVY or (len(places) > 1 and len(places) >= DENSE * (places[-1] - places[0] + 1)):
        unsaid_flags[places[0] : places[-1] + 1] = [True] * (places[-1] + 1 - places[0])
    return unsaid_flags


def _is_shaped(line: str) -> bool:
    if not line.strip():
        return False
    if _SHAPES.match(line) or len(_PAIRS.findall(line)) > 1:
        return True
    if _CODE.match(line) and (line.startswith(("  ", "\t")) or line.rstrip().endswith((";", "{", "}"))):
        return True
    bare = line.replace("`", "").replace("*", "").replace("/", "")
    return len(bare) >= 12 and len(_SYMBOLS.findall(bare)) > SYMBOLS * len(bare)


def _document_from(text: str, lines: Sequence[tuple[int, int]]) -> int:
    """Return the line where a document begins that a message hands over; behind the last when there is none."""
    headings = [
        place
        for place, (start, end) in enumerate(lines)
        if _PASTED_HEADING.match(text[start : min(end, start + 80)])
    ]
    long = len(headings) >= 2 and len(text) - lines[headings[0]][0] >= DOCUMENT_CHARS
    return headings[0] if len(headings) >= HEADINGS or long else len(lines)
