"""The vectors of a store on PostgreSQL: halfvec columns, compared with the rows of this store only."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pgvector import HalfVector

from holdfast.model.search import Filters
from holdfast.model.vectors import VECTOR_TARGETS, Failure, Near, Unembedded, VectorModel
from holdfast.stores.postgres.connection import MOST_ROWS, Database
from holdfast.stores.postgres.facts import Sum
from holdfast.stores.postgres.rows import PostgresTables, known_ids
from holdfast.stores.postgres.stats import A_VECTOR, VEC, Stats
from holdfast.stores.postgres.vector_copies import LARGEST, Changes, Chunk
from holdfast.stores.sql.vectors import FAILURE, MODEL, SqlVectors

if TYPE_CHECKING:
    from holdfast.ports import Floats, Vector
    from holdfast.stores.postgres.connection import Row

_GRAPH_SETTINGS = ("SET LOCAL hnsw.iterative_scan = strict_order", "SET LOCAL hnsw.ef_search = 256")
"""How a graph is walked through: on until enough is found, with so many candidates. Each is a message of its own:
a cluster passes it on."""

WIDER = 4
"""By how much more is looked at where what was nearest does not pass the filters."""

REACH = 4
"""How many chunks of a graph are looked at for each row asked for: some share a row, some rows no longer hold."""

PAGE = 10_000
"""Vectors that are read at a time."""


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
        if self.model() != model:
            return 0
        rows = self._by_number(target, vectors, marks)
        chunks = _chunks(rows)
        for start in range(0, len(chunks), MOST_ROWS):
            self._database.all("vectors_put", _columns(target, model, chunks[start : start + MOST_ROWS]))
        size = len(chunks) * (A_VECTOR + 2 * model.dimensions)
        self._stats.add(VEC + target, len(chunks), size=size, rows=list(rows))
        fresh = self._database.waiting_rows(target)
        if old := set(rows) - fresh:
            self._database.all("unembedded_done", {"target": target, "seqs": sorted(old)})
        fresh -= set(rows)
        return len(rows)

    def _by_number(
        self, target: str, vectors: "Mapping[str, Floats]", marks: Mapping[str, int] | None
    ) -> "dict[int, Floats]":
        """Those of rows that this transaction made need no mark: nobody else has seen them."""
        made = self._database.found_rows(target)
        if marks is None and vectors.keys() <= made.keys():
            return {made[row_id]: own for row_id, own in vectors.items()}
        return super()._by_number(target, vectors, marks)

    def _drop_all(self) -> None:
        self._stats.drop_all_vectors()
        self._tables.all("unembedded_drop")
        [mark] = self._database.arrivals(1)
        for target in VECTOR_TARGETS:
            self._tables.all(f"{target}_wait_all", {"mark": mark})

    def nearest(self, target: str, query: "Vector", filters: Filters, limit: int) -> list[Near]:
        with self._database.reading():
            known, model = self._database.settled.sum_of(VEC + target), self.model()
            if model is None or not known.documents:
                return []
            if not filters.restrict and len(query) == model.dimensions:
                neighbours = self._by_copy(target, query, filters, limit, known)
                if neighbours is None and known.documents > LARGEST:
                    neighbours = self._by_graph(target, query, filters, limit, model)
                if neighbours is not None:
                    return neighbours
            params = self._tables.filters(filters) | {"query": _half(query), "limit": limit}
            return [Near(row_id, cosine) for row_id, cosine in self._database.all(f"{target}_nearest", params)]

    def _by_copy(
        self, target: str, query: "Vector", filters: Filters, limit: int, known: Sum
    ) -> list[Near] | None:
        """Return what is near among the candidates that a copy names; None where that is not enough."""
        key, source = (self._database.tenant, self._database.place, target), _Source(self._database, target)
        may_load, wanted = not self._database.is_limited, limit
        while wanted <= WIDER * limit:
            copies = self._database.connections.copies
            rows = copies.candidates(key, query, wanted, known, source, may_load=may_load)
            if rows is None:
                return None
            neighbours = self._compared(target, query, filters, rows)
            if len(neighbours) >= limit or len(rows) >= known.documents:
                return neighbours[:limit]
            wanted *= WIDER
        return None

    def _compared(self, target: str, query: "Vector", filters: Filters, rows: Sequence[int]) -> list[Near]:
        """Compare rows exactly; those that pass the filters are returned, best first.

        What the transaction found by words goes along: its nearness is asked for next.
        """
        words = self._database.found_rows(target)
        params = self._tables.filters(filters) | {"query": _half(query), "rows": list({*rows, *words.values()})}
        candidates, nearness = set(rows), self._database.cosines
        nearness |= {(target, bytes(query), row_id): None for row_id in words}
        answer = self._database.all(f"{target}_compared", params)
        nearness |= {(target, bytes(query), row_id): cosine for row_id, _, cosine, _ in answer}
        return [Near(row_id, cosine) for row_id, row, cosine, passes in answer if passes and row in candidates]

    def _by_graph(
        self, target: str, query: "Vector", filters: Filters, limit: int, model: VectorModel
    ) -> list[Near] | None:
        """Return what is near by the graph of a large store; None where that is not enough."""
        reach = REACH * limit + REACH
        params = self._tables.filters(filters) | {"query": _half(query), "limit": limit, "reach": reach}
        with self._database.raw() as connection:
            for setting in _GRAPH_SETTINGS:
                connection.execute(setting)
        rows = self._database.all(f"{target}_near", params, model.dimensions)
        if len(rows) == limit or (rows and rows[0][2] < reach):
            return [Near(row_id, cosine) for row_id, cosine, _ in rows]
        return None

    def kept(self, target: str, ids: Sequence[str]) -> "dict[str, Floats]":
        import numpy as np

        chunks: dict[str, list[Floats]] = {}
        for row_id, half in self._database.all(f"{target}_kept", {"ids": known_ids(ids)}):
            chunks.setdefault(row_id, []).append(half.to_numpy().astype(np.float32))
        return {row_id: np.array(rows) for row_id, rows in chunks.items()}

    def cosines(self, target: str, query: "Vector", ids: Sequence[str]) -> dict[str, float]:
        nearness, vector = self._database.cosines, bytes(query)
        known_cosines = {row_id: nearness[key] for row_id in ids if (key := (target, vector, row_id)) in nearness}
        missing_ids = [row_id for row_id in known_ids(ids) if row_id not in known_cosines]
        if missing_ids and self.model():
            params = {"query": _half(query), "ids": missing_ids}
            known_cosines |= dict(self._database.all(f"{target}_cosines", params))
        return {row_id: cosine for row_id, cosine in known_cosines.items() if cosine is not None}

    def settle(self, behind: int = 0) -> None:
        """Nothing is derived that a later process would have to make again."""


def _half(vector: "Vector") -> HalfVector:
    import numpy as np

    return HalfVector(np.frombuffer(vector, np.float32))


def _chunks(rows: "Mapping[int, Floats]") -> "list[tuple[int, int, HalfVector]]":
    return [(row, chunk, HalfVector(vector)) for row, own in rows.items() for chunk, vector in enumerate(own)]


def _columns(
    target: str, model: VectorModel, chunks: "Sequence[tuple[int, int, HalfVector]]"
) -> dict[str, object]:
    seqs, numbers, vectors = zip(*chunks, strict=True)
    return {
        "target": target,
        "model": json.dumps([model.name, model.dimensions]),
        "seqs": list(seqs),
        "chunks": list(numbers),
        "embeddings": list(vectors),
    }


class _Source:
    """`VectorSource` in the transaction under way."""

    def __init__(self, database: Database, target: str) -> None:
        self._database = database
        self._target = target

    def pages(self) -> Iterator[list[Chunk]]:
        row, number = 0, -1
        while page := self._read("vectors_page", {"row": row, "number": number, "limit": PAGE}):
            yield [Chunk(*chunk) for chunk in page]
            row, number, _ = page[-1]

    def changes(self, known: Iterable[int]) -> Changes:
        numbers, rows, chunks = [], set[int](), []
        is_whole = True
        for change, own_rows, row, number, sent in self._read("vector_changes", {"known": list(known)}):
            if change is None:
                chunks.append(Chunk(row, number, sent))
            else:
                numbers.append(change)
                is_whole = is_whole and own_rows is not None
                rows.update(own_rows or ())
        return Changes(numbers, frozenset(rows) if is_whole else None, chunks)

    def numbers(self) -> list[int]:
        return [number for (number,) in self._read("vector_change_numbers", {})]

    def _read(self, query: str, params: "dict[str, object]") -> "list[Row]":
        own = {"target": self._target, "counted": VEC + self._target}
        return self._database.all(query, params | own, binary=True)
