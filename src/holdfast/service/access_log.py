"""The log of accesses as the verbs keep it: cleaned, in batches, best effort."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from holdfast.errors import StoreError
from holdfast.model.kinds import KINDS
from holdfast.model.limits import ACCESS_BATCH, ACCESS_ROWS, DAY_MS, HOUR_MS, PATIENCE_MS
from holdfast.model.records import Access, AccessReport, Asked, Seen
from holdfast.model.search import Filters, Hit
from holdfast.model.title import shorten
from holdfast.ports import Store

QUERY_CHARS = 200
MISSED = "missed"
"""A search that found nothing; no memory stands beside it in the log."""

HEARD = "heard"
"""A search that found what was said, and no memory."""

SEARCHES = ("search", MISSED, HEARD)
LISTED = 10
"""Rows of each list of a report."""

EVERY = 1_000_000

FORGETTING = "remove"
"""What the audit log calls it when something is taken out of a store for good."""

LATEST_EVENTS = 50
"""Events among which a forgetting is looked for: few more are made within the hour that counts."""


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

    def searched(self, hits: Sequence[Hit], now: int, query: str | None) -> None:
        """Note a search: the memories that it found, or, where it found none, just that."""
        seen = [(hit.id, hit.score) for hit in hits if hit.kind in KINDS]
        self.log("search", seen, now, query)
        if not seen and query and (hits or not self._forgotten_lately(now)):
            self.log(HEARD if hits else MISSED, [("", None)], now, query)

    def _forgotten_lately(self, now: int) -> bool:
        """Say whether a search that finds nothing may be somebody's look whether what they forgot is gone."""
        events = self._store.audit.events(LATEST_EVENTS)
        return any(event.action == FORGETTING and now - event.at < HOUR_MS for event in events)

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


def access_report(store: Store, now: int, days: int) -> AccessReport:
    """Say what was searched in the last days and what came of it, as far as the log reaches back."""
    with store.reading():
        recent = [one for one in store.accesses.recent(ACCESS_ROWS) if one.at >= now - days * DAY_MS]
        memories = store.memories.newest(Filters(current_at=now), EVERY)
    searches = {(one.at, one.query): one for one in recent if one.query and one.action in SEARCHES}
    times = Counter(one.memory for one in recent if one.action == "search")
    rows = [Seen(id=one.id, title=one.title, found=times[one.id], reads=one.reads) for one in memories]
    unused = [one for one in rows if not one.found and not one.reads]
    return AccessReport(
        days=days,
        searches=len(searches),
        searched=_most_asked(searches.values()),
        unanswered=_most_asked(one for one in searches.values() if one.action == MISSED),
        found=tuple(sorted((one for one in rows if one.found), key=lambda one: -one.found)[:LISTED]),
        memories=len(rows),
        never_found=sum(not one.found for one in rows),
        never_read=sum(not one.reads for one in rows),
        unfound=tuple(unused[::-1][:LISTED]),
    )


def _most_asked(searches: Iterable[Access]) -> tuple[Asked, ...]:
    asked: dict[str, list[int]] = {}
    for one in searches:
        asked.setdefault(one.query or "", []).append(one.at)
    rows = [Asked(query=query, times=len(at), last=max(at)) for query, at in asked.items()]
    return tuple(sorted(rows, key=lambda one: (-one.times, -one.last))[:LISTED])
