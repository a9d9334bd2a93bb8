"""Tokens broken over lines or string literals: wrapped text, `"ghp_abc" + "def"`, a backslash at the line's
end.

Only rules with a literal mark are tried, only where that mark stands, and only with breaks that the plain
search could not cross; the fewest breaks that make a whole token win, so that the next line's words stay
untouched.
"""

from __future__ import annotations

from holdfast.capture.text.redact.matching import Match, regex
from holdfast.capture.text.redact.placeholders import is_specimen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.capture.text.redact.rules.notation import Rule

# The end of a line with its indentation and quote or comment marks, or the seam between two string literals.
_BREAK = (
    r"[\"'`]?[ \t]*[+.&]?[ \t]*\\?\r?\n[ \t]*(?:[>|#*+]+[ \t]*|//[ \t]*)?[+.&]?[ \t]*[\"'`]?"
    r"|[\"'`][ \t]*[+.&]?[ \t]*[\"'`]|(?:\\r)?\\n"
)
_WINDOW = 700
_MOST_BREAKS = 6
_MOST_OCCURRENCES = 60
# Shorter marks are parts of too many words.
_SHORTEST_MARK = 4


def find(data: bytes, rules: list[Rule], matches: list[Match]) -> list[Match]:
    """Return the spans of tokens that only appear once the breaks are taken out."""
    spans: list[Match] = []
    taken_starts = {start for start, _, _ in matches}
    budget = _MOST_OCCURRENCES
    for name, literals, pattern in rules:
        for literal in literals:
            mark = literal.encode("ascii")
            position = data.find(mark) if len(mark) >= _SHORTEST_MARK else -1
            while position >= 0 and budget:
                if position not in taken_starts and not data[position - 1 : position].isalnum():
                    budget -= 1
                    if end := _whole_token(data, position, pattern):
                        spans.append((position, end, name))
                position = data.find(mark, position + len(mark))
    return spans


def _whole_token(data: bytes, start: int, pattern: str) -> int:
    """Return where the token that starts here ends when breaks are ignored, or 0."""
    window = data[start : start + _WINDOW]
    seams: list[tuple[int, int]] = [seam.span() for seam in regex(_BREAK).finditer(window)]
    token = b""
    place = 0
    for number, (seam_start, seam_end) in enumerate(seams[:_MOST_BREAKS]):
        piece = window[place:seam_start]
        if b" " in piece:
            return 0
        token += piece
        place = seam_end
        stop = seams[number + 1][0] if number + 1 < len(seams) else len(window)
        match = regex(pattern).match(b"\n" + token + window[place:stop])
        if match and match.end(1) - 1 > len(token) and not is_specimen(match.group(1).decode("latin-1")):
            return start + place + int(match.end(1)) - 1 - len(token)
    return 0
