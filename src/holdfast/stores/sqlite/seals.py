"""Seals: checksums of what was written, by which rows and vectors that a failing disk changed are known. Light.

SQLite checks how its pages hang together, not what stands in them: one flipped bit in a title would be read as if
somebody had written it. What is only counted (reads, turns of a session) is not sealed: SQL adds to it in place. A
column that comes with a later schema is sealed where it is not NULL, so that the seals of older rows still hold.

A row's vectors are sealed together: the seal of each covers its row, its place and how many there are, so that one
that is missing, or stands with another row, is known as well. What is damaged is made anew from the row.
"""

import zlib
from itertools import groupby
from operator import itemgetter

TYPE_CHECKING = False  # typing's own, without importing typing: hooks share this module
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from holdfast.stores.sqlite.connection import Database, Row, Value

    T = TypeVar("T")


UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
"""What reading a row raises when it does not hold what was written; a broken seal is a ValueError."""

FACTS = "facts_seal"
"""Under which name a store keeps the seal of the facts about itself."""


class Seal:
    """How the rows of one table are sealed: by these columns, in the order in which they are read."""

    def __init__(self, columns: "Sequence[str]", counters: "Iterable[str]" = ()) -> None:
        names = [name for name in columns if name not in set(counters)]
        self._labels = [f"\x1f{name}=" for name in names]
        self._names = names
        self._pick = itemgetter(*(columns.index(name) for name in names))

    def of(self, values: "Row") -> int:
        """Return the seal of values in the order of the columns."""
        return _checksum(zip(self._labels, self._pick(values), strict=True))

    def of_row(self, row: "Mapping[str, Value]") -> int:
        """Return the seal of values by name."""
        return _checksum((label, row[name]) for label, name in zip(self._labels, self._names, strict=True))

    def check(self, row: "Row") -> None:
        """Raise when a row, its seal last, is not as it was written. A row without one can only be believed."""
        stored_seal = row[-1]
        if stored_seal is not None and stored_seal != self.of(row):
            raise ValueError("the row is not as it was written")


def seal_of_facts(facts: "Iterable[Row]") -> int:
    """Return the seal of names and values."""
    return _checksum((f"\x1f{name!s}=", value) for name, value in facts)


def seal_facts(database: "Database") -> None:
    """Seal the facts about a store that never change by themselves."""
    seal = seal_of_facts(database.all("facts_sealed"))
    database.all("meta_set", {"key": FACTS, "value": seal})


def facts_are_sound(database: "Database") -> bool:
    """Whether the facts about a store are as they were written; a store that never sealed them can be believed."""
    row = database.one("meta_get", {"key": FACTS})
    return row is None or row[0] == seal_of_facts(database.all("facts_sealed"))


def _checksum(values: "Iterable[tuple[str, Value]]") -> int:
    text = "".join(
        [label + (value if type(value) is str else repr(value)) for label, value in values if value is not None]
    )
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def readable(database: "Database", table: str, decode: "Callable[[Row], T]", rows: "Sequence[Row]") -> "list[T]":
    """Read rows; those that do not hold what was written are left out, and that is noted."""
    try:
        return [decode(row) for row in rows]
    except UNREADABLE:
        return [value for row in rows for value in _read_or_note(database, table, decode, row)]


def _read_or_note(
    database: "Database", table: str, decode: "Callable[[Row], T]", row: "Row"
) -> "tuple[T] | tuple[()]":
    try:
        return (decode(row),)
    except UNREADABLE:
        database.leave_out(f"{table} {_name_of(row)}")
        return ()


def _name_of(row: "Row") -> str:
    """Return what a row is called: its id, which stands first, or second after its number."""
    return next((value for value in row[:2] if isinstance(value, str)), "of which not even the id can be read")


_PAGE = 1_000
"""Vectors that are read at once: all of a large store's would fill the memory."""


def sealed_chunks(target: str, row: int, embeddings: "Sequence[bytes]") -> "list[dict[str, Value]]":
    """Return a row's vectors as they are written."""
    return [
        {
            "target": target,
            "row": row,
            "chunk": chunk,
            "embedding": embedding,
            "seal": _seal(f"{target} {row} {chunk}/{len(embeddings)} ", embedding),
        }
        for chunk, embedding in enumerate(embeddings)
    ]


def sound_vectors(vectors: "Iterable[Row]") -> "Iterator[list[dict[str, Value]]]":
    """Yield the vectors of each row that are all there and as they were made; each comes with its seal."""
    placed_vectors = [vector for vector in vectors if tuple(map(type, vector[:3])) == (str, int, int)]
    in_order = sorted(placed_vectors, key=lambda vector: vector[:3])
    return (chunks for _, chunks in _examined(in_order) if chunks is not None)


def damaged_vectors(database: "Database") -> "list[Row]":
    """Return the rows whose vectors are not as they were made, with their targets."""
    return [row for row, chunks in _examined(_every(database)) if chunks is None]


def seal_vectors(database: "Database") -> None:
    """Seal what was made before there were seals, inside a transaction: it can only be believed."""
    for (target, row), vectors in groupby(_every(database), lambda vector: vector[:2]):
        embeddings = [vector[3] for vector in vectors]
        database.many("vector_seal", sealed_chunks(target, row, embeddings))  # type: ignore[arg-type]  # as selected


def _every(database: "Database") -> "Iterator[Row]":
    """Hand out every vector; on a damaged page no more of them than there are, whatever their order."""
    after: Row = ("", 0, 0)
    (total,) = database.rows("SELECT count(*) FROM vector")[0]
    for _ in range(0, total, _PAGE):  # type: ignore[arg-type]  # a count
        target, row, chunk, *_ = after
        page = database.all("vector_every", {"target": target, "row": row, "chunk": chunk, "limit": _PAGE})
        yield from page
        after = page[-1] if page else after


def _examined(vectors: "Iterable[Row]") -> "Iterator[tuple[Row, list[dict[str, Value]] | None]]":
    """Go through vectors row by row; None stands for those that are not as they were made."""
    for (target, row), there in groupby(vectors, lambda vector: vector[:2]):
        stored_chunks = list(there)
        embeddings = [vector[3] for vector in stored_chunks]
        if (
            isinstance(target, str)
            and isinstance(row, int)
            and all(isinstance(embedding, bytes) for embedding in embeddings)
        ):
            chunks = sealed_chunks(target, row, embeddings)  # type: ignore[arg-type]  # each was looked at
            if [tuple(chunk.values()) for chunk in chunks] == stored_chunks:
                yield (target, row), chunks
                continue
        yield (target, row), None


def _seal(place: str, embedding: bytes) -> int:
    return zlib.crc32(embedding, zlib.crc32(place.encode()))
