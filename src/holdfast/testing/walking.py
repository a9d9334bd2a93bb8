"""Going through everything a store holds, and putting other words in its place."""

from dataclasses import replace

from holdfast.model.records import Access
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.recall.terms import terms_of
from holdfast.testing.builders import HEARD, NOW, a_memory, a_session, a_turn, an_id, keep, keep_turns


class WalkingContract:
    """`walk` and `once_saying` of memories, `walk` of turns, `reword` of accesses, `match` within a budget."""

    def test_memories_are_walked_in_order_of_arrival_history_included(self, store: Store) -> None:
        rows = [a_memory(created_at=NOW - place, valid_until=NOW if place == 1 else None) for place in range(5)]
        keep(store, *rows)
        assert store.memories.walk(None, 3) == rows[:3]
        assert store.memories.walk(rows[2].id, 3) == rows[3:]
        assert store.memories.walk(rows[4].id, 3) == []

    def test_turns_are_walked_in_order_of_arrival_across_sessions(self, store: Store) -> None:
        one, other = a_session(), a_session()
        first, second = a_turn(one, "first"), a_turn(other, "second")
        keep_turns(store, one, first)
        keep_turns(store, other, second)
        assert store.turns.walk(None, 9) == [first, second]
        assert store.turns.walk(first.id, 9) == [second]

    def test_what_was_once_said_is_found_by_fingerprint_and_of_several_the_latest(self, store: Store) -> None:
        early = a_memory(content="Redis", valid_until=NOW + 1)
        late = a_memory(content="Redis", valid_until=NOW + 2)
        holds, other = a_memory(content="Redis"), a_memory(content="Postgres", valid_until=NOW, project="other")
        keep(store, late, early, holds, other)
        prints = [holds.fingerprint, other.fingerprint, "0" * 64]
        assert store.memories.once_saying(holds.project, prints) == {late.fingerprint: late}
        assert store.memories.saying(holds.project, prints) == {holds.fingerprint: holds}
        assert store.memories.once_saying("other", prints) == {other.fingerprint: other}

    def test_every_text_of_a_replaced_row_is_its_new_one(self, store: Store) -> None:
        session = a_session(ref="old", user="old", agent="old", summary="old")
        turn = a_turn(session, "old", ref="old", tool="old", files=("old",))
        keep_turns(store, session, turn)
        memory = a_memory(user="old", agent="old", branch="old", commit="old", kind_confidence=0.5)
        keep(store, memory)
        new_session = replace(session, ref="new", user="new", agent="new", summary="new", private_depth=2)
        new_turn = replace(turn, text="new", ref="new", role="new", tool="new", files=("new",))
        new_memory = replace(memory, user="new", agent="new", branch="new", commit="new", kind_confidence=None)
        with store.writing():
            store.sessions.replace(new_session)
            store.turns.replace(new_turn)
            store.memories.replace(new_memory)
        assert store.turns.of(session.id) == [new_turn]
        assert store.memories.get([memory.id]) == [new_memory]
        found = store.sessions.get(session.id)
        assert found == replace(new_session, turns=1, tool_calls=1, last_turn_at=turn.at, heard_at=HEARD)

    def test_queries_are_reworded_wherever_they_stand(self, store: Store) -> None:
        looks = [
            Access(memory=an_id(), action="search", at=NOW, query=query) for query in ("a", "b", "a", "c", None)
        ]
        with store.writing():
            store.accesses.record(looks)
            store.accesses.reword({"a": "x", "c": None, "nowhere": "y"})
        assert [one.query for one in store.accesses.recent(9)][::-1] == ["x", "b", "x", None, None]

    def test_a_match_reads_no_more_postings_than_it_is_given(self, store: Store) -> None:
        keep(store, *(a_memory(content=f"common walrus {number}") for number in range(20)))
        rare = a_memory(content="rare common ocelot")
        keep(store, rare)
        terms = terms_of("common ocelot")
        whole = store.memories.match(terms, Filters(), 100)
        frugal = store.memories.match(terms, Filters(), 100, 5)
        assert (len(whole.candidates), whole.searched) == (21, (True, True))
        assert ([one.id for one in frugal.candidates], frugal.searched) == ([rare.id], (False, True))
