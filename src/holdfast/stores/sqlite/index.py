"""The index of one target's vectors: copies in this process, a sidecar and, for many, a graph beside the database.

Every read brings the copies up to the store's latest change inside the reader's own transaction, so that no
committed row is missed and no deleted one is found; how near a row is, its vectors in the database say. Files
only spare the next process the loading: they are made after a transaction, by a process that has NumPy anyway or
was asked to, and whatever does not fit the store is passed over and made anew.
"""

import contextlib
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from holdfast.embedding import scan
from holdfast.embedding.scan import has_numpy
from holdfast.errors import StoreError
from holdfast.machine import disk
from holdfast.model.search import Filters
from holdfast.model.vectors import MEMORY
from holdfast.stores.arrays import Arrays, cosines, empty_block
from holdfast.stores.sqlite import sidecar
from holdfast.stores.sqlite.connection import IN_MEMORY, Database, Row
from holdfast.stores.sqlite.graph import Graph
from holdfast.stores.sqlite.rows import SqliteTables, to_json
from holdfast.stores.sqlite.sidecar import Header, Identity

if TYPE_CHECKING:
    from holdfast.model.vectors import Vector

_FOR_EVER = 1 << 62
_NEVER = (0, 0)
BEHIND = 1_000
"""Changed rows that are applied on top of a sidecar, or one in ten; beyond that it is made anew."""


class VectorIndex:
    """Finds the nearest rows of one target."""

    def __init__(self, database: Database, target: str, hnsw_from: int) -> None:
        self._database = database
        self._tables = SqliteTables(database)
        self._target = target
        folder, name = os.path.split(database.path)
        stem = os.path.splitext(name)[0]
        lead = "vectors" if stem == "memory" else f"{stem}-vectors"
        self._path = os.path.join(folder, f"{lead}-{target}.bin")
        graph = f"{lead}.hnsw" if target == MEMORY else f"{lead}-{target}.hnsw"
        self._graph = Graph(os.path.join(folder, graph))
        self._hnsw_from = hnsw_from
        self._keeps_files = database.path != IN_MEMORY
        self._arrays: Arrays | None = None
        self._identity: Identity | None = None
        self._position = 0
        self._nonce: object = None
        self._file_nonce: object = None
        """Of the sidecar that the copies are from."""
        self._behind = 0
        self._unkept = False
        self._snapshot: object = None
        """The read transaction that they were brought up to date in."""
        self._was_asked = False
        """Whether this process searched before: one that does so again holds the copies in memory."""
        self._hidden_rows: frozenset[int] = frozenset()
        self._hidden_holds = _NEVER
        """From when until when what is hidden is right: then something expires or fades."""
        self._fading: object = None

    def nearest(self, vector: "Vector", filters: Filters, limit: int) -> list[tuple[int, float]]:
        """Return the rows nearest to a vector, with their cosines; called inside a transaction."""
        arrays = self._current(once=not self._was_asked)
        self._was_asked = True
        if arrays is None or not len(arrays) or limit < 1:
            return []
        if has_numpy() and self._is_untidy():
            self._database.afterwards(self._tidy)
        probe = scan.Probe(vector)
        only, but = self._counting(filters)
        if self._graph.ready and only is None:
            nearest = self._by_graph(vector, limit, but)
            if len(nearest) >= limit:
                return nearest
        try:
            return arrays.nearest(probe, limit, self._load_vectors, only=only, but=but)
        except OSError:  # the sidecar was cut short while it was read
            arrays = self._current(once=False)
            return arrays.nearest(probe, limit, self._load_vectors, only=only, but=but) if arrays else []

    def cosines(self, vector: "Vector", rows: list[int]) -> dict[int, float]:
        """Return the cosines of rows that have vectors; called inside a transaction."""
        arrays = self._current(once=False) if self._arrays is not None and self._arrays.again else None
        return (
            cosines(scan.Probe(vector), arrays.vectors(rows) if arrays else self._load_vectors(rows))
            if rows
            else {}
        )

    def _load_vectors(self, rows: Iterable[int]) -> dict[int, bytes]:
        """Return the vectors that rows have in the store."""
        return _by_row(self._database.all("vectors_of", {"target": self._target, "rows": to_json(list(rows))}))

    def settle(self, behind: int) -> None:
        """Make the sidecar and the graph anew where they are missing, foreign or behind by more rows than this."""
        with self._database.locked():
            with self._database.reading():
                arrays = self._current(once=False)
                if arrays is not None and len(arrays) >= self._hnsw_from and not self._graph.ready:
                    self._graph.build(self._all(), arrays.width, self._position)
            if arrays is None or not self._keeps_files:
                return
            if self._behind > behind or (self._unkept and len(arrays) > behind):
                self._keep_sidecar()
            if self._graph.unsaved:
                self._keep_graph()

    def discard(self) -> None:
        """Remove the files, and what this process has of them."""
        self._forget()
        if self._keeps_files:
            sidecar.sweep(self._path)
            sidecar.sweep(self._graph.path)

    def close(self) -> None:
        """Keep what this process found out and a later one would have to find again."""
        if not self._keeps_files:
            return
        self._tidy()
        with self._database.locked():
            if self._graph.unsaved:
                self._keep_graph()

    # ── up to date ───────────────────────────────────────────────────────────────────────────────────────

    def _current(self, *, once: bool) -> Arrays | None:
        """Return the copies as the store is now, `once`: to be searched one time."""
        snapshot = self._database.snapshot
        if snapshot is not None and snapshot is self._snapshot and self._arrays is not None and self._arrays.again:
            return self._arrays
        self._snapshot = snapshot
        head, nonce, fading, identity = self._state()
        if identity is None:
            return None
        if fading != self._fading:  # a read keeps what had faded, without a change of its vectors
            self._fading, self._hidden_holds = fading, _NEVER
        arrays = self._arrays
        goes_on = identity == self._identity and head >= self._position and nonce in (None, self._nonce)
        if arrays is None or not goes_on or not (once or arrays.again):  # another model's, rewound, or used up
            arrays = self._load(head, identity, once=once)
        elif arrays.again and self._is_outdated(arrays, head, identity):
            arrays = self._load(head, identity, once=False)
        if head > self._position:
            self._catch_up(arrays, head)
        if self._graph.ready and head > self._graph.position:
            self._graph.change(*self._changes_since(self._graph.position), arrays.width, head)
        if self._database.uncommitted:
            self._forget()  # what was just read may be taken back
        return arrays

    def _state(self) -> tuple[int, object, object, Identity | None]:
        row = self._database.one("vector_state", {"position": self._position})
        head, nonce, fading, *facts = row if row else (0, None, None, None)
        identity = Identity(*facts) if facts[-1] else None  # type: ignore[arg-type]  # as selected
        return cast(int, head), nonce, fading, identity

    def _nonce_at(self, position: int) -> object:
        row = self._database.one("change_nonce", {"seq": position})
        return row[0] if row else None

    def _load(self, head: int, identity: Identity, *, once: bool) -> Arrays:
        self._forget()
        arrays = self._load_sidecar(head, identity, once=once)
        if arrays is None:
            arrays, self._position = Arrays(empty_block(identity.dimensions)), head
            arrays.change((), self._all())
            self._behind, self._unkept = len(arrays), True
        self._arrays, self._identity = arrays, identity
        self._nonce = self._nonce_at(self._position)
        if self._keeps_files and len(arrays) >= self._hnsw_from and has_numpy():
            self._graph.load(identity, self._committed_fact("hnsw"), head)
        return arrays

    def _load_sidecar(self, head: int, identity: Identity, *, once: bool) -> Arrays | None:
        """Return what the sidecar holds if it is this store's: at a glance, or whole if its stamp is another."""
        if not self._keeps_files:
            return None
        expected_stamp = self._committed_fact("sidecar", "_stamp")
        glimpse = sidecar.glance(self._path, expected_stamp) if once else None
        if glimpse is None:
            glimpse = sidecar.load(self._path)
            self._unkept = glimpse is not None and sidecar.stamp(self._path) != expected_stamp
        if glimpse is None or not self._is_ours(glimpse[0], head, identity):
            return None
        self._position, self._file_nonce = glimpse[0].position, glimpse[0].nonce
        return Arrays(glimpse[1])

    def _is_outdated(self, arrays: Arrays, head: int, identity: Identity) -> bool:
        """Say whether another connection of this process holds what is in the file now: no need to hold both."""
        header = sidecar.later_header(self._path, arrays.copies)
        return header is not None and self._is_ours(header, head, identity)

    def _is_ours(self, header: Header, head: int, identity: Identity) -> bool:
        return (
            header.identity == identity
            and header.position <= head
            and header.nonce == self._committed_fact("sidecar")
        )

    def _committed_fact(self, file: str, fact: str = "") -> object:
        """Return the nonce of a file, or its stamp."""
        return cast(object, self._tables.fact(f"{file}_{self._target}{fact}"))

    def _all(self) -> dict[int, bytes]:
        return _by_row(self._database.all("vectors_all", {"target": self._target}))

    def _catch_up(self, arrays: Arrays, head: int) -> None:
        changed_rows, fresh = self._changes_since(self._position)
        if self._graph.ready and self._graph.position == self._position:
            self._graph.change(changed_rows, fresh, arrays.width, head)
        if changed_rows:
            arrays.change(changed_rows, fresh)
            self._behind += len(changed_rows)
            self._hidden_holds = _NEVER
        self._position, self._nonce = head, self._nonce_at(head)

    def _changes_since(self, position: int) -> tuple[list[int], dict[int, bytes]]:
        """Return the rows that changed since, and the vectors they have now."""
        rows = self._database.all("vectors_changed", {"target": self._target, "position": position})
        changed_rows = sorted({cast(int, row) for row, _ in rows})
        return changed_rows, _by_row(row for row in rows if row[1] is not None)

    def _forget(self) -> None:
        self._arrays = self._identity = None
        self._hidden_holds = _NEVER
        self._position = self._behind = 0
        self._nonce = self._file_nonce = None
        self._unkept = False
        self._graph.drop()

    # ── which rows count ─────────────────────────────────────────────────────────────────────────────────

    def _counting(self, filters: Filters) -> tuple[frozenset[int] | None, frozenset[int]]:
        """Return the only rows that count, None: all, and those that do not."""
        if filters.restrict:
            return self._numbers(f"{self._target}_allowed", filters), frozenset()
        if self._target != MEMORY or filters.current_at is None:
            return None, frozenset()
        return None, self._away(filters)

    def _away(self, filters: Filters) -> frozenset[int]:
        """Return the rows that default reads hide. A change alters it, and what expires or fades does."""
        first, last = self._hidden_holds
        now = cast(int, filters.current_at)
        if not first <= now < last:
            queries = ("memory_superseded", "memory_expired", "memory_faded")
            self._hidden_rows = frozenset().union(*(self._numbers(query, filters) for query in queries))
            row = self._database.one("holding_changes_at", {"current_at": now})
            self._hidden_holds = now, cast(int, row[0]) if row and row[0] is not None else _FOR_EVER
        return self._hidden_rows

    def _numbers(self, query: str, filters: Filters) -> frozenset[int]:
        return frozenset(number for (number,) in self._tables.all(query, self._tables.filters(filters)))

    def _by_graph(self, vector: "Vector", limit: int, but: frozenset[int]) -> list[tuple[int, float]]:
        rows = [row for row in self._graph.nearest(vector, limit) if row not in but]
        scores = self.cosines(vector, rows)
        return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    # ── files ────────────────────────────────────────────────────────────────────────────────────────────

    def _is_untidy(self) -> bool:
        return self._keeps_files and (self._is_far_behind() or self._graph.due)

    def _is_far_behind(self) -> bool:
        return self._arrays is not None and self._behind > max(BEHIND, len(self._arrays) // 10)

    def _tidy(self) -> None:
        """Make anew what is far behind; where nothing can be written it stays as it is."""
        with contextlib.suppress(StoreError, OSError), self._database.locked():
            if self._is_far_behind():
                with self._database.reading():
                    if self._committed_fact("sidecar") != self._file_nonce:  # another has made it anew
                        self._forget()
                    self._current(once=False)
            if self._is_far_behind():
                self._keep_sidecar()
            if self._graph.due:
                self._keep_graph()

    def _keep_sidecar(self) -> None:
        """Make the sidecar anew, and go on from what it holds."""
        if self._arrays is None or self._identity is None:
            return
        block = self._arrays.compact()
        header = Header(self._identity, _nonce(), self._position, len(block))
        if self._replace("sidecar", self._path, header, sidecar.body_of(block)):
            self._arrays = Arrays(block)
            self._file_nonce = header.nonce
            self._behind, self._unkept = 0, False
            sidecar.share(self._path, sidecar.stamp(self._path), header, block)

    def _keep_graph(self) -> None:
        if self._identity is None or not self._graph.ready:
            return
        header = Header(self._identity, _nonce(), self._position, 0)
        if self._replace("hnsw", self._graph.path, header, [self._graph.body()]):
            self._graph.saved()

    def _lost_since(self, position: int) -> bool:
        """Say whether a row that had vectors then was changed or removed since."""
        rows = self._database.all("vectors_changed", {"target": self._target, "position": position})
        return self._arrays is None or self._arrays.holds([cast(int, row) for row, _ in rows])

    def _replace(self, file: str, path: str, header: Header, body: Iterable[memoryview]) -> bool:
        """Put a file in its place together with its nonce, unless something was removed in the meantime.

        Whoever removes commits first and sweeps the files then: a file made from older vectors must not follow.
        """
        fresh = sidecar.write(path, header, body)
        try:
            with self._database.writing():
                if self._lost_since(header.position):
                    return False
                disk.move(fresh, path)
                name = f"{file}_{self._target}"
                self._tables.note(name, header.nonce)
                self._tables.note(f"{name}_stamp", sidecar.stamp(path))
        except FileNotFoundError:  # swept by whoever removed something
            return False
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(fresh)
        return True


def _nonce() -> int:
    """Return a number that no other file has; not by `random`, whose import takes 4 ms."""
    return int.from_bytes(os.urandom(8), "big") >> 2


def _by_row(rows: Iterable[Row]) -> dict[int, bytes]:
    """Put the vectors of each row side by side; those of a row follow each other."""
    chunks: dict[int, list[bytes]] = {}
    for row, embedding in rows:
        chunks.setdefault(cast(int, row), []).append(cast(bytes, embedding))
    return {row: own[0] if len(own) == 1 else b"".join(own) for row, own in chunks.items()}
