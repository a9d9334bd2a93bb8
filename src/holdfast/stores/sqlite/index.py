"""The index of one target's vectors: arrays in this process, a sidecar and, for many, a graph beside the database.

Every read brings the arrays up to the store's latest change inside the reader's own transaction, so that no
committed row is missed and no deleted one is found. Files only spare the next process the loading: they are made
after a transaction, and whatever does not fit the store is passed over and made anew.
"""

import contextlib
import random
from pathlib import Path
from typing import TYPE_CHECKING, cast

from holdfast.errors import StoreError
from holdfast.model.search import Filters
from holdfast.model.vectors import MEMORY
from holdfast.stores.sqlite import sidecar
from holdfast.stores.sqlite.arrays import Arrays, Block, make_block
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.graph import Graph
from holdfast.stores.sqlite.rows import filter_row
from holdfast.stores.sqlite.sidecar import Header, Identity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.embedding.scan import Floats
    from holdfast.stores.sqlite.arrays import Mask, Rows

_FOR_EVER = 1 << 62
_NEVER = (0, 0)
BEHIND = 1_000
"""Changed rows that are applied on top of a sidecar, or one in ten; beyond that it is made anew."""


class VectorIndex:
    """Finds the nearest rows of one target."""

    def __init__(self, database: Database, target: str, path: Path, hnsw_from: int) -> None:
        self._database = database
        self._target = target
        lead = "vectors" if path.stem == "memory" else f"{path.stem}-vectors"
        self._path = path.with_name(f"{lead}-{target}.bin")
        graph = f"{lead}.hnsw" if target == MEMORY else f"{lead}-{target}.hnsw"
        self._graph = Graph(path.with_name(graph))
        self._hnsw_from = hnsw_from
        self._arrays: Arrays | None = None
        self._identity: Identity | None = None
        self._position = 0
        self._nonce: object = None
        self._behind = 0
        self._unkept = False
        self._mask: Mask | None = None
        self._mask_holds = _NEVER
        """From when until when the mask is right: then something expires or fades."""
        self._fading: object = None

    def nearest(self, query: "Floats", filters: Filters, limit: int) -> list[tuple[int, float]]:
        """Return the rows nearest to a vector, with their cosines; called inside a transaction."""
        arrays = self._current()
        if arrays is None or not len(arrays) or limit < 1:
            return []
        open_to = self._open_to(arrays, filters)
        if self._graph.ready and not filters.restrict:
            found = self._by_graph(arrays, query, limit, open_to)
            if len(found) >= limit:
                return found
        return arrays.nearest(query, limit, open_to)

    def cosines(self, query: "Floats", rows: list[int]) -> dict[int, float]:
        """Return the cosines of rows that have vectors; called inside a transaction."""
        import numpy as np

        arrays = self._current()
        return arrays.cosines(query, np.array(rows, np.int64)) if arrays is not None and rows else {}

    def settle(self) -> None:
        """Make the sidecar and the graph anew where they are missing, foreign or behind."""
        with self._database.locked():
            with self._database.reading():
                arrays = self._current()
            if arrays is None:
                return
            if self._behind or self._unkept:
                self._keep_sidecar()
            if len(arrays) >= self._hnsw_from:
                if not self._graph.ready:
                    self._graph.build(arrays.compact(), self._position)
                if self._graph.unsaved:
                    self._keep_graph()

    def discard(self) -> None:
        """Remove the files, and what this process has of them."""
        self._forget()
        sidecar.sweep(self._path)
        sidecar.sweep(self._graph.path)

    def close(self) -> None:
        """Keep what this process found out and a later one would have to find again."""
        self._tidy()
        with self._database.locked():
            if self._graph.unsaved:
                self._keep_graph()

    # ── up to date ───────────────────────────────────────────────────────────────────────────────────────

    def _current(self) -> Arrays | None:
        head, nonce, fading, identity = self._state()
        if identity is None:
            return None
        if fading != self._fading:  # a read keeps what had faded, without a change of its vectors
            self._fading, self._mask_holds = fading, _NEVER
        arrays = self._arrays
        goes_on = identity == self._identity and head >= self._position and nonce in (None, self._nonce)
        if arrays is None or not goes_on:  # another model's, or rewound
            arrays = self._load(head, identity)
        if head > self._position:
            self._catch_up(arrays, head, identity.dimensions)
        if self._graph.ready and head > self._graph.position:
            self._catch_up_graph(head, identity.dimensions)
        if self._database.uncommitted:
            self._forget()  # what was just read may be taken back
        elif self._behind > max(BEHIND, len(arrays) // 10) or self._graph.due:
            self._database.afterwards(self._tidy)
        return arrays

    def _state(self) -> tuple[int, object, object, Identity | None]:
        row = self._database.one("vector_state", {"position": self._position})
        head, nonce, fading, *facts = row if row else (0, None, None, None)
        identity = Identity(*facts) if facts[-1] else None  # type: ignore[arg-type]  # as selected
        return cast(int, head), nonce, fading, identity

    def _nonce_at(self, position: int) -> object:
        row = self._database.one("change_nonce", {"seq": position})
        return row[0] if row else None

    def _load(self, head: int, identity: Identity) -> Arrays:
        self._forget()
        header, block = self._kept(head, identity)
        if header is None or block is None:
            arrays, self._position = Arrays(self._all(identity.dimensions)), head
            self._behind, self._unkept = len(arrays), True
        else:
            arrays, self._position = Arrays(block), header.position
        self._arrays, self._identity = arrays, identity
        self._nonce = self._nonce_at(self._position)
        if len(arrays) >= self._hnsw_from:
            self._graph.load(identity, self._committed_nonce("hnsw"), head)
        return arrays

    def _kept(self, head: int, identity: Identity) -> tuple[Header | None, Block | None]:
        found = sidecar.read(self._path)
        if found is None or found.header.identity != identity or found.header.position > head:
            return None, None
        if found.header.nonce != self._committed_nonce("sidecar"):
            return None, None
        return found.header, sidecar.block_of(found)

    def _committed_nonce(self, file: str) -> object:
        row = self._database.one("meta_get", {"key": f"{file}_{self._target}"})
        return row[0] if row else None

    def _all(self, dimensions: int) -> Block:
        rows = self._database.all("vectors_all", {"target": self._target})
        return _block(rows, dimensions)

    def _catch_up(self, arrays: Arrays, head: int, dimensions: int) -> None:
        changed, fresh = self._changed(self._position, dimensions)
        if self._graph.ready and self._graph.position == self._position:
            self._graph.change(changed, fresh, head)
        if len(changed):
            arrays.change(changed, fresh)
            self._behind += len(changed)
            self._mask_holds = _NEVER
        self._position, self._nonce = head, self._nonce_at(head)

    def _catch_up_graph(self, head: int, dimensions: int) -> None:
        """Bring a graph up that is not as far as the arrays were: its file is made at other times than theirs."""
        self._graph.change(*self._changed(self._graph.position, dimensions), head)

    def _changed(self, position: int, dimensions: int) -> "tuple[Rows, Block]":
        """Return the rows that changed since, and the vectors they have now."""
        import numpy as np

        found = self._database.all("vectors_changed", {"target": self._target, "position": position})
        changed = np.array(sorted({cast(int, row) for row, _ in found}), np.int64)
        return changed, _block([one for one in found if one[1] is not None], dimensions)

    def _forget(self) -> None:
        self._arrays = self._identity = self._mask = None
        self._mask_holds = _NEVER
        self._position = self._behind = 0
        self._nonce = None
        self._unkept = False
        self._graph.drop()

    # ── which rows count ─────────────────────────────────────────────────────────────────────────────────

    def _open_to(self, arrays: Arrays, filters: Filters) -> "Mask | None":
        import numpy as np

        if filters.restrict:
            allowed = self._numbers("memory_allowed" if self._target == MEMORY else "turn_allowed", filters)
            mask: Mask = np.isin(arrays.rows, allowed)
            return mask
        if self._target != MEMORY or filters.current_at is None:
            return None
        return self._holding(arrays, filters)

    def _holding(self, arrays: Arrays, filters: Filters) -> "Mask | None":
        """Say which places default reads show, None: all. A change alters it, and what expires or fades does."""
        import numpy as np

        first, last = self._mask_holds
        now = cast(int, filters.current_at)
        if not first <= now < last:
            hidden = [
                row
                for query in ("memory_superseded", "memory_expired", "memory_faded")
                for row in self._numbers(query, filters)
            ]
            shown = ~np.isin(arrays.rows, hidden)
            self._mask = None if not hidden or shown.all() else shown
            row = self._database.one("holding_changes_at", {"current_at": now})
            self._mask_holds = now, cast(int, row[0]) if row and row[0] is not None else _FOR_EVER
        return self._mask

    def _numbers(self, query: str, filters: Filters) -> "list[int]":
        return [cast(int, row[0]) for row in self._database.all(query, filter_row(filters))]

    def _by_graph(
        self, arrays: Arrays, query: "Floats", limit: int, open_to: "Mask | None"
    ) -> list[tuple[int, float]]:
        import numpy as np

        rows = np.array(self._graph.nearest(query, limit), np.int64)
        if open_to is not None and len(rows):
            rows = rows[
                [bool(open_to[arrays.places(rows[place : place + 1])].any()) for place in range(len(rows))]
            ]
        found = arrays.cosines(query, rows) if len(rows) else {}
        return list(found.items())[:limit]

    # ── files ────────────────────────────────────────────────────────────────────────────────────────────

    def _tidy(self) -> None:
        """Make anew what is far behind; where nothing can be written it stays as it is."""
        with contextlib.suppress(StoreError, OSError), self._database.locked():
            if self._arrays is not None and self._behind > max(BEHIND, len(self._arrays) // 10):
                self._keep_sidecar()
            if self._graph.due:
                self._keep_graph()

    def _keep_sidecar(self) -> None:
        if self._arrays is None or self._identity is None:
            return
        block = self._arrays.compact()
        header = Header(self._identity, random.getrandbits(62), self._position, len(block))
        if self._replace("sidecar", self._path, header, sidecar.body_of(block)):
            self._behind, self._unkept = 0, False

    def _keep_graph(self) -> None:
        if self._identity is None or not self._graph.ready:
            return
        header = Header(self._identity, random.getrandbits(62), self._position, 0)
        if self._replace("hnsw", self._graph.path, header, [self._graph.body()]):
            self._graph.saved()

    def _lost_since(self, position: int) -> bool:
        """Say whether a row that had vectors then was changed or removed since."""
        import numpy as np

        rows = self._database.all("vectors_changed", {"target": self._target, "position": position})
        changed = np.array([cast(int, row) for row, _ in rows], np.int64)
        return self._arrays is None or bool(len(self._arrays.places(changed)))

    def _replace(self, file: str, path: Path, header: Header, body: "Iterable[memoryview]") -> bool:
        """Put a file in its place together with its nonce, unless something was removed in the meantime.

        Whoever removes commits first and sweeps the files then: a file made from older vectors must not follow.
        """
        fresh = sidecar.write(path, header, body)
        try:
            with self._database.writing():
                if self._lost_since(header.position):
                    return False
                fresh.replace(path)
                name = f"{file}_{self._target}"
                self._database.all("meta_set", {"key": name, "value": header.nonce})
        except FileNotFoundError:  # swept by whoever removed something
            return False
        finally:
            fresh.unlink(missing_ok=True)
        return True


def _block(rows: "Iterable[tuple[object, ...]]", dimensions: int) -> Block:
    pairs = cast("list[tuple[int, bytes]]", list(rows))
    return make_block([row for row, _ in pairs], [embedding for _, embedding in pairs], dimensions)
