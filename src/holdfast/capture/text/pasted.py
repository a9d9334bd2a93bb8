"""What in a message nobody said: logs, stack traces, terminals, tool transcripts, documents, templates.

Recognised by shape, line by line, never by subject. What is left is talk; it is cut into sentences in `prose`.
"""

import re
from collections.abc import Sequence

from holdfast.model.patterns import regex

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
_HEADING = regex(r"\s{0,3}#{1,6}\s+\S")

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
        place for place, (start, end) in enumerate(lines) if _HEADING.match(text[start : min(end, start + 80)])
    ]
    long = len(headings) >= 2 and len(text) - lines[headings[0]][0] >= DOCUMENT_CHARS
    return headings[0] if len(headings) >= HEADINGS or long else len(lines)
