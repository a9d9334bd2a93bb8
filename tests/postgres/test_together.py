"""Many who work on one tenant's store at once end where one after the other would have."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from holdfast.errors import PinLimitReached
from holdfast.model.actor import Actor
from holdfast.model.memory import Origin
from holdfast.model.requests import Draft, Message, SearchRequest
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.service.parts import Settings
from holdfast.service.scopes import Scopes
from holdfast.service.service import Service
from holdfast.stores.postgres.store import PostgresStore
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.text.words import terms_of
from tests.conftest import FakeClock
from tests.contract.builders import NOW

WORKERS = 8
PROJECT = "shop"
SHARED = [f"The shared rule number {place} is that walrus {place} feeds at noon" for place in range(4)]


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store in which one works after the other."""
    store = SqliteStore.open(tmp_path / "serial" / "memory.db", project=PROJECT, now=NOW)
    yield store
    store.close()


@pytest.fixture
def open_another(empty_postgres: str) -> Iterator[Callable[[], PostgresStore]]:
    """Open the tenant's store once more, with connections of its own."""
    opened: list[PostgresStore] = []

    def another() -> PostgresStore:
        opened.append(PostgresStore.open(empty_postgres, tenant="acme", project=PROJECT, now=NOW))
        return opened[-1]

    yield another
    for store in opened:
        store.close()


def service_on(store: Store) -> Service:
    origin = Origin(project=PROJECT, tenant="acme", user="ada")
    return Service(Scopes(store), FakeClock(NOW), lambda: origin, Settings(actor=Actor("test")))


def work(service: Service, number: int) -> bool:
    """Do what a worker does; return whether it could pin."""
    for content in SHARED:
        service.add(Draft(content=content))
    own = [service.add(Draft(content=f"Worker {number} keeps lynx {place} in the attic")) for place in range(4)]
    known = service.add(Draft(content=SHARED[0])).id
    assert known
    service.confirm(known)
    pinned = True
    try:
        service.pin(own[0].id or "")
    except PinLimitReached:
        pinned = False
    talk(service, number)
    service.search(SearchRequest(query=f"lynx of worker {number}"))
    for gone in own[1:]:
        service.forget(gone.id or "")
        service.search(SearchRequest(query="walrus"))
    service.aliases.add("ui", ["web", f"front{number}"])
    return pinned


def talk(service: Service, number: int) -> None:
    """Record into a session of one's own and into one that all share, and end both.

    Questions between the rules: what is demanded twice is a rule, and who comes second depends on who is faster.
    """
    mine = service.start_session("codex", ref=f"mine {number}")
    ours = service.start_session("codex", ref="ours")
    rule = f"Settled: uploads of team {number} are capped at {number + 2}5 MB after decompression, never more."
    for place in range(12):
        text = rule if place == 5 else f"Did lynx {place} of {number} go on?"
        service.record(mine.id, Message(role="user", text=text, ref=f"{place}"))
        service.record(ours.id, Message(role="assistant", text=f"{number} said {place}", ref=f"{number}.{place}"))
    service.end_session(mine.id)
    service.end_session(ours.id)


def outcome(store: Store) -> dict[str, object]:
    """Return what is left, but for what depends on who came first: ids, who pinned, what stood against what."""
    memories = store.memories.walk(None, 1_000)
    sessions = store.sessions.walk(None, 100)
    return {
        "memories": sorted(
            (one.content, round(one.importance, 6), one.reads, one.sources, one.trust, one.superseded, one.fades)
            for one in memories
        ),
        "pins": sum(one.status == "pinned" for one in memories),
        "sessions": sorted((one.ref, one.status, one.turns, one.turns_read) for one in sessions),
        "turns": sorted((turn.ref or "", turn.text) for turn in store.turns.walk(None, 1_000)),
        "findings": sorted(
            (one.content, one.signals, one.memory is not None)
            for session in sessions
            for one in store.findings.of(session.id, None, 100)
        ),
        "forgotten": store.tombstones.count(),
        "queries": {one.query for one in store.accesses.recent(1_000)} - {"walrus"},
        "aliases": store.aliases.all(),
        "words": (store.memories.words("lyn"), store.turns.words("lyn")),
        "found": len(store.memories.match(terms_of("lynx walrus"), Filters(), 1_000).candidates),
        "extent": (store.upkeep.health().rows, store.upkeep.health().indexed, store.upkeep.totals()),
    }


def deadlocks(dsn: str) -> int:
    """Return how often the server had to end a circle of those who wait."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SELECT pg_stat_force_next_flush()")
        row = connection.execute(
            "SELECT pg_stat_get_db_deadlocks(oid) FROM pg_database WHERE datname = current_database()"
        ).fetchone()
    return int(row[0]) if row else 0


def test_eight_at_once_end_where_one_after_the_other_does(
    embedded: SqliteStore, open_another: Callable[[], PostgresStore], empty_postgres: str
) -> None:
    alone = service_on(embedded)
    pins = sum(work(alone, number) for number in range(WORKERS))
    start = threading.Barrier(WORKERS)

    def together(number: int) -> bool:
        service = service_on(open_another())
        start.wait(60)
        return work(service, number)

    store = open_another()
    before = deadlocks(empty_postgres)
    with ThreadPoolExecutor(WORKERS) as pool:
        assert sum(pool.map(together, range(WORKERS))) == pins
    assert deadlocks(empty_postgres) == before
    expected, found = outcome(embedded), outcome(store)
    assert found == expected
    assert store.audit.broken_at() is None
    assert store.upkeep.totals().promotions > 0
