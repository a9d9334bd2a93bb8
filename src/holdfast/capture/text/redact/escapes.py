r"""Text inside a string: JSON in JSON, a log line with `\n` in it, an attribute with `&quot;`.

Escapes are undone one layer at a time, each layer is looked through like any other text, and what is found there
is traced back to where it stands in the text as it was given. No finder has to know of escapes.
"""

from __future__ import annotations

from bisect import bisect_right

from holdfast.capture.text.redact.matching import Match, regex
from holdfast.capture.text.redact.prefilter import may_be_escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ESCAPE = r"\\(?:[\"'\\/nrt]|u00[0-7][0-9a-fA-F])|&(?:quot|apos|amp|#39|#34);"
_PLAIN = {
    b"\\n": b"\n", b"\\r": b"\r", b"\\t": b"\t",
    b"&quot;": b'"', b"&#34;": b'"', b"&apos;": b"'", b"&#39;": b"'", b"&amp;": b"&",
}  # fmt: skip
_MOST_LAYERS = 3


def find(data: bytes, look: Callable[[bytes], list[Match]]) -> list[Match]:
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
