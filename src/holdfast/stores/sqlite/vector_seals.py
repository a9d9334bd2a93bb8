"""Seals of vectors: which of them are as they were made. Light.

A row's vectors are sealed together: the seal of each covers its row, its place and how many there are, so that one
that is missing, or stands with another row, is known as well. What is damaged is made anew from the row.
"""

import zlib
from itertools import groupby

TYPE_CHECKING = False  # typing's own, without importing typing: hooks share this module
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.stores.sqlite.connection import Database, Row, Value


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
