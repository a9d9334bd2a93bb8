"""Going through everything a store holds, and putting other words in its place."""

from msgspec.structs import replace

from holdfast.model.records import Access
from holdfast.ports import Store
from tests.contract.builders import ARRIVED_AT, NOW, a_memory, a_session, a_turn, an_id, keep, keep_turns
from tests.contract.conflicts import a_conflict


class WalkingContract:
    """`walk`, `ever_saying` and `akin` of memories, `walk` of turns, `reword` of accesses."""

    def test_memories_are_walked_in_order_of_arrival_history_included(self, store: Store) -> None:
        rows = [a_memory(created_at=NOW - place, valid_until=NOW if place == 1 else None) for place in range(5)]
        keep(store, *rows)
        assert store.memories.walk(None, 3) == rows[:3]
        assert store.memories.walk(rows[2].id, 3) == rows[3:]
        assert store.memories.walk(rows[4].id, 3) == []

    def test_turns_are_walked_in_order_of_arrival_across_sessions(self, store: Store) -> None:
        session, other_session = a_session(), a_session()
        first, second = a_turn(session, "first"), a_turn(other_session, "second")
        keep_turns(store, session, first)
        keep_turns(store, other_session, second)
        assert store.turns.walk(None, 9) == [first, second]
        assert store.turns.walk(first.id, 9) == [second]

    def test_a_walk_goes_on_from_where_it_was_though_that_row_is_gone(self, store: Store) -> None:
        memories, session = [a_memory() for _ in range(5)], a_session()
        turns = [a_turn(session, f"turn {place}") for place in range(5)]
        keep(store, *memories)
        keep_turns(store, session, *turns)
        assert (store.memories.walk(None, 2), store.turns.walk(None, 2)) == (memories[:2], turns[:2])
        with store.writing():
            store.memories.delete([memories[1].id, memories[2].id])
            store.turns.delete([turns[1].id, turns[2].id])
        assert store.memories.walk(memories[1].id, 9) == memories[3:]
        assert store.turns.walk(turns[1].id, 9) == turns[3:]

    def test_sessions_are_walked_in_order_of_arrival(self, store: Store) -> None:
        rows = [a_session(started_at=NOW - place) for place in range(4)]
        for session in rows:
            keep_turns(store, session)
        assert store.sessions.walk(None, 3) == rows[:3]
        assert store.sessions.walk(rows[2].id, 3) == rows[3:]

    def test_conflicts_are_walked_in_order_of_arrival_settled_ones_included(self, store: Store) -> None:
        memories = [a_memory() for _ in range(3)]
        keep(store, *memories)
        first = a_conflict(memories[1], memories[2])
        second = a_conflict(memories[0], memories[1], resolved_at=NOW, kept="both")
        with store.writing():
            store.conflicts.record([first, second])
        assert store.conflicts.walk(None, 9) == [first, second]
        assert store.conflicts.walk(first.id, 9) == [second]

    def test_what_was_ever_said_is_found_by_fingerprint_in_the_order_it_stopped_holding(
        self, store: Store
    ) -> None:
        early = a_memory(content="Redis", valid_until=NOW + 1)
        late = a_memory(content="Redis", valid_until=NOW + 2)
        holds, other_memory = (
            a_memory(content="Redis"),
            a_memory(content="Postgres", valid_until=NOW, project="other"),
        )
        keep(store, late, early, holds, other_memory)
        prints = [holds.fingerprint, other_memory.fingerprint, "0" * 64]
        assert store.memories.ever_saying(holds.project, prints) == [early, late, holds]
        assert store.memories.saying(holds.project, prints) == {holds.fingerprint: holds}
        assert store.memories.ever_saying("other", prints) == [other_memory]

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
        stored_session = store.sessions.get(session.id)
        assert stored_session == replace(
            new_session, turns=1, tool_calls=1, last_turn_at=turn.at, heard_at=ARRIVED_AT
        )

    def test_queries_are_reworded_wherever_they_stand(self, store: Store) -> None:
        looks = [
            Access(memory=an_id(), action="search", at=NOW, query=query) for query in ("a", "b", "a", "c", None)
        ]
        with store.writing():
            store.accesses.record(looks)
            store.accesses.reword({"a": "x", "c": None, "nowhere": "y"})
        assert [access.query for access in store.accesses.recent(9)][::-1] == ["x", "b", "x", None, None]

    def test_memories_are_akin_that_share_most_of_a_topic(self, store: Store) -> None:
        """Best first, those that hold and of the same project; a third of the shorter one has to be shared."""
        texts = (
            "We use Redis for the job queue",
            "The job queue is drained nightly by a cron entry on the batch host",
            "Redis",
            "Lunch is at noon in the kitchen",
        )
        near_memory, far, short, other_memory = (a_memory(content=text) for text in texts)
        superseded_memory = a_memory(content=texts[0] + "!", valid_until=NOW)
        expired_memory = a_memory(content=texts[0] + "?", expires=NOW)
        elsewhere = a_memory(content=texts[0], project="elsewhere")
        keep(store, near_memory, far, short, other_memory, superseded_memory, expired_memory, elsewhere)
        akin_memories = store.memories.akin(
            near_memory.project,
            ["We no longer use Redis for the job queue", "Dinner in the kitchen", "Moon"],
            NOW,
            9,
        )
        assert akin_memories == [[near_memory, short, far], [other_memory], []]
        assert store.memories.akin(near_memory.project, ["the Redis queue of jobs"], NOW, 2) == [
            [near_memory, short]
        ]

    def test_what_no_longer_counts_leaves_its_place_to_what_is_less_akin(self, store: Store) -> None:
        """The nearest have expired: the next ones are found in their place."""
        expired = [a_memory(content=f"Redis job queue {sign}", expires=NOW) for sign in "!?"]
        current = [a_memory(content=f"Redis job queue of the {place} host") for place in ("east", "west")]
        keep(store, *expired, *current)
        [akin_memories] = store.memories.akin(current[0].project, ["Redis job queue"], NOW, 2)
        assert {memory.id for memory in akin_memories} == {memory.id for memory in current}

    def test_a_memory_is_akin_to_what_it_says_now_and_while_it_holds(self, store: Store) -> None:
        memory = a_memory(content="We use Redis for the job queue")
        keep(store, memory)
        changed_memory = replace(memory, content="Lunch is at noon", fingerprint="0" * 64)
        with store.writing():
            store.memories.replace(changed_memory)
        texts = ["Redis job queue", "noon lunch"]
        assert store.memories.akin(memory.project, texts, NOW, 9) == [[], [changed_memory]]
        with store.writing():
            store.memories.replace(replace(changed_memory, valid_until=NOW))
        assert store.memories.akin(memory.project, texts, NOW, 9) == [[], []]
        with store.writing():
            store.memories.replace(changed_memory)
        assert store.memories.akin(memory.project, texts, NOW, 9) == [[], [changed_memory]]
        with store.writing():
            store.memories.delete([memory.id])
        assert store.memories.akin(memory.project, texts, NOW, 9) == [[], []]

    def test_of_a_word_that_stands_in_many_memories_the_newest_are_akin(self, store: Store) -> None:
        rows = [a_memory(content=f"walrus{number} walrus") for number in range(100)]
        keep(store, *rows)
        [akin_memories] = store.memories.akin(rows[0].project, ["walrus"], NOW, 100)
        assert akin_memories == rows[:-65:-1]
