"""The vectors of a store on PostgreSQL: halfvec columns, compared with the rows of this store only."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pgvector import HalfVector

from holdfast.model.search import Filters
from holdfast.model.vectors import Near, VectorModel
from holdfast.stores.postgres import bulk
from holdfast.stores.postgres.connection import Database
from holdfast.stores.postgres.rows import PostgresTables, known_ids
from holdfast.stores.postgres.stats import Stats
from holdfast.stores.sql.vectors import MODEL, SqlVectors

if TYPE_CHECKING:
    from holdfast.ports import Floats, Vector

REACH = 4
"""How many chunks are looked at for each row asked for: some share a row, some rows no longer hold."""

A_VECTOR = 208
"""About how many bytes one takes besides its numbers, in its table and in its index (`queries/vectors.sql`)."""


class PostgresVectors(SqlVectors):
    """`ports.Vectors` on PostgreSQL."""

    def __init__(self, database: Database) -> None:
        super().__init__(PostgresTables(database))
        self._database = database
        self._stats = Stats(database)

    def model(self) -> VectorModel | None:
        fields = self._tables.fact(MODEL)
        return VectorModel(*fields) if fields else None

    def switch(self, model: VectorModel) -> None:
        if self.model() is not None:
            self._drop_all()
        self._tables.note(MODEL, [model.name, model.dimensions])

    def put(
        self, target: str, model: VectorModel, vectors: "Mapping[str, Floats]", marks: Mapping[str, int] | None
    ) -> int:
        if self.model() != model:
            return 0
        rows = self._by_number(target, vectors, marks)
        chunks = _chunks(target, rows)
        bulk.insert(self._database, "vector_insert", "vec", chunks)
        self._stats.add("vec", len(chunks), 0, len(chunks) * (A_VECTOR + 2 * model.dimensions))
        self._database.all("unembedded_done", {"target": target, "seqs": list(rows)})
        return len(rows)

    def nearest(self, target: str, query: "Vector", filters: Filters, limit: int) -> list[Near]:
        model = self.model()
        if model is None:
            return []
        reach = REACH * limit + REACH
        params = self._tables.filters(filters) | {"query": _half(query), "limit": limit, "reach": reach}
        with self._database.reading():
            nearest_rows = (
                [] if filters.restrict else self._database.all(f"{target}_near", params, model.dimensions)
            )
            if len(nearest_rows) == limit or (nearest_rows and nearest_rows[0][2] < reach):
                return [Near(row_id, cosine) for row_id, cosine, _ in nearest_rows]
            return [Near(row_id, cosine) for row_id, cosine in self._database.all(f"{target}_nearest", params)]

    def kept(self, target: str, ids: Sequence[str]) -> "dict[str, Floats]":
        import numpy as np

        chunks: dict[str, list[Floats]] = {}
        for row_id, half in self._database.all(f"{target}_kept", {"ids": known_ids(ids)}):
            chunks.setdefault(row_id, []).append(half.to_numpy().astype(np.float32))
        return {row_id: np.array(rows) for row_id, rows in chunks.items()}

    def cosines(self, target: str, query: "Vector", ids: Sequence[str]) -> dict[str, float]:
        if not ids:
            return {}
        params = {"query": _half(query), "ids": known_ids(ids)}
        return dict(self._database.all(f"{target}_cosines", params))

    def settle(self, behind: int = 0) -> None:
        """Nothing is derived that a later process would have to make again."""


def _half(vector: "Vector") -> HalfVector:
    import numpy as np

    return HalfVector(np.frombuffer(vector, np.float32))


def _chunks(target: str, rows: "Mapping[int, Floats]") -> list[dict[str, object]]:
    return [
        {"target": target, "seq": seq, "chunk": chunk, "embedding": HalfVector(vector)}
        for seq, chunks in rows.items()
        for chunk, vector in enumerate(chunks)
    ]
