"""What every store must do for its own upkeep: hide what faded, know what may go, give room back."""

import numpy as np

from holdfast.model.finding import Evidence
from holdfast.model.limits import DAY_MS
from holdfast.model.records import Access, Event, Totals
from holdfast.model.search import Filters
from holdfast.model.vectors import MEMORY, VectorModel
from holdfast.ports import Store
from holdfast.text.words import terms_of
from tests.contract.builders import NOW, a_finding, a_memory, a_session, a_turn, an_id, keep, keep_turns

CURRENT_FILTERS = Filters(current_at=NOW)
MODEL = VectorModel("plain", 2)
EAST = np.array([1, 0], np.float32)


class UpkeepContract:
    """The facet `upkeep`, and what the others do for it."""

    def test_what_faded_is_left_out_of_words_meaning_and_lists_alike(self, store: Store) -> None:
        """And is still there for whoever asks for everything."""
        old = a_memory(content="the walrus sleeps", fades=NOW)
        young = a_memory(content="the walrus swims", fades=NOW + 1)
        keep(store, old, young)
        with store.writing():
            store.vectors.switch(MODEL)
            store.vectors.put(MEMORY, MODEL, {memory.id: EAST[None, :] for memory in (old, young)}, None)
        assert store.memories.newest(CURRENT_FILTERS, 9) == [young]
        assert [
            candidate.id for candidate in store.memories.match(terms_of("walrus"), CURRENT_FILTERS, 9).candidates
        ] == [young.id]
        assert [neighbour.id for neighbour in store.vectors.nearest(MEMORY, EAST, CURRENT_FILTERS, 9)] == [
            young.id
        ]
        assert store.memories.around(young, 3, CURRENT_FILTERS) == [young]
        assert store.memories.akin(young.project, ["walrus"], NOW, 9) == [[young]]
        assert store.counts(NOW).faded == 1
        assert store.memories.get([old.id]) == [old]
        assert len(store.memories.newest(Filters(), 9)) == 2

    def test_growth_counts_what_was_made_in_each_step_of_time(self, store: Store) -> None:
        steps = (0, 1, DAY_MS, 3 * DAY_MS)
        keep(store, *[a_memory(created_at=DAY_MS * 20_000 + step) for step in steps])
        assert store.upkeep.growth(DAY_MS) == {20_000: 2, 20_001: 1, 20_003: 1}

    def test_what_will_fade_is_counted_while_it_holds(self, store: Store) -> None:
        fades = (NOW, NOW + 1, NOW + 5, NOW + 6, None)
        superseded = a_memory(fades=NOW + 2, valid_until=NOW)
        keep(
            store, superseded, a_memory(fades=NOW + 2, expires=NOW), *[a_memory(fades=moment) for moment in fades]
        )
        assert store.upkeep.fading(NOW, NOW + 5) == 2
        assert [memory.fades for memory in store.memories.fading(NOW, 2)] == [NOW + 1, NOW + 5]

    def test_meaning_follows_the_clock_in_either_direction(self, store: Store) -> None:
        """What is left out is remembered from search to search, but not past a moment at which it changes."""
        expiring, fading, lasting = a_memory(expires=NOW + 10), a_memory(fades=NOW + 20), a_memory()
        keep(store, expiring, fading, lasting)
        with store.writing():
            store.vectors.switch(MODEL)
            rows = {memory.id: EAST[None, :] for memory in (expiring, fading, lasting)}
            store.vectors.put(MEMORY, MODEL, rows, None)

        def shown(now: int) -> int:
            return len(store.vectors.nearest(MEMORY, EAST, Filters(current_at=now), 9))

        moments = [NOW, NOW + 9, NOW + 10, NOW + 19, NOW + 20, NOW + 99, NOW + 15, NOW]
        assert [shown(now) for now in moments] == [3, 3, 2, 2, 1, 1, 2, 3]

    def test_the_third_read_brings_back_what_faded(self, store: Store) -> None:
        memory = a_memory(content="the walrus sleeps", fades=NOW - 1, reads=1)
        keep(store, memory)
        with store.writing():
            store.vectors.switch(MODEL)
            store.vectors.put(MEMORY, MODEL, {memory.id: EAST[None, :]}, None)
        for reads, shown_count in ((2, 0), (3, 1)):
            with store.writing():
                store.memories.count_read([memory.id], NOW)
            assert [stored_memory.reads for stored_memory in store.memories.get([memory.id])] == [reads]
            assert len(store.memories.newest(CURRENT_FILTERS, 9)) == shown_count
            assert len(store.vectors.nearest(MEMORY, EAST, CURRENT_FILTERS, 9)) == shown_count

    def test_what_is_over_is_named_from_after_a_number_on_without_history(self, store: Store) -> None:
        faded_memory, expired_memory = a_memory(fades=NOW), a_memory(expires=NOW)
        keep(store, faded_memory, expired_memory, a_memory(fades=NOW + 1), a_memory(fades=NOW, valid_until=NOW))
        rows = store.upkeep.over(NOW, 0, 9)
        assert [memory for _, memory in rows] == [faded_memory, expired_memory]
        assert store.upkeep.over(NOW, rows[0][0], 9) == rows[1:]
        assert store.upkeep.over(NOW, 0, 1) == rows[:1]

    def test_only_what_nobody_else_said_counts_as_promoted(self, store: Store) -> None:
        alone = a_memory(sources=("promoted",))
        keep(store, alone, a_memory(sources=("promoted", "manual")), a_memory(sources=("manual",)))
        keep(store, a_memory(sources=("promoted",), valid_until=NOW))
        assert store.upkeep.promoted() == 1
        assert [memory for _, memory in store.upkeep.promoted_after(0, 9)] == [alone]

    def test_what_people_and_imports_put_there_is_not_offered_for_merging(self, store: Store) -> None:
        mergeable = [a_memory(trust="agent"), a_memory(trust="tool")]
        keep(store, *mergeable, a_memory(trust="user"), a_memory(trust="imported"))
        assert [memory for _, memory in store.upkeep.unmerged(0, 9)] == mergeable

    def test_memories_come_by_last_read_then_by_age(self, store: Store) -> None:
        read_memory = a_memory(accessed_at=NOW, created_at=NOW - 9)
        old, new = a_memory(created_at=NOW - 5), a_memory(created_at=NOW - 1)
        keep(store, read_memory, new, old)
        assert store.upkeep.least_read(0, 9) == [old, new, read_memory]
        assert store.upkeep.least_read(1, 1) == [new]
        assert store.upkeep.memories() == 3

    def test_turns_are_spare_when_their_session_ended_and_they_prove_no_memory(self, store: Store) -> None:
        """The session that ended first comes first; where a session was read to, it can go on."""
        memory = a_memory()
        keep(store, memory)
        later, first, active = (
            a_session(status="completed", ended_at=NOW),
            a_session(status="completed", ended_at=NOW - DAY_MS),
            a_session(),
        )
        proof, spare = a_turn(first, "proof"), a_turn(first, "spare é")
        keep_turns(store, later, a_turn(later, "late"), a_turn(later, "read up to here"))
        keep_turns(store, first, proof, spare)
        keep_turns(store, active, a_turn(active, "still talking"))
        with store.writing():
            place = Evidence(turn=proof.id, start=0, end=5)
            store.findings.put([a_finding(first, memory=memory.id, evidence=(place,))])
            late, mark = store.turns.of(later.id)
            stored_session = store.sessions.get(later.id)
            assert stored_session
            store.sessions.replace(a_session(id=later.id, status="completed", ended_at=NOW, read_to=mark.id))
        assert store.upkeep.spare_turns(None, 9) == [(spare.id, 8), (late.id, 4)]
        assert store.upkeep.spare_turns(NOW, 9) == [(spare.id, 8)]
        assert store.upkeep.spare_turns(None, 1) == [(spare.id, 8)]

    def test_deleted_turns_leave_search_with_what_only_they_proved(self, store: Store) -> None:
        memory, session = a_memory(), a_session()
        deleted_turn, stays = a_turn(session, "the walrus sleeps"), a_turn(session, "the walrus swims")
        keep(store, memory)
        keep_turns(store, session, deleted_turn, stays)
        with store.writing():
            place = (Evidence(turn=deleted_turn.id, start=0, end=3),)
            unproven, proven = (
                a_finding(session, evidence=place),
                a_finding(session, evidence=place, memory=memory.id),
            )
            orphan = a_finding(session, evidence=place, memory=an_id())
            store.findings.put([unproven, proven, orphan])
            store.turns.delete([deleted_turn.id])
        assert store.turns.of(session.id) == [stays]
        assert [candidate.id for candidate in store.turns.match(terms_of("walrus"), Filters(), 9).candidates] == [
            stays.id
        ]
        assert store.findings.of(session.id, None, 9) == [proven]
        assert store.vectors.waiting()["turn"] == 1
        stored_session = store.sessions.get(session.id)
        assert stored_session
        assert stored_session.turns == 2

    def test_evicting_needs_no_scrub(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)
        with store.writing():
            store.memories.evict([memory.id])
        assert store.memories.get([memory.id]) == []
        assert not store.state().scrub_pending

    def test_the_oldest_accesses_go_first(self, store: Store) -> None:
        with store.writing():
            store.accesses.record([Access(memory=f"m{number}", action="get", at=NOW) for number in range(5)])
            store.upkeep.drop_accesses(3)
        assert [access.memory for access in store.accesses.recent(9)] == ["m4", "m3"]
        assert store.upkeep.accesses() == 2

    def test_totals_outlive_what_they_count(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)
        with store.writing():
            store.memories.count_read([memory.id], NOW)
            store.audit.record(Event(action="promote", actor="a", at=NOW, ids=("x", "y")))
            store.audit.record(Event(action="evict", actor="a", at=NOW, ids=(memory.id,)))
            store.memories.evict([memory.id])
            store.upkeep.note("compacted_at", NOW)
        expected_totals = Totals(promotions=2, evictions=1, reads=1, compacted_at=NOW)
        assert store.upkeep.totals() == expected_totals
        assert store.upkeep.fact("compacted_at") == NOW
        assert store.upkeep.fact("nothing") is None

    def test_totals_go_on_from_those_of_another_store(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)
        before = Totals(promotions=7, evictions=5, reads=3, compacted_at=NOW, tended_at=NOW + 1)
        with store.writing():
            store.memories.count_read([memory.id], NOW)
            store.audit.record(Event(action="promote", actor="a", at=NOW, ids=("x",)))
            store.upkeep.resume(before)
        assert store.upkeep.totals() == before
        with store.writing():
            store.memories.count_read([memory.id], NOW)
            store.audit.record(Event(action="promote", actor="a", at=NOW, ids=("x",)))
        assert (store.upkeep.totals().promotions, store.upkeep.totals().reads) == (8, 4)

    def test_compacting_ends_while_others_go_on_writing(self, store: Store) -> None:
        keep(store, *(a_memory(content=f"walrus number {number} " + "and so on " * 50) for number in range(200)))
        with store.writing():
            store.memories.evict([memory.id for memory in store.memories.newest(Filters(), 100)])
        steps = 0
        while store.upkeep.compact(2):
            keep(store, a_memory())
            steps += 1
            assert steps < 100
        assert not store.upkeep.untidy()

    def test_compacting_ends_and_keeps_every_row_indexed(self, store: Store) -> None:
        memories = [a_memory(content=f"walrus number {number} " + "and so on " * 50) for number in range(60)]
        keep(store, *memories)
        with store.writing():
            store.memories.evict([memory.id for memory in memories[:50]])
        before = store.upkeep.used()
        for _ in range(1_000):
            if not store.upkeep.compact(8):
                break
        else:
            raise AssertionError("compacting never ends")
        health = store.upkeep.health()
        assert (health.rows, health.indexed, health.free_bytes) == (10, 10, 0)
        assert store.upkeep.used() <= before
        assert len(store.memories.match(terms_of("walrus"), Filters(), 99).candidates) == 10
