"""The one door to google-re2: patterns are compiled on first use and kept.

Importing re2 costs several milliseconds, and every compiled pattern a tenth of one: a short-lived process
pays for neither until a literal says that a pattern could match. Matching is on bytes in Latin-1 mode, so
any text, lone surrogates included, can be searched. No pattern belongs here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A found secret: where it starts, where it ends, and the name of the rule that found it.
Match = tuple[int, int, str]

_regexes: dict[str, Any] = {}


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
