"""Private keys that span lines: PEM of every kind (also cut off at either end), PGP, OpenSSH, PuTTY.

A key may be quoted, commented, indented, concatenated in source code, or shown behind a gutter: line numbers, file
names, log stamps. A header without key material is left alone: documentation talks about it all the time.
"""

from __future__ import annotations

from holdfast.capture.text.redact.matching import Match, lines, regex, shape_of
from holdfast.capture.text.redact.prefilter import PRIVATE_KEYS
from holdfast.capture.text.redact.shape import is_random

NAME = "private-key"

_MARK = r"-{4,5} ?(?:BEGIN|END) ?[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
# What may stand between two lines of a key: line ends (real or escaped), quotes, comment and quote marks.
_BETWEEN = r"""(?:[\s"'`+,;:>|#*.\\]|\\[nrt]|//)*"""
_FIELD = r"(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|MessageID): ?[^\n\\]{1,100}"
_BODY = (
    _BETWEEN + "(?:" + _FIELD + _BETWEEN + ")*[A-Za-z0-9+/=_-]{16,}"
    "(?:" + _BETWEEN + "[A-Za-z0-9+/=]{16,})*(?:" + _BETWEEN + "[A-Za-z0-9+/]{1,64}={1,2})?"
)  # a short last line is known by its padding
_RUN = r"[A-Za-z0-9+/]{16,}={0,2}"
# A line of a key: a gutter, the run that ends the line, and what closes a string or a table cell.
_MATERIAL = (
    r"^(|.{0,160}?[^A-Za-z0-9+/=])([A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]{1,15}={1,2})[^A-Za-z0-9+/=]{0,12}$"
)
# The base64 of "-----BEGIN " followed by RSA, EC, DSA, OPENSSH, ENCRYPTED, PRIVATE or PGP PRIVATE.
_ENCODED_MARK = r"LS0tLS1CRUdJTi(?:BSU0EgUFJJ|BFQyBQUklW|BEU0EgUFJJ|BPUEVOU1NI|BFTkNSWVBU|BQUklWQVRF|BQR1AgUFJJ)"
# Markers behind which a key follows to where its lines end.
_OPENING_MARKS = (r"Private-Lines: ?[0-9]+", r"b3BlbnNzaC1rZXktdjEA", _ENCODED_MARK)
_LONGEST_KEY = 40_000
"""The bytes of an RSA key of 16,384 bits behind log stamps."""
_LONGEST_GUTTER = 200
_FIELDS = 6  # lines that PEM and PGP write before the key itself, an empty one included


def find(data: bytes) -> list[Match]:
    """Return the spans of private keys."""
    spans = _pem(data) if PRIVATE_KEYS[0] in data else []
    for literal, marker in zip(PRIVATE_KEYS[1:], _OPENING_MARKS, strict=True):
        if literal in data:
            spans += _unclosed_keys(data, marker)
    return spans


def _pem(data: bytes) -> list[Match]:
    """Return keys between their marks, keys without their end, and keys without their beginning."""
    marks = [match.span() for match in regex(_MARK).finditer(data)]
    spans: list[Match] = []
    free = 0
    for number, (start, behind) in enumerate(marks):
        following = marks[number + 1] if number + 1 < len(marks) else (len(data), len(data))
        if start < free:
            continue
        if b"BEGIN" in data[start:behind]:
            free = _closed_end(data, behind, following) or _body_end(data, behind, following[0])
            if free > behind:
                spans.append((start, free, NAME))
        elif (first := _body_start(data, max(free, start - _LONGEST_KEY), start)) < start:
            spans.append((first, behind, NAME))
        free = max(free, behind)
    return spans


def _closed_end(data: bytes, behind: int, following: tuple[int, int]) -> int:
    """Return the end of the END mark that closes a key, whatever stands in front of its lines; 0 without one."""
    start, end = following
    if start - behind > _LONGEST_KEY or b"BEGIN" in data[start:end] or start == len(data):
        return 0
    runs = regex(_RUN).finditer(data, behind, start)
    return end if any(is_random(_text(run.group())) for run in runs) else 0


def _unclosed_keys(data: bytes, marker: str) -> list[Match]:
    """Return keys that have a mark at their beginning only."""
    spans: list[Match] = []
    for match in regex(marker).finditer(data):
        if spans and match.start() < spans[-1][1]:
            continue
        in_key = data[match.end() - 1 : match.end()].isalpha()  # the mark is the beginning of the key
        start = match.start() if in_key else match.end()
        if (end := _body_end(data, start, len(data))) > match.end():
            spans.append((start, end, NAME))
    return spans


def _body_end(data: bytes, start: int, limit: int) -> int:
    """Return where the key material behind a mark ends, or the place of the mark."""
    limit = min(limit, start + _LONGEST_KEY)
    plain = regex(_BODY).match(data, start, limit)
    return max(plain.end() if plain else start, _listed_end(data, start, limit))


def _listed_end(data: bytes, start: int, limit: int) -> int:
    """Follow key material line by line behind gutters of one shape."""
    end, field_lines, shape = start, 0, None
    for first, last in lines(data, start, limit):
        match = regex(_MATERIAL).match(data[first:last])
        if match and first > start and not regex(_FIELD).search(data[first:last]):
            if shape not in (None, shape_of(match.group(1))) or not (shape or is_random(_text(match.group(2)))):
                break
            end, shape = first + match.end(2), shape_of(match.group(1))
        elif shape is not None or field_lines == _FIELDS or last - first > _LONGEST_GUTTER:
            break
        else:
            field_lines += 1
    return end


def _body_start(data: bytes, floor: int, end: int) -> int:
    """Return where the key material before an END mark starts, or the place of the mark."""
    start, shape = end, None
    for first, last in reversed(list(lines(data, floor, data.rfind(b"\n", floor, end) + 1))):
        match = regex(_MATERIAL).match(data[first:last])
        if not match or shape not in (None, shape_of(match.group(1))):
            break
        start, shape = first + match.start(2), shape_of(match.group(1))
    return start


def _text(run: bytes) -> str:
    return run.decode("latin-1")
