"""The limits: on what is promoted by itself, and on size, in its order."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from holdfast.model.finding import Evidence
from holdfast.model.limits import DAY_MS
from holdfast.model.records import Access
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.text.words import terms_of
from holdfast.upkeep.rules import limit_promoted, limit_size, limit_turns
from tests.conftest import FakeClock
from tests.contract.builders import NOW, a_finding, a_memory, a_session, a_turn, keep, keep_turns
from tests.upkeep.bulky import fill, surviving
from tests.upkeep.rounds import LONG_AGO, a_round, done, tending

MB = 1_048_576


# ── what is promoted by itself ───────────────────────────────────────────────────────────────────────────────


def test_promoted_memories_beyond_their_limit_go_by_decayed_importance(store: Store) -> None:
    """Down to nine tenths; what is unread and old goes before what is less important and fresh."""
    stale = [a_memory(sources=("promoted",), importance=0.6, created_at=LONG_AGO) for _ in range(4)]
    fresh = [a_memory(sources=("promoted",), importance=0.3, created_at=NOW) for _ in range(17)]
    keep(store, *stale, *fresh)
    round_ = a_round(store, promoted=20)
    done(limit_promoted(round_))
    assert {one.id for one in round_.ledger.gone} == {one.id for one in stale[:3]}
    assert {one.rule for one in round_.ledger.gone} == {"promoted"}
    assert store.upkeep.promoted() == 18
    assert store.upkeep.totals().evictions == 3
    assert [event.action for event in store.audit.events(1)] == ["evict"]


def test_the_limit_itself_is_no_excess(store: Store) -> None:
    keep(store, *(a_memory(sources=("promoted",)) for _ in range(20)))
    assert done(limit_promoted(a_round(store, promoted=20))) == 0


def test_what_is_pinned_or_said_again_while_others_go_stays(store: Store) -> None:
    rows = [a_memory(sources=("promoted",), created_at=LONG_AGO + place) for place in range(301)]
    keep(store, *rows)
    steps = limit_promoted(a_round(store, promoted=100))
    next(steps)
    left = [one for one in store.memories.walk(None, 400) if one.id in {row.id for row in rows}][:2]
    with store.writing():
        store.memories.replace(replace(left[0], status="pinned"))
        store.memories.replace(replace(left[1], sources=("promoted", "manual")))
    done(steps)
    assert [one.id for one in store.memories.get([one.id for one in left])] == [one.id for one in left]


@pytest.mark.parametrize("sources", [("manual",), ("git",), ("promoted", "manual")], ids=str)
def test_what_others_put_there_is_neither_counted_nor_taken(store: Store, sources: tuple[str, ...]) -> None:
    keep(store, *(a_memory(created_at=LONG_AGO, sources=sources) for _ in range(30)))
    keep(store, *(a_memory(sources=("promoted",)) for _ in range(15)))
    done(limit_promoted(a_round(store, promoted=20)))
    assert store.upkeep.memories() == 45


def test_three_thousand_become_two_thousand_seven_hundred(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "memory.db", project="p", now=NOW)
    keep(store, *(a_memory(sources=("promoted",), created_at=LONG_AGO + place) for place in range(3_001)))
    keep(store, *(a_memory(kind="decision", sources=("promoted",), created_at=LONG_AGO) for _ in range(5)))
    tending(store, FakeClock(NOW)).cleanup()
    assert store.upkeep.promoted() == 2_700
    assert len(store.memories.newest(Filters(kinds=("decision",)), 9)) == 5
    store.close()


# ── size ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_count_of_memories_can_be_the_limit(store: Store) -> None:
    """What was read longest ago goes first, then the oldest, and no more than has to; turns are no memories."""
    read = [a_memory(accessed_at=NOW - 9 * DAY_MS, created_at=LONG_AGO) for _ in range(10)]
    unread = [a_memory(created_at=LONG_AGO + place) for place in range(11)]
    keep(store, *read, *unread)
    session = a_session(status="completed", ended_at=NOW)
    keep_turns(store, session, a_turn(session, "spare"))
    round_ = a_round(store, max_memories=20)
    done(limit_size(round_))
    assert [one.id for one in round_.ledger.gone] == [one.id for one in unread[:4]]
    assert store.upkeep.memories() == 17
    assert round_.ledger.turns == 0


def test_a_store_below_its_limit_loses_nothing(store: Store) -> None:
    keep(store, *(a_memory(created_at=LONG_AGO) for _ in range(20)))
    assert done(limit_size(a_round(store, max_memories=20))) == 0


@pytest.fixture
def sqlite(tmp_path: Path) -> SqliteStore:
    """An empty store on disk."""
    return SqliteStore.open(tmp_path / "size" / "memory.db", project="p", now=NOW)


def used_limit(store: Store, share: float) -> int:
    """Return a limit of which what is there now is such a share."""
    return int(store.upkeep.used() / share)


def bulk(store: Store, turns: int, memories: int) -> tuple[list[str], list[str]]:
    """Put an old session with turns, and memories, into a store; return their ids."""
    session = a_session(status="completed", started_at=LONG_AGO, ended_at=LONG_AGO)
    said = [a_turn(session, f"turn {place} " + "words and words " * 60) for place in range(turns)]
    known = [
        a_memory(content=f"memory {place} " + "words and words " * 60, created_at=LONG_AGO + place)
        for place in range(memories)
    ]
    keep_turns(store, session, *said)
    keep(store, *known)
    return [turn.id for turn in said], [memory.id for memory in known]


def test_the_access_log_goes_first(sqlite: SqliteStore) -> None:
    bulk(sqlite, 20, 20)
    with sqlite.writing():
        sqlite.accesses.record([Access(memory="m" * 36, action="get", at=NOW, query="q" * 200)] * 5_000)
    round_ = a_round(sqlite, max_bytes=used_limit(sqlite, 1.05))
    done(limit_size(round_))
    assert round_.ledger.accesses > 0
    assert (round_.ledger.turns, round_.ledger.gone) == (0, [])


def test_then_turns_of_the_session_that_ended_first(sqlite: SqliteStore) -> None:
    later = a_session(status="completed", started_at=NOW, ended_at=NOW - DAY_MS)
    keep_turns(sqlite, later, *(a_turn(later, f"late {place} " + "other words " * 60) for place in range(100)))
    first, _ = bulk(sqlite, 400, 20)
    round_ = a_round(sqlite, max_bytes=used_limit(sqlite, 1.05))
    done(limit_size(round_))
    assert len(sqlite.turns.of(later.id)) == 100
    assert 0 < round_.ledger.turns <= 400
    assert round_.ledger.gone == []
    assert sqlite.turns.get(first[:100]) == []
    assert sqlite.upkeep.used() <= round_.limits.max_bytes * 0.85


def test_then_memories_with_their_vectors_and_words(sqlite: SqliteStore) -> None:
    bulk(sqlite, 0, 400)
    round_ = a_round(sqlite, max_bytes=used_limit(sqlite, 1.05))
    done(limit_size(round_))
    gone = [one.id for one in round_.ledger.gone]
    assert gone
    assert {one.rule for one in round_.ledger.gone} == {"size"}
    assert sqlite.memories.get(gone) == []
    left = 400 - len(gone)
    assert len(sqlite.memories.match(terms_of("memory"), Filters(), 999).candidates) == left
    assert sqlite.vectors.waiting()["memory"] == left
    sqlite.close()


def test_evidence_of_a_memory_stays_until_the_memory_goes(sqlite: SqliteStore) -> None:
    turns, _ = bulk(sqlite, 300, 0)
    decision, fact = a_memory(kind="decision", created_at=LONG_AGO), a_memory(created_at=LONG_AGO)
    keep(sqlite, decision, fact)
    session = sqlite.sessions.newest(None, 1)[0]
    with sqlite.writing():
        for memory, turn in ((decision, turns[0]), (fact, turns[1])):
            place = Evidence(turn=turn, start=0, end=4)
            sqlite.findings.put([a_finding(session, memory=memory.id, evidence=(place,))])
    done(limit_size(a_round(sqlite, max_bytes=used_limit(sqlite, 1.05))))
    assert [turn.id for turn in sqlite.turns.get(turns[:2])] == turns[:2]
    done(limit_size(a_round(sqlite, max_bytes=1)))
    assert [turn.id for turn in sqlite.turns.get(turns)] == [turns[0]]
    assert [one.id for one in sqlite.memories.newest(Filters(), 9)] == [decision.id]


def test_an_interrupted_round_goes_on_down_to_its_target(sqlite: SqliteStore) -> None:
    """Also when it is below the limit already, where nothing would be begun."""
    bulk(sqlite, 600, 0)
    most = used_limit(sqlite, 1.02)
    steps = limit_size(a_round(sqlite, max_bytes=most))
    while sqlite.upkeep.used() > most:
        next(steps)
    assert sqlite.upkeep.used() > most * 0.85
    done(limit_size(a_round(sqlite, max_bytes=most)))
    assert sqlite.upkeep.used() <= most * 0.85
    assert done(limit_size(a_round(sqlite, max_bytes=most))) == 0


def test_a_dry_round_says_about_what_would_go_and_changes_nothing(sqlite: SqliteStore) -> None:
    bulk(sqlite, 400, 400)
    most = used_limit(sqlite, 1.2)
    before = (sqlite.upkeep.used(), sqlite.upkeep.memories(), len(sqlite.upkeep.spare_turns(None, 999)))
    dry = a_round(sqlite, dry=True, max_bytes=most)
    done(limit_size(dry))
    assert (sqlite.upkeep.used(), sqlite.upkeep.memories(), len(sqlite.upkeep.spare_turns(None, 999))) == before
    assert sqlite.upkeep.fact("shrinking") is None
    real = a_round(sqlite, max_bytes=most)
    done(limit_size(real))
    assert dry.ledger.turns == pytest.approx(real.ledger.turns, rel=0.6)


def test_turns_can_have_a_time_of_their_own(store: Store) -> None:
    old = a_session(status="completed", started_at=LONG_AGO, ended_at=NOW - 31 * DAY_MS)
    young = a_session(status="completed", started_at=LONG_AGO, ended_at=NOW - 29 * DAY_MS)
    active = a_session(started_at=LONG_AGO)
    for session in (old, young, active):
        keep_turns(store, session, a_turn(session, "said"))
    assert done(limit_turns(a_round(store))) == 0
    done(limit_turns(a_round(store, turn_days=30)))
    assert [len(store.turns.of(one.id)) for one in (old, young, active)] == [0, 1, 1]


def test_a_big_store_ends_well_below_its_limit_with_what_is_precious(sqlite: SqliteStore) -> None:
    """The small version of the soak test: same shape, a twentieth of the size."""
    precious = fill(sqlite, 6 * MB, turn_chars=800)
    limit = int(sqlite.upkeep.used() / 1.04)
    file = Path(sqlite.state().place)
    done_ = tending(sqlite, FakeClock(NOW), max_bytes=limit).cleanup()
    assert done_.turns > 0
    assert 0.7 * limit < sqlite.upkeep.used() <= 0.85 * limit
    assert surviving(sqlite, precious) == (0, 0)
    health = sqlite.upkeep.health()
    assert health.indexed == health.rows
    assert sqlite.upkeep.totals().compacted_at == NOW
    sqlite.close()
    assert file.stat().st_size <= 0.87 * limit


@pytest.mark.parametrize("chars", [200, 2_000])
def test_a_cleanup_by_size_ends_where_it_promises_however_long_the_texts_are(tmp_path: Path, chars: int) -> None:
    """Down to 85 % less a margin for what others write meanwhile, and not a tenth below."""
    store = SqliteStore.open(tmp_path / "memory.db", project="p", now=NOW)
    limit = 6 * MB
    fill(store, int(1.2 * limit), chars)
    done(limit_size(a_round(store, max_bytes=limit)))
    assert 0.81 < store.upkeep.used() / limit <= 0.85
    store.close()
