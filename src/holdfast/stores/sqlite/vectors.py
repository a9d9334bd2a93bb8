"""The vectors of an embedded store: BLOBs in the database are the truth, arrays in this process are searched."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from holdfast.errors import StoreError
from holdfast.model.ids import new_id
from holdfast.model.search import Filters
from holdfast.model.vectors import VECTOR_TARGETS, Near, VectorModel
from holdfast.stores.sql.vectors import MODEL, SqlVectors
from holdfast.stores.sqlite.connection import Database, Value
from holdfast.stores.sqlite.rows import SqliteTables

if TYPE_CHECKING:
    from holdfast.model.vectors import Floats, Vector
    from holdfast.stores.sqlite.index import VectorIndex

HNSW_FROM = 500_000
"""Vectors from which on a graph is made of them."""

_DIMENSIONS = "vector_dimensions"
"""Under which name a store remembers how long its vectors are."""


class SqliteVectors(SqlVectors):
    """`ports.Vectors` on SQLite."""

    def __init__(self, database: Database, hnsw_from: int = HNSW_FROM) -> None:
        super().__init__(SqliteTables(database))
        self._database = database
        self._hnsw_from = hnsw_from
        self._indexes: dict[str, VectorIndex] = {}
        """Those that were searched or settled in this process."""

    def model(self) -> VectorModel | None:
        name, dimensions = self._tables.fact(MODEL), self._tables.fact(_DIMENSIONS)
        return VectorModel(name, dimensions) if name and dimensions else None

    def switch(self, model: VectorModel) -> None:
        if self.model() is not None:
            self._drop_all()
        facts: dict[str, Value] = {
            MODEL: model.name,
            _DIMENSIONS: model.dimensions,
            "vector_generation": int.from_bytes(bytes.fromhex(new_id(0)[-8:]), "big"),
        }
        self._database.many("meta_set", ({"key": key, "value": value} for key, value in facts.items()))

    def put(
        self, target: str, model: VectorModel, vectors: "Mapping[str, Floats]", marks: Mapping[str, int] | None
    ) -> int:
        if self.model() != model:
            return 0
        rows = self._by_number(target, vectors, marks)
        self._database.many("vector_insert", _chunks(target, rows))
        params: list[dict[str, Value]] = [{"target": target, "row": row} for row in rows]
        self._database.many("unembedded_done", params)
        self._database.many("vector_changed", params)
        return len(rows)

    def nearest(self, target: str, query: "Vector", filters: Filters, limit: int) -> list[Near]:
        with self._database.reading():
            neighbours = self._index(target).nearest(query, filters, limit)
            ids = self._ids(target, [row for row, _ in neighbours])
        return [Near(ids[row], cosine) for row, cosine in neighbours if row in ids]

    def kept(self, target: str, ids: Sequence[str]) -> "dict[str, Floats]":
        import numpy as np

        chunks: dict[str, list[Floats]] = {}
        for row_id, blob in self._tables.all(f"{target}_kept", {"ids": self._tables.ids(ids)}):
            half = np.frombuffer(blob, np.float16)
            chunks.setdefault(row_id, []).append(half.astype(np.float32))
        return {row_id: np.array(rows) for row_id, rows in chunks.items()}

    def cosines(self, target: str, query: "Vector", ids: Sequence[str]) -> dict[str, float]:
        if not ids:
            return {}
        with self._database.reading():
            pairs = self._tables.all(f"{target}_rows", {"ids": self._tables.ids(ids)})
            rows: dict[int, str] = dict(pairs)
            scores = self._index(target).cosines(query, list(rows))
        return {rows[row]: cosine for row, cosine in scores.items()}

    def settle(self, behind: int = 0) -> None:
        """Write sidecars that are behind; where nothing can be written the database alone has to do."""
        with contextlib.suppress(StoreError, OSError):
            for target in VECTOR_TARGETS:
                self._index(target).settle(behind)

    def discard(self) -> None:
        """Remove every file that could hold a vector that is gone, and what a server said of some text."""
        if self.failure():
            with self._database.writing():
                self.note_failure(None)
        for target in VECTOR_TARGETS:
            self._index(target).discard()

    def close(self) -> None:
        """Save what a later process would have to do again."""
        with contextlib.suppress(StoreError, OSError):
            for index in self._indexes.values():
                index.close()

    def _index(self, target: str) -> "VectorIndex":
        from holdfast.stores.sqlite.index import VectorIndex  # most processes search no vectors

        if target not in self._indexes:
            self._indexes[target] = VectorIndex(self._database, target, self._hnsw_from)
        return self._indexes[target]

    def _ids(self, target: str, rows: list[int]) -> dict[int, str]:
        return dict(self._tables.all(f"{target}_ids", {"rows": self._tables.numbers(rows)})) if rows else {}


def _chunks(target: str, rows: "Mapping[int, Floats]") -> list[dict[str, Value]]:
    import numpy as np

    return [
        {"target": target, "row": row, "chunk": chunk, "embedding": vector.astype(np.float16).tobytes()}
        for row, vectors in rows.items()
        for chunk, vector in enumerate(vectors)
    ]
