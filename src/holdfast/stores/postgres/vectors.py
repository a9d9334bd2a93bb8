"""The vectors of a store on PostgreSQL: halfvec columns, compared with the rows of this store only."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pgvector import HalfVector

from holdfast.model.search import Filters
from holdfast.model.vectors import VECTOR_TARGETS, Failure, Near, Unembedded, VectorModel
from holdfast.stores.postgres.database import MOST_ROWS, Database
from holdfast.stores.postgres.rows import PostgresTables, known_ids
from holdfast.stores.postgres.server import Row
from holdfast.stores.postgres.stats import A_VECTOR, VEC, Stats
from holdfast.stores.sql.vectors import FAILURE, MODEL, SqlVectors

if TYPE_CHECKING:
    from holdfast.ports import Floats, Vector

GRAPH_FROM = 10_000
"""Vectors of a store from which on it has a graph: comparing all of them takes longer than walking through one."""

_GRAPH_SETTINGS = ("SET LOCAL hnsw.iterative_scan = strict_order", "SET LOCAL hnsw.ef_search = 400")
"""How a graph is walked through: on until enough is found, with so many candidates. Each is a message of its own:
a cluster passes it on."""

REACH = 4
"""How many of the nearest chunks are read for each row asked for: some share a row, some rows no longer hold."""


class PostgresVectors(SqlVectors):
    """`ports.Vectors` on PostgreSQL."""

    def __init__(self, database: Database) -> None:
        super().__init__(PostgresTables(database))
        self._database = database
        self._stats = Stats(database)

    def model(self) -> VectorModel | None:
        fields = self._database.facts.notes.get(MODEL)
        return VectorModel(*json.loads(fields)) if fields else None

    def failure(self) -> Failure | None:
        fields = json.loads(self._database.facts.notes.get(FAILURE, "null"))
        return Failure(*fields) if fields else None

    def unembedded(self, target: str, limit: int) -> list[Unembedded]:
        return super().unembedded(target, limit) if target in self._database.settled.waiting else []

    def switch(self, model: VectorModel) -> None:
        if self.model() is not None:
            self._drop_all()
        self._tables.note(MODEL, [model.name, model.dimensions])

    def put(
        self, target: str, model: VectorModel, vectors: "Mapping[str, Floats]", marks: Mapping[str, int] | None
    ) -> int:
        rows = self._by_number(target, vectors, marks)
        chunks, count = _chunks(rows), 0
        for start in range(0, len(chunks), MOST_ROWS):
            batch = chunks[start : start + MOST_ROWS]
            count += len(self._database.all("vectors_put", _columns(target, model, batch)))
        if count < len(chunks):  # of another model than the store's
            if count:
                self._database.raced("another model was chosen meanwhile")
            return 0
        size = len(chunks) * (A_VECTOR + 2 * model.dimensions)
        self._stats.add(VEC + target, len(chunks), size=size)
        fresh = self._database.waiting_rows(target)
        if old := set(rows) - fresh:
            self._database.all("unembedded_done", {"target": target, "seqs": sorted(old)})
        fresh -= set(rows)
        return len(rows)

    def _by_number(
        self, target: str, vectors: "Mapping[str, Floats]", marks: Mapping[str, int] | None
    ) -> "dict[int, Floats]":
        """Those of rows that this transaction made need no mark: nobody else has seen them."""
        made_rows = self._database.made_rows(target)
        if marks is None and vectors.keys() <= made_rows.keys():
            return {made_rows[row_id]: own for row_id, own in vectors.items()}
        return super()._by_number(target, vectors, marks)

    def _drop_all(self) -> None:
        self._stats.drop_all_vectors()
        self._tables.all("unembedded_drop")
        [mark] = self._database.arrivals(1)
        for target in VECTOR_TARGETS:
            self._tables.all(f"{target}_wait_all", {"mark": mark})

    def nearest(self, target: str, query: "Vector", filters: Filters, limit: int) -> list[Near]:
        with self._database.reading():
            count, model = self._database.settled.sum_of(VEC + target).documents, self.model()
            if model is None or not count:
                return []
            params = self._tables.filters(filters) | {"query": _half(query), "limit": limit}
            length = model.dimensions if count >= GRAPH_FROM else 0
            nearest_rows = None if filters.restrict else self._among_nearest(target, params, limit, length)
            if nearest_rows is None:
                nearest_rows = self._database.all(f"{target}_nearest", params)
            return [Near(row_id, cosine) for row_id, cosine, *_ in nearest_rows]

    def _among_nearest(self, target: str, params: dict[str, object], limit: int, length: int) -> list[Row] | None:
        """Return the rows of the nearest chunks that pass the filters, None if these are too few.

        With a length, the graph of vectors of that length is walked through.
        """
        if length:
            with self._database.raw() as connection:
                for setting in _GRAPH_SETTINGS:
                    connection.execute(setting)
        reach = REACH * limit + REACH
        rows = self._database.all(f"{target}_near", params | {"reach": reach}, length)
        return rows if len(rows) == limit or (rows and rows[0][2] < reach) else None

    def kept(self, target: str, ids: Sequence[str]) -> "dict[str, Floats]":
        import numpy as np

        chunks: dict[str, list[Floats]] = {}
        for row_id, half in self._database.all(f"{target}_kept", {"ids": known_ids(ids)}):
            chunks.setdefault(row_id, []).append(half.to_numpy().astype(np.float32))
        return {row_id: np.array(rows) for row_id, rows in chunks.items()}

    def cosines(self, target: str, query: "Vector", ids: Sequence[str]) -> dict[str, float]:
        own_ids = known_ids(ids)
        if not own_ids or not self.model():
            return {}
        return dict(self._database.all(f"{target}_cosines", {"query": _half(query), "ids": own_ids}))

    def settle(self, behind: int = 0) -> None:
        """Nothing is derived that a later process would have to make again."""


def _half(vector: "Vector") -> HalfVector:
    import numpy as np

    return HalfVector(np.frombuffer(vector, np.float32))


def _chunks(rows: "Mapping[int, Floats]") -> list[tuple[int, int, HalfVector]]:
    return [(row, chunk, HalfVector(vector)) for row, own in rows.items() for chunk, vector in enumerate(own)]


def _columns(target: str, model: VectorModel, chunks: Sequence[tuple[int, int, HalfVector]]) -> dict[str, object]:
    seqs, numbers, vectors = zip(*chunks, strict=True)
    return {
        "target": target,
        "model": json.dumps([model.name, model.dimensions]),
        "seqs": list(seqs),
        "chunks": list(numbers),
        "embeddings": list(vectors),
    }
