"""What a store keeps about its own use: tombstones, the audit chain, accesses, figures."""

from msgspec.structs import replace

from holdfast.model.limits import ACCESS_ROWS, AUDIT_EVENTS, AUDIT_KEPT
from holdfast.model.records import Access, Counts, Event
from holdfast.ports import Store
from tests.contract.builders import NOW, a_memory, a_session, a_turn, an_id, keep, keep_turns

PRINTS = ("a" * 64, "b" * 64, "c" * 64)


def an_event(number: int) -> Event:
    """Make the cheapest event that can be told from the next."""
    return Event(action="add", actor="python", at=NOW + number, ids=())


def journal(store: Store, count: int, start: int = 0) -> list[Event]:
    """Record events in one transaction."""
    events = [an_event(start + number) for number in range(count)]
    with store.writing():
        for event in events:
            store.audit.record(event)
    return events


class RecordsContract:
    """`ports.Tombstones`, `ports.AuditLog`, `ports.AccessLog`, `counts` and `state`."""

    def test_a_tombstone_stands_until_it_is_removed(self, store: Store) -> None:
        with store.writing():
            store.tombstones.add(PRINTS[:2])
            store.tombstones.add(PRINTS[:1])
        assert store.tombstones.standing(PRINTS) == set(PRINTS[:2])
        with store.writing():
            store.tombstones.remove([PRINTS[0], PRINTS[2]])
        assert store.tombstones.standing(PRINTS) == {PRINTS[1]}
        assert store.tombstones.standing([]) == set()

    def test_what_one_store_forgot_another_can_know(self, store: Store, frugal_store: Store) -> None:
        with store.writing():
            store.tombstones.add(PRINTS[:2])
        tombstones = store.tombstones.sealed()
        assert len(tombstones.marks) == 2
        assert not any(fingerprint.encode() in mark for mark in tombstones.marks for fingerprint in PRINTS)
        with frugal_store.writing():
            frugal_store.tombstones.adopt(tombstones)
        assert frugal_store.tombstones.standing(PRINTS) == set(PRINTS[:2])
        assert frugal_store.tombstones.sealed() == tombstones

    def test_audit_events_come_back_whole_and_newest_first(self, store: Store) -> None:
        first = Event(
            action="add", actor="cli ✓", at=NOW, ids=(an_id(), an_id()), detail={"b": 1, "a": ["ü", None, 0.5]}
        )
        second = Event(action="remove", actor="python", at=NOW - 5, ids=())
        with store.writing():
            store.audit.record(first)
            store.audit.record(second)
        assert store.audit.events(10) == [second, first]
        assert store.audit.events(1) == [second]

    def test_events_after_a_number_come_in_the_order_they_were_recorded(self, store: Store) -> None:
        assert store.audit.after(0, 10) == []
        first, last = store.audit.span()
        assert first == last + 1
        events = journal(store, 5)
        numbers, after = zip(*store.audit.after(last, 10), strict=True)
        assert list(after) == events
        assert list(numbers) == sorted(set(numbers))
        assert store.audit.after(numbers[1], 2) == [(numbers[2], events[2]), (numbers[3], events[3])]
        assert store.audit.after(numbers[-1], 10) == []
        assert store.audit.span() == (numbers[0], numbers[-1])

    def test_the_log_says_where_it_begins_once_it_is_trimmed(self, store: Store) -> None:
        events = journal(store, AUDIT_EVENTS + 1)
        first, last = store.audit.span()
        assert [event for _, event in store.audit.after(first - 1, AUDIT_EVENTS * 2)] == events[-AUDIT_KEPT:]
        assert store.audit.after(0, 1) == [(first, events[-AUDIT_KEPT])]
        assert store.audit.after(last, 1) == []

    def test_an_untouched_chain_is_not_broken(self, store: Store) -> None:
        assert store.audit.broken_at() is None
        journal(store, 3)
        journal(store, 2, start=3)
        assert store.audit.broken_at() is None

    def test_the_audit_log_is_kept_whole_up_to_its_limit(self, store: Store) -> None:
        events = journal(store, AUDIT_EVENTS)
        assert store.audit.events(AUDIT_EVENTS * 2) == events[::-1]

    def test_past_its_limit_the_audit_log_is_trimmed_and_its_chain_still_holds(self, store: Store) -> None:
        events = journal(store, AUDIT_EVENTS + 1)
        assert store.audit.events(AUDIT_EVENTS * 2) == events[-AUDIT_KEPT:][::-1]
        assert store.audit.broken_at() is None
        journal(store, 2, start=AUDIT_EVENTS + 1)
        assert store.audit.broken_at() is None
        assert store.counts(NOW).audit_events == AUDIT_KEPT + 2

    def test_accesses_come_back_whole_and_newest_first(self, store: Store) -> None:
        looks = [
            Access(memory=an_id(), action="search", at=NOW, score=0.25, query="why ü"),
            Access(memory=an_id(), action="get", at=NOW - 1),
        ]
        with store.writing():
            store.accesses.record(looks[:1])
            store.accesses.record(looks[1:])
            store.accesses.record([])
        assert store.accesses.recent(10) == looks[::-1]
        assert store.accesses.recent(1) == looks[1:]

    def test_what_is_forgotten_was_never_looked_at_and_stands_in_no_query(self, store: Store) -> None:
        forgotten_id, other_id = an_id(), an_id()
        looks = [
            Access(memory=memory_id, action="search", at=NOW, query="walrus")
            for memory_id in (forgotten_id, other_id, forgotten_id)
        ]
        later = Access(memory=other_id, action="search", at=NOW, query="lynx")
        with store.writing():
            store.accesses.record(looks)
        with store.writing():
            store.accesses.forget([forgotten_id])
            store.accesses.record([later])
        assert store.accesses.recent(9) == [later, replace(looks[1], query=None)]
        with store.writing():
            store.accesses.forget([])
        assert {access.query for access in store.accesses.recent(9)} == {None}

    def test_the_access_log_lets_the_oldest_go(self, store: Store) -> None:
        memory = an_id()
        looks = [Access(memory=memory, action="get", at=NOW + number) for number in range(ACCESS_ROWS + 7)]
        with store.writing():
            store.accesses.record(looks[:-7])
            store.accesses.record(looks[-7:])
        assert store.accesses.recent(ACCESS_ROWS * 2) == looks[:6:-1]

    def test_an_empty_store_counts_nothing(self, store: Store) -> None:
        assert store.counts(NOW) == Counts(
            memories=0, superseded=0, expired=0, by_kind={}, by_status={}, by_trust={}, reads=0, sessions=0,
            turns=0, tombstones=0, audit_events=0, accesses=0,
        )  # fmt: skip

    def test_counts_tell_the_current_from_history(self, store: Store) -> None:
        session = a_session()
        keep_turns(store, session, a_turn(session, "one"), a_turn(session, "two"))
        keep(
            store,
            a_memory(kind="decision", status="pinned", trust="user", reads=2),
            a_memory(kind="decision"),
            a_memory(expires=NOW + 1),
            a_memory(expires=NOW, reads=1),
            a_memory(valid_until=NOW, expires=NOW, reads=4),
        )
        with store.writing():
            store.tombstones.add(PRINTS)
            store.accesses.record([Access(memory=an_id(), action="get", at=NOW)])
            store.audit.record(an_event(1))
        assert store.counts(NOW) == Counts(
            memories=3,
            superseded=1,
            expired=1,
            by_kind={"decision": 2, "fact": 1},
            by_status={"candidate": 2, "pinned": 1},
            by_trust={"agent": 2, "user": 1},
            candidates={"agent": 2},
            reads=7,
            sessions=1,
            turns=2,
            tombstones=3,
            audit_events=1,
            accesses=1,
        )

    def test_state_says_whose_store_it_is_and_that_nothing_waits(self, store: Store) -> None:
        state = store.state()
        assert (state.project, state.scrub_pending) == ("contract", False)
        assert state.place
        assert state.store_id == store.state().store_id
        assert state.bytes >= 0

    def test_a_scrub_with_nobody_reading_leaves_nothing_pending(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)
        with store.writing():
            store.memories.delete([memory.id])
        assert store.scrub() is False
        assert store.state().scrub_pending is False

    def test_closing_twice_is_fine(self, store: Store) -> None:
        keep(store, a_memory())
        store.close()
        store.close()
