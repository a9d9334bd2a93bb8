"""Lines as a tool shows them: behind line numbers, file names, log stamps, diff or quote marks.

Where lines are and what their gutters look like. What stands behind a gutter is judged by the callers.
"""

from __future__ import annotations

from holdfast.capture.text.redact.matching import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A number with its mark, as `cat -n`, editors and agents' readers print it, or the mark of a diff or a quotation.
GUTTER = r"(?:[ \t]*(?:L?[0-9]{1,6}(?:[ \t]*(?:\xe2\x86\x92|[|:>)])|\t)|[+>|]))?"


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
