"""What the user lets through: literal texts, and between slashes regular expressions."""

from __future__ import annotations

from holdfast.capture.text.redact.matching import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def spans(data: bytes, allow: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where allowed text stands."""
    for entry in allow:
        if _is_pattern(entry):
            yield from (match.span() for match in regex(entry[1:-1]).finditer(data) if match.group())
        else:
            yield from _occurrences(data, entry.encode("utf-8", "surrogatepass"))


def problem_with(entry: str) -> str | None:
    """Say what is wrong with an entry, or None."""
    if not _is_pattern(entry):
        return None
    try:
        regex(entry[1:-1])
    except Exception as error:  # re2 has its own, and must not be imported to name it
        return f"{entry} is not a regular expression ({error})"
    return None


def _is_pattern(entry: str) -> bool:
    return len(entry) > 2 and entry.startswith("/") and entry.endswith("/")


def _occurrences(data: bytes, text: bytes) -> Iterator[tuple[int, int]]:
    position = data.find(text) if text else -1
    while position >= 0:
        yield position, position + len(text)
        position = data.find(text, position + len(text))
