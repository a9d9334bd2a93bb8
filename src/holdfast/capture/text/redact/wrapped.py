"""Secrets wrapped in base64: a token, a line of configuration or a JSON object that was encoded as a whole.

A run is decoded and, where text comes out, looked through like any other; what is found takes the run with it.
Private keys and basic credentials have finders of their own. No re2 here: most runs are not text, and are told so
by the decoder.
"""

from __future__ import annotations

from binascii import Error, a2b_base64
from itertools import islice

from holdfast.capture.text.redact.matching import Match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_TO_SPACES = bytes(byte if byte in _ALPHABET else 32 for byte in range(256))
_STANDARD = bytes.maketrans(b"-_", b"+/")
_PRINTABLE = bytes(range(32, 127)) + b"\t\r\n"
_SHORTEST = 24
"""The base64 of 18 characters: fewer hold no token."""
_LONGEST = 8_192
_MOST_TEXTS = 200


def find(data: bytes, look: Callable[[bytes], list[Match]]) -> list[Match]:
    """Return the spans of runs inside which `look` finds a secret, under the name of what it finds."""
    spans: list[Match] = []
    texts = ((start, end, plain) for start, end in _runs(data) if (plain := _decode(data[start:end])))
    for start, end, plain in islice(texts, _MOST_TEXTS):
        if inside := look(plain):
            spans.append((start, end, inside[0][2]))
    return spans


def _runs(data: bytes) -> Iterator[tuple[int, int]]:
    position = 0
    words = [word for word in data.translate(_TO_SPACES).split() if _SHORTEST <= len(word) <= _LONGEST]
    for word in words:
        start = data.find(word, position)
        position = start + len(word)
        end = position
        while data[end : end + 1] == b"=" and end < position + 2:
            end += 1
        yield start, end


def _decode(run: bytes) -> bytes:
    """Return the text that a run encodes, or nothing; text of one case only encodes none."""
    if run.islower() or run.isupper():
        return b""
    core = run.rstrip(b"=").translate(_STANDARD)
    try:
        plain = a2b_base64(core + b"=" * (-len(core) % 4))
    except Error:
        return b""
    return b"" if plain.translate(None, _PRINTABLE) else plain
