"""What a plain search cannot see: tokens broken over lines or string literals, text inside a string, and base64.

Breaks are wrapped text, `"ghp_abc" + "def"`, a backslash at the line's end. Only rules with a literal mark are
tried, only where that mark stands, and only with breaks that the plain search could not cross; the fewest breaks
that make a whole token win, so that the next line's words stay untouched.

Strings are JSON in JSON, a log line with line ends written out, an attribute with `&quot;`. Escapes are undone one
layer at a time, each layer is looked through like any other text, and what is found there is traced back to where
it stands in the text as it was given. No finder has to know of escapes.

A run of base64 is decoded and, where text comes out, looked through like any other; what is found takes the run
with it. Private keys and basic credentials have finders of their own. No re2 there: most runs are not text, and
are told so by the decoder.
"""

from __future__ import annotations

from binascii import Error, a2b_base64
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import islice

from holdfast.capture.text.redact.matching import Match, regex
from holdfast.capture.text.redact.prefilter import may_be_escaped
from holdfast.capture.text.redact.rules import Rule
from holdfast.capture.text.redact.shape import is_specimen

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

_ESCAPE = r"\\(?:[\"'\\/nrt]|u00[0-7][0-9a-fA-F])|&(?:quot|apos|amp|#39|#34);"
_PLAIN = {
    b"\\n": b"\n", b"\\r": b"\r", b"\\t": b"\t",
    b"&quot;": b'"', b"&#34;": b'"', b"&apos;": b"'", b"&#39;": b"'", b"&amp;": b"&",
}  # fmt: skip
_MOST_LAYERS = 3

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_TO_SPACES = bytes(byte if byte in _ALPHABET else 32 for byte in range(256))
_STANDARD = bytes.maketrans(b"-_", b"+/")
_PRINTABLE = bytes(range(32, 127)) + b"\t\r\n"
_SHORTEST = 24
"""The base64 of 18 characters: fewer hold no token."""
_LONGEST = 8_192
_MOST_TEXTS = 200


def find_split(data: bytes, rules: list[Rule], matches: list[Match]) -> list[Match]:
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


def find_escaped(data: bytes, look: Callable[[bytes], list[Match]]) -> list[Match]:
    """Return the spans of what `look` finds in the layers below the text."""
    spans: list[Match] = []
    layers: list[_Layer] = []
    while len(layers) < _MOST_LAYERS and may_be_escaped(data):
        layers.append(_Layer(data))
        data = layers[-1].text
        spans += [(_above(layers, start), _above(layers, end), name) for start, end, name in look(data)]
    return spans


def _above(layers: list[_Layer], place: int) -> int:
    """Return where a place of the lowest layer stands in the text as it was given."""
    for layer in reversed(layers):
        place = layer.above(place)
    return place


class _Layer:
    """A text without its outermost escapes, and where its pieces stand in the text with them."""

    def __init__(self, data: bytes) -> None:
        pieces: list[bytes] = []
        self._starts, self._above = [0], [0]
        position = size = 0
        for match in regex(_ESCAPE).finditer(data):
            start, end = match.span()
            pieces += (data[position:start], _plain(data[start:end]))
            size += start - position + len(pieces[-1])
            position = end
            self._starts.append(size)
            self._above.append(end)
        self.text = b"".join([*pieces, data[position:]])

    def above(self, place: int) -> int:
        """Return where a place of this text is in the text with its escapes."""
        piece = bisect_right(self._starts, place) - 1
        return self._above[piece] + place - self._starts[piece]


def _plain(escape: bytes) -> bytes:
    if escape[:2] == b"\\u":
        return bytes((int(escape[2:], 16),))
    return _PLAIN.get(escape, escape[1:])


def find_encoded(data: bytes, look: Callable[[bytes], list[Match]]) -> list[Match]:
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
