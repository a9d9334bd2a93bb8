"""Private keys that span lines: PEM of every kind (also cut off before its END line), PGP, OpenSSH, PuTTY.

A key may be quoted, commented, indented, escaped into one JSON string or concatenated in source code. A
header without key material is left alone: documentation talks about it all the time.
"""

from holdfast.capture.redact.matching import Match, compiled, scan
from holdfast.capture.redact.prefilter import PRIVATE_KEYS

NAME = "private-key"

# What may stand between two lines of a key: line ends (real or escaped), quotes, comment and quote marks.
_BETWEEN = r"""(?:[\s"'`+,;:>|#*.\\]|\\[nrt]|//)*"""
_ARMOUR = r"(?:[A-Za-z-]+: [^\n\\]{1,100}" + _BETWEEN + ")*"
_BODY = _BETWEEN + _ARMOUR + r"[A-Za-z0-9+/=_-]{16,}(?:" + _BETWEEN + r"[A-Za-z0-9+/=]{16,})*"
_TAIL = r"(?:" + _BETWEEN + r"[A-Za-z0-9+/]{1,64}={1,2})?"  # a short last line is known by its padding
_HEADER = r"-----BEGIN ?[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_TRUNCATED = _HEADER + _BODY + _TAIL
_PUTTY = r"Private-Lines: ?[0-9]+((?:\s+[A-Za-z0-9+/=]{16,})+)"
_BARE_OPENSSH = r"(b3BlbnNzaC1rZXktdjEA[A-Za-z0-9+/=]{20,}(?:" + _BETWEEN + r"[A-Za-z0-9+/=]{16,})*)"
# The base64 of "-----BEGIN " followed by RSA, EC, DSA, OPENSSH, ENCRYPTED, PRIVATE or PGP PRIVATE.
_ENCODED = (
    r"(LS0tLS1CRUdJTi(?:BSU0EgUFJJ|BFQyBQUklW|BEU0EgUFJJ|BPUEVOU1NI|BFTkNSWVBU|BQUklWQVRF|BQR1AgUFJJ)"
    r"[A-Za-z0-9+/=]{16,})"
)
_END = b"-----END"
_LONGEST_KEY = 20_000


def find(data: bytes) -> list[Match]:
    """Return the spans of private keys."""
    spans = _pem(data)
    for literal, pattern in zip(PRIVATE_KEYS[1:], (_PUTTY, _BARE_OPENSSH, _ENCODED), strict=True):
        if literal in data:
            spans += [(start, end, NAME) for start, end in scan(pattern, data)]
    return spans


def _pem(data: bytes) -> list[Match]:
    spans: list[Match] = []
    if PRIVATE_KEYS[0] not in data:
        return spans
    position = 0
    while found := compiled(_TRUNCATED).search(data, position):
        start, end = found.span()
        spans.append((start, _end_line(data, start, end), NAME))
        position = max(end, spans[-1][1])
    return spans


def _end_line(data: bytes, start: int, end: int) -> int:
    """Move the end of a key behind its END line, when one follows before the next key begins."""
    limit = data.find(b"-----BEGIN", start + 10, start + _LONGEST_KEY)
    marker = data.find(_END, start, limit if limit > 0 else start + _LONGEST_KEY)
    if marker < 0:
        return end
    close = data.find(b"-----", marker + len(_END), marker + 80)
    return max(end, close + 5 if close > 0 else marker + len(_END))
