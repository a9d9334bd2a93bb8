"""How a text is searched: google-re2 behind one door, and lines as a tool shows them.

Importing re2 costs several milliseconds, and every compiled pattern a tenth of one: patterns are compiled on first
use and kept, and a short-lived process pays for neither until a literal says that a pattern could match. Matching
is on bytes in Latin-1 mode, so any text, lone surrogates included, can be searched. No pattern of a secret belongs
here.

Lines may stand behind gutters: line numbers, file names, log stamps, diff or quote marks. What stands behind a
gutter is judged by the callers.
"""

from collections.abc import Iterator
from typing import Any

# A found secret: where it starts, where it ends, and the name of the rule that found it.
Match = tuple[int, int, str]

_regexes: dict[str, Any] = {}

# A number with its mark, as `cat -n`, editors and agents' readers print it, or the mark of a diff or a quotation.
GUTTER = r"(?:[ \t]*(?:L?[0-9]{1,6}(?:[ \t]*(?:\xe2\x86\x92|[|:>)])|\t)|[+>|]))?"


def regex(pattern: str) -> Any:
    """Return the pattern ready to search bytes."""
    ready = _regexes.get(pattern)
    if ready is None:
        ready = _regexes[pattern] = _compile(pattern)
    return ready


def scan(pattern: str, data: bytes) -> list[tuple[int, int]]:
    """Return the span of group 1 of every match; patterns end with it, so a delimiter can serve twice."""
    return [match.span(1) for match in regex(pattern).finditer(data)]


def _compile(pattern: str) -> Any:
    import re2  # type: ignore[import-untyped]  # google-re2 ships no types

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return re2.compile(pattern.encode(), options)


def lines(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where each line between two places starts and ends, without its line end."""
    while start < end:
        stop = data.find(b"\n", start, end)
        stop = stop if stop >= 0 else end
        yield start, stop
        start = stop + 1


def shape_of(gutter: bytes) -> bytes:
    """Return what two gutters of one listing have in common: `  9→` and `12→` are the same."""
    words = regex(r"[A-Za-z0-9]+").sub(b"a", gutter.strip())
    return bytes(regex(r"[ \t]+").sub(b" ", words))
