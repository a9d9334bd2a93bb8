"""The log of accesses as the verbs keep it: cleaned, in batches, best effort."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from holdfast.errors import StoreError
from holdfast.model.kinds import KINDS
from holdfast.model.limits import ACCESS_BATCH, ACCESS_ROWS, DAY_MS, HOUR_MS, NO_LIMIT, PATIENCE_MS
from holdfast.model.memory import shorten
from holdfast.model.records import Access, AccessReport, Asked, Seen
from holdfast.model.search import Filters, Hit
from holdfast.model.upkeep import FORGOTTEN_AT
from holdfast.ports import Store

QUERY_CHARS = 200
"""Characters of a query that are logged."""

MISSED = "missed"
"""A search that found nothing; no memory stands beside it in the log."""

HEARD = "heard"
"""A search that found what was said, and no memory."""

SEARCHES = ("search", MISSED, HEARD)
LISTED = 10
"""Rows of each list of a report."""


class AccessRecorder:
    """Who asked for what, until it is written."""

    def __init__(self, store: Store, off: Callable[[], str | None]) -> None:
        self._store = store
        self._off = off
        self._pending_accesses: list[Access] = []
        self._forgotten_count = 0

    def log(
        self, action: str, scored_ids: Sequence[tuple[str, float | None]], now: int, query: str | None = None
    ) -> None:
        """Note which memories were shown; the query comes cleaned, or not at all."""
        if not self._pending_accesses:
            self._forgotten_count = self._store.tombstones.count()
        words = shorten(query, QUERY_CHARS) if query else None
        self._pending_accesses.extend(
            Access(memory=memory, action=action, at=now, score=score, query=words) for memory, score in scored_ids
        )
        if len(self._pending_accesses) >= ACCESS_BATCH:
            self.write()

    def log_search(self, hits: Sequence[Hit], now: int, query: str | None) -> None:
        """Note a search: the memories that it found, or, where it found none, just that."""
        scored_ids = [(hit.id, hit.score) for hit in hits if hit.kind in KINDS]
        self.log("search", scored_ids, now, query)
        if not scored_ids and query:
            self.log(HEARD if hits else MISSED, [("", None)], now, query)

    def write(self) -> None:
        """Write what waits; best effort, as it serves analytics only.

        When something was forgotten since, by whatever process, the queries are left out: they may hold its words.
        """
        batch, self._pending_accesses = self._pending_accesses, []
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
        return self._store.tombstones.count() != self._forgotten_count


def may_keep_queries(stores: Sequence[Store], now: int) -> bool:
    """Say whether a query may be kept: for an hour after a forgetting it may ask whether that is gone."""
    return all(int(store.upkeep.fact(FORGOTTEN_AT) or 0) < now - HOUR_MS for store in stores)


def access_report(store: Store, now: int, days: int) -> AccessReport:
    """Say what was searched in the last days and what came of it, as far as the log reaches back."""
    with store.reading():
        recent = [access for access in store.accesses.recent(ACCESS_ROWS) if access.at >= now - days * DAY_MS]
        memories = store.memories.newest(Filters(current_at=now), NO_LIMIT)
    searches = {
        (access.at, access.query): access for access in recent if access.query and access.action in SEARCHES
    }
    times = Counter(access.memory for access in recent if access.action == "search")
    rows = [
        Seen(id=memory.id, title=memory.title, found=times[memory.id], reads=memory.reads) for memory in memories
    ]
    unused_rows = [row for row in rows if not row.found and not row.reads]
    return AccessReport(
        days=days,
        searches=len(searches),
        searched=_most_asked(searches.values()),
        unanswered=_most_asked(search for search in searches.values() if search.action == MISSED),
        found=tuple(sorted((row for row in rows if row.found), key=lambda row: -row.found)[:LISTED]),
        memories=len(rows),
        never_found=sum(not row.found for row in rows),
        never_read=sum(not row.reads for row in rows),
        unfound=tuple(unused_rows[::-1][:LISTED]),
    )


def _most_asked(searches: Iterable[Access]) -> tuple[Asked, ...]:
    times_by_query: dict[str, list[int]] = {}
    for search in searches:
        times_by_query.setdefault(search.query or "", []).append(search.at)
    rows = [Asked(query=query, times=len(at), last=max(at)) for query, at in times_by_query.items()]
    return tuple(sorted(rows, key=lambda row: (-row.times, -row.last))[:LISTED])
