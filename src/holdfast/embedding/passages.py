"""Which texts stand for a memory or a turn in the vector index, the pieces of long ones, and their vectors.

Lives here: the choice of text, measured on the benchmark's development data; compound names taken apart, because a
sentence model reads a name it never saw as letters; overlapping pieces of long texts, and the sentences of what a
person said. Pieces are counted in characters, so they need no tokenizer and suit every embedder: English prose and
code run at 3 to 5 characters a token, East Asian scripts at one. Must not live here: storage, or which of several
vectors counts: that is always the nearest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.model.kinds import AGENT_ROLES, GENERIC_ROLES
from holdfast.model.memory import Memory
from holdfast.model.patterns import regex
from holdfast.model.session import Turn

if TYPE_CHECKING:
    from holdfast.ports import Embedder, Floats


LONGEST_BY_SENTENCE = 4_000
"""Characters up to which a person's message is embedded by the sentence too; more is a paste."""

SIZE = 800
"""Columns of a piece of a long text: about the 256 tokens that the bundled model reads."""

OVERLAP = 160
"""Columns that two neighbouring pieces share."""

SENTENCE = 240
"""Columns of a sentence; a longer one is cut."""

_WIDE = 4
"""Columns of a character of an East Asian script, which is a token by itself."""

_SPACE = regex(r"\s")
_SENTENCE_END = regex("(?<=[.!?])\\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_JOINT = regex(r"(?<=\w)[_.](?=\w)|(?<=[a-z0-9])(?=[A-Z])")


class Passages(Struct, frozen=True):
    """The texts that stand for rows, by id. `named` says that names inside them are worth taking apart."""

    texts: Mapping[str, list[str]]
    named: bool

    @property
    def count(self) -> int:
        """How many texts there are."""
        return sum(map(len, self.texts.values()))

    def one_by_one(self) -> Iterator[Passages]:
        """Hand out the rows one by one."""
        for row_id, texts in self.texts.items():
            yield Passages({row_id: texts}, self.named)

    def first(self, most: int) -> Passages:
        """Return the first rows, as many as have no more texts than this together; always one."""
        sums = accumulate(map(len, self.texts.values()))
        fit = sum(1 for total in sums if total <= most)
        return Passages(dict(islice(self.texts.items(), max(1, fit))), self.named)

    def embed(self, embedder: Embedder) -> dict[str, Floats]:
        """Return the vectors of each row's texts."""
        flat = [text for texts in self.texts.values() for text in texts]
        vectors = embed_named(embedder, flat) if self.named else embedder.embed(flat)
        vectors_by_row, start = {}, 0
        for row_id, texts in self.texts.items():
            vectors_by_row[row_id] = vectors[start : start + len(texts)]
            start += len(texts)
        return vectors_by_row


def memory_rows(memories: Sequence[Memory]) -> Passages:
    """Return what stands for memories."""
    return Passages({memory.id: memory_passages(memory.title, memory.content) for memory in memories}, named=True)


def turn_rows(turns: Sequence[Turn]) -> Passages:
    """Return what stands for turns."""
    return Passages({turn.id: turn_passages(turn.role, turn.text) for turn in turns}, named=False)


def memory_passages(title: str, content: str) -> list[str]:
    """Return the chunks that stand for a memory; a title taken from the content is not repeated."""
    lead = title.rstrip("….").strip()
    text = content if not lead or content.lstrip().startswith(lead) else f"{title}\n{content}"
    return chunks(text)


def turn_passages(role: str, text: str) -> list[str]:
    """Return what stands for a message: its chunks; of a person also each sentence, led by the name if it is one.

    A fact is often a side remark in a longer message. Agents write too much to embed by the sentence.
    """
    if role.lower() in AGENT_ROLES or len(text) > LONGEST_BY_SENTENCE:
        return chunks(text)
    return pieces(text) if role.lower() in GENERIC_ROLES else [f"{role}: {piece}" for piece in pieces(text)]


def embed_named(embedder: Embedder, passages: Sequence[str]) -> Floats:
    """Embed each passage as it is and with its names taken apart; the vector is the mean of both."""
    import numpy as np

    from holdfast.embedding.scan import unit

    vectors = embedder.embed(passages)
    apart = {
        place: spaced_passage
        for place, passage in enumerate(passages)
        if (spaced_passage := space_names(passage)) != passage
    }
    if apart:
        places = np.fromiter(apart, np.intp)
        vectors[places] = unit(vectors[places] + embedder.embed(list(apart.values())))
    return vectors


def space_names(text: str) -> str:
    """Return the text with its compound names written as separate words."""
    return _JOINT.sub(" ", text)


def chunks(text: str, size: int = SIZE, overlap: int = OVERLAP) -> list[str]:
    """Return overlapping pieces of at most `size` columns in order; a short text is its only piece.

    A character of an East Asian script counts as four columns. Pieces end at white space where there is some
    in their last quarter.
    """
    if not 0 <= overlap < size:
        raise ValueError("overlap must be less than size")
    columns = _Columns(text)
    pieces: list[str] = []
    start = 0
    while columns.before(len(text)) - columns.before(start) > size:
        end = _end(text, start, columns.reach(columns.before(start) + size))
        pieces.append(text[start:end])
        start = max(start + 1, columns.reach(columns.before(end) - overlap))
    pieces.append(text[start:])
    return pieces


def sentences(text: str, size: int = SENTENCE) -> list[str]:
    """Return the sentences and lines of a text, cut where one is longer than `size` columns.

    A fact is often a side remark in a longer message: vectors of sentences find the right session among the first
    five in 79 of 100 cases, vectors of whole messages in 69.
    """
    sentence_parts = [part.strip() for part in _SENTENCE_END.split(text)]
    return [piece for part in sentence_parts if part for piece in chunks(part, size, size // 5)]


def pieces(text: str) -> list[str]:
    """Return all to embed of what a person said: the whole in chunks, then its sentences, each once."""
    return list(dict.fromkeys([*chunks(text), *sentences(text)]))


class _Columns:
    """Counts the columns of a text up to a position; plain ASCII needs no table."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._sums: list[int] | None = None
        if not text.isascii():
            self._sums = [0, *accumulate(_WIDE if char >= "\u2e80" else 1 for char in text)]

    def before(self, position: int) -> int:
        return position if self._sums is None else self._sums[position]

    def reach(self, columns: int) -> int:
        """Return the last position that no more than `columns` columns come before."""
        return bisect_left(range(self._length + 1), columns + 1, key=self.before) - 1


def _end(text: str, start: int, reach: int) -> int:
    reach = max(reach, start + 1)
    for position in range(reach, start + (reach - start) * 3 // 4, -1):
        if _SPACE.match(text, position - 1):
            return position
    return reach
