"""From text to clean text: find every secret, settle overlaps, put typed placeholders in their place.

The finders live in their own modules (`finding` runs them); this one decides what wins where they overlap and
rewrites the text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.capture.text.redact.matching import Match

_MARK = b"[REDACTED:"
# A replacement can change what surrounds it; the text is searched again until nothing new is found.
_MOST_PASSES = 8


def redact(text: str, allow: Sequence[str] = ()) -> tuple[str, tuple[tuple[str, int], ...]]:
    """Replace secrets and personal data by typed placeholders; return the text and the (rule, count) pairs
    found.

    Nothing inside an occurrence of allowed text is touched; an entry between slashes is a regular expression. Any
    string is accepted, lone surrogates included.
    """
    from holdfast.capture.text.redact.finding import candidates  # its tables are made when a text first comes

    data = text.encode("utf-8", "surrogatepass")
    counts: dict[str, int] = {}
    for _ in range(_MOST_PASSES):
        spans = _settle_matches(data, candidates(data), allow)
        if not spans:
            break
        data = _replace_spans(data, spans)
        for _, _, name in spans:
            counts[name] = counts.get(name, 0) + 1
    if not counts:
        return text, ()
    return data.decode("utf-8", "surrogatepass"), tuple(sorted(counts.items()))


def _settle_matches(data: bytes, matches: list[Match], allow: Sequence[str]) -> list[Match]:
    """Unite overlapping spans under the most specific rule; keep placeholders and allowed text."""
    if not matches:
        return matches
    united_matches: list[tuple[int, int, int, str]] = []
    for start, end, rank, name in sorted(
        (start, end, rank, name) for rank, (start, end, name) in enumerate(matches)
    ):
        if united_matches and start < united_matches[-1][1]:
            before = united_matches[-1]
            best = (rank, name) if rank < before[2] else before[2:]
            united_matches[-1] = (before[0], max(end, before[1]), *best)
        elif start < end:
            united_matches.append((start, end, rank, name))
    spans = [(start, end, name) for start, end, _, name in united_matches]
    if not data.isascii():
        spans = [(*_whole(data, start, end), name) for start, end, name in spans]
    kept_spans = _kept_spans(data, allow)
    return _without(spans, kept_spans) if kept_spans else spans


def _kept_spans(data: bytes, allow: Sequence[str]) -> list[tuple[int, int]]:
    """Return the spans that must not change: placeholders of known rules, and allowed strings."""
    kept_spans: list[tuple[int, int]] = []
    position = data.find(_MARK)
    if position >= 0:
        from holdfast.capture.text.redact.names import RULE_NAMES

        while position >= 0:
            end = data.find(b"]", position, position + 64) + 1
            if end and data[position + len(_MARK) : end - 1].decode("latin-1") in RULE_NAMES:
                kept_spans.append((position, end))
            position = data.find(_MARK, position + 1)
    if allow:
        from holdfast.capture.text.redact.allowed import spans

        kept_spans.extend(spans(data, allow))
    return sorted(kept_spans)


def _without(spans: list[Match], kept_spans: list[tuple[int, int]]) -> list[Match]:
    """Cut the kept spans out of the others; both are in order."""
    pieces: list[Match] = []
    first = 0
    for start, end, name in spans:
        while first < len(kept_spans) and kept_spans[first][1] <= start:
            first += 1
        place, free = first, start
        while place < len(kept_spans) and kept_spans[place][0] < end:
            if kept_spans[place][0] > free:
                pieces.append((free, kept_spans[place][0], name))
            free = max(free, kept_spans[place][1])
            place += 1
        if free < end:
            pieces.append((free, end, name))
    return pieces


def _whole(data: bytes, start: int, end: int) -> tuple[int, int]:
    while start and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return start, end


def _replace_spans(data: bytes, spans: list[Match]) -> bytes:
    parts: list[bytes] = []
    position = 0
    for start, end, name in spans:
        parts += (data[position:start], _MARK, name.encode("ascii"), b"]")
        position = end
    parts.append(data[position:])
    return b"".join(parts)
