"""The log of accesses as the verbs keep it: cleaned, in batches, best effort."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from holdfast.errors import StoreError
from holdfast.model.limits import ACCESS_BATCH, PATIENCE_MS
from holdfast.model.records import Access
from holdfast.model.title import shorten
from holdfast.ports import Store

QUERY_CHARS = 200


class Accesses:
    """Who asked for what, until it is written."""

    def __init__(self, store: Store, off: Callable[[], str | None]) -> None:
        self._store = store
        self._off = off
        self._waiting: list[Access] = []
        self._forgotten = 0

    def log(
        self, action: str, seen: Sequence[tuple[str, float | None]], now: int, query: str | None = None
    ) -> None:
        """Note which memories were shown; the query comes cleaned, or not at all."""
        if not self._waiting:
            self._forgotten = self._store.tombstones.count()
        words = shorten(query, QUERY_CHARS) if query else None
        self._waiting.extend(
            Access(memory=memory, action=action, at=now, score=score, query=words) for memory, score in seen
        )
        if len(self._waiting) >= ACCESS_BATCH:
            self.write()

    def write(self) -> None:
        """Write what waits; best effort, as it serves analytics only.

        When something was forgotten since, by whatever process, the queries are left out: they may hold its words.
        """
        batch, self._waiting = self._waiting, []
        if not batch or self._off():
            return
        store = self._store
        with contextlib.suppress(StoreError), store.writing(PATIENCE_MS):
            if self._stale():
                batch = [replace(access, query=None) for access in batch]
            store.accesses.record(batch)
            queries = {access.query for access in batch if access.query}
            if queries and self._stale():  # another was first to forget, between these lines
                store.accesses.reword(dict.fromkeys(queries))

    def _stale(self) -> bool:
        return self._store.tombstones.count() != self._forgotten
