"""Which texts stand for a memory or a turn in the vector index, and their vectors.

Lives here: the choice of text, measured on the benchmark's development data. Must not live here: storage, or which
of several vectors counts: that is always the nearest.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from holdfast.embedding.chunks import chunks, pieces
from holdfast.embedding.names import space_names
from holdfast.model.kinds import AGENT_ROLES, GENERIC_ROLES
from holdfast.model.memory import Memory
from holdfast.model.session import Turn
from holdfast.model.value import Value

if TYPE_CHECKING:
    from holdfast.ports import Embedder, Floats

LONGEST_BY_SENTENCE = 4_000
"""Characters up to which a person's message is embedded by the sentence too; more is a paste."""


class Passages(Value):
    """The texts that stand for rows, by id. `named` says that names inside them are worth taking apart."""

    texts: Mapping[str, list[str]]
    named: bool

    @property
    def count(self) -> int:
        """How many texts there are."""
        return sum(map(len, self.texts.values()))

    def each(self) -> "Iterator[Passages]":
        """Hand out the rows one by one."""
        for row_id, texts in self.texts.items():
            yield Passages({row_id: texts}, self.named)

    def first(self, most: int) -> "Passages":
        """Return the first rows, as many as have no more texts than this together; always one."""
        sums = accumulate(map(len, self.texts.values()))
        fit = sum(1 for total in sums if total <= most)
        return Passages(dict(islice(self.texts.items(), max(1, fit))), self.named)

    def embed(self, embedder: "Embedder") -> "dict[str, Floats]":
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


def embed_named(embedder: "Embedder", passages: Sequence[str]) -> "Floats":
    """Embed each passage as it is and with its names taken apart; the vector is the mean of both."""
    import numpy as np

    from holdfast.embedding.scan import unit

    vectors = embedder.embed(passages)
    apart = {
        place: space_names(passage) for place, passage in enumerate(passages) if space_names(passage) != passage
    }
    if apart:
        places = np.fromiter(apart, np.intp)
        vectors[places] = unit(vectors[places] + embedder.embed(list(apart.values())))
    return vectors
