"""Vectors: what waits for one, what is kept, what is near."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from holdfast.model.search import Filters
from holdfast.model.vectors import Failure, Near, VectorModel
from holdfast.ports import Store
from tests.contract.builders import NOW, a_memory, a_session, a_turn, keep, keep_turns
from tests.contract.transactions import Interruption

Floats = NDArray[np.float32]

MODEL = VectorModel("compass", 4)
EAST, NORTH, UP = (np.eye(4, dtype=np.float32)[place] for place in range(3))


def towards(*parts: float) -> Floats:
    """Return the unit vector of a direction."""
    whole = np.zeros(4, np.float32)
    whole[: len(parts)] = parts
    unit: Floats = whole / np.linalg.norm(whole)
    return unit


def embed(store: Store, vectors: Mapping[str, Sequence[Floats]], target: str = "memory") -> int:
    """Keep vectors of rows, as whoever asked what waits would."""
    with store.writing():
        if store.vectors.model() is None:
            store.vectors.switch(MODEL)
        marks = {row.id: row.mark for row in store.vectors.unembedded(target, 1_000)}
        return store.vectors.put(
            target, MODEL, {row_id: np.array(rows) for row_id, rows in vectors.items()}, marks
        )


def nearest_rows(
    store: Store, query: Floats, limit: int = 10, target: str = "memory", **filters: object
) -> list[Near]:
    """Ask for the nearest rows, cosines to two digits."""
    neighbours = store.vectors.nearest(target, query, Filters(**filters), limit)  # type: ignore[arg-type]  # our own names
    return [Near(neighbour.id, round(neighbour.cosine, 2)) for neighbour in neighbours]


def ids(neighbours: list[Near]) -> list[str]:
    """Return the ids, nearest first."""
    return [neighbour.id for neighbour in neighbours]


class VectorsContract:
    """`ports.Vectors`."""

    def test_a_new_store_has_no_model_and_nothing_near(self, store: Store) -> None:
        keep(store, a_memory())
        assert store.vectors.model() is None
        assert nearest_rows(store, EAST) == []
        assert store.vectors.cosines("memory", EAST, []) == {}
        assert store.vectors.waiting() == {"memory": 1, "turn": 0}

    def test_what_is_new_waits_newest_first(self, store: Store) -> None:
        memories = [a_memory() for _ in range(3)]
        session = a_session()
        turn = a_turn(session, "words")
        keep(store, *memories)
        keep_turns(store, session, turn)
        assert [row.id for row in store.vectors.unembedded("memory", 2)] == [memories[2].id, memories[1].id]
        assert [row.id for row in store.vectors.unembedded("turn", 9)] == [turn.id]
        assert store.vectors.waiting() == {"memory": 3, "turn": 1}

    def test_the_nearest_come_first_with_their_cosines(self, store: Store) -> None:
        first, second, third = a_memory(), a_memory(), a_memory()
        keep(store, first, second, third)
        assert embed(store, {first.id: [NORTH], second.id: [towards(1, 1)], third.id: [EAST]}) == 3
        assert nearest_rows(store, EAST) == [Near(third.id, 1.0), Near(second.id, 0.71), Near(first.id, 0.0)]
        assert nearest_rows(store, EAST, limit=1) == [Near(third.id, 1.0)]
        assert store.vectors.waiting() == {"memory": 0, "turn": 0}
        assert store.vectors.model() == MODEL

    def test_the_nearest_chunk_of_a_row_counts(self, store: Store) -> None:
        long, short = a_memory(), a_memory()
        keep(store, long, short)
        embed(store, {long.id: [NORTH, UP, EAST], short.id: [towards(2, 1)]})
        assert nearest_rows(store, EAST) == [Near(long.id, 1.0), Near(short.id, 0.89)]
        assert nearest_rows(store, EAST, limit=1) == [Near(long.id, 1.0)]

    def test_cosines_of_named_rows_leave_out_those_that_wait(self, store: Store) -> None:
        first, second, third = a_memory(), a_memory(), a_memory()
        keep(store, first, second, third)
        embed(store, {first.id: [NORTH, towards(1, 1)], second.id: [EAST]})
        cosines = store.vectors.cosines("memory", EAST, [first.id, third.id, "unknown"])
        assert {row: round(cosine, 2) for row, cosine in cosines.items()} == {first.id: 0.71}

    def test_vectors_come_back_as_they_were_kept(self, store: Store) -> None:
        first, second, third = a_memory(), a_memory(), a_memory()
        keep(store, first, second, third)
        embed(store, {first.id: [NORTH, towards(1, 1)], second.id: [EAST]})
        vectors = store.vectors.kept("memory", [second.id, first.id, third.id, "unknown"])
        assert set(vectors) == {first.id, second.id}
        assert np.allclose(vectors[first.id], [NORTH, towards(1, 1)], atol=1e-3)
        assert np.allclose(vectors[second.id], [EAST])

    def test_memories_and_turns_do_not_meet(self, store: Store) -> None:
        memory, session = a_memory(), a_session()
        turn = a_turn(session, "words")
        keep(store, memory)
        keep_turns(store, session, turn)
        embed(store, {memory.id: [EAST]})
        embed(store, {turn.id: [NORTH]}, "turn")
        assert (ids(nearest_rows(store, EAST)), ids(nearest_rows(store, EAST, target="turn"))) == (
            [memory.id],
            [turn.id],
        )

    def test_a_filter_comes_before_the_limit(self, store: Store) -> None:
        better = [a_memory() for _ in range(30)]
        decision = a_memory(kind="decision")
        keep(store, *better, decision)
        embed(store, {memory.id: [EAST] for memory in better} | {decision.id: [towards(1, 3)]})
        assert ids(nearest_rows(store, EAST, limit=1, kinds=("decision",))) == [decision.id]

    def test_turns_are_filtered_by_session_and_time(self, store: Store) -> None:
        session, other_session = a_session(), a_session()
        early, late, other_turn = (
            a_turn(session, "a"),
            a_turn(session, "b", at=NOW + 5),
            a_turn(other_session, "c", at=NOW + 5),
        )
        keep_turns(store, session, early, late)
        keep_turns(store, other_session, other_turn)
        embed(store, {turn.id: [EAST] for turn in (early, late, other_turn)}, "turn")
        neighbours = nearest_rows(store, EAST, target="turn", session=session.id, since=NOW + 1)
        assert ids(neighbours) == [late.id]

    def test_what_no_longer_holds_is_left_out_of_current_reads(self, store: Store) -> None:
        holds, expired_memory, newer = a_memory(), a_memory(expires=NOW + 10), a_memory()
        old = a_memory(valid_until=NOW, superseded_by=newer.id)
        keep(store, holds, expired_memory, newer, old)
        embed(store, {memory.id: [EAST] for memory in (holds, expired_memory, newer, old)})
        assert set(ids(nearest_rows(store, EAST, current_at=NOW + 10))) == {holds.id, newer.id}
        assert set(ids(nearest_rows(store, EAST, current_at=NOW + 9))) == {holds.id, newer.id, expired_memory.id}
        assert len(nearest_rows(store, EAST)) == 4

    def test_superseding_shows_at_the_next_read(self, store: Store) -> None:
        old, newer = a_memory(), a_memory()
        keep(store, old, newer)
        embed(store, {old.id: [EAST], newer.id: [NORTH]})
        assert ids(nearest_rows(store, EAST, current_at=NOW)) == [old.id, newer.id]
        with store.writing():
            store.memories.replace(replace(old, valid_until=NOW, superseded_by=newer.id))
        assert ids(nearest_rows(store, EAST, current_at=NOW)) == [newer.id]

    def test_a_new_text_drops_the_vectors_and_waits_again(self, store: Store) -> None:
        memory, session = a_memory(), a_session()
        turn = a_turn(session, "words")
        keep(store, memory)
        keep_turns(store, session, turn)
        embed(store, {memory.id: [EAST]})
        embed(store, {turn.id: [EAST]}, "turn")
        nearest_rows(store, EAST)
        nearest_rows(store, EAST, target="turn")
        with store.writing():
            store.memories.replace(replace(memory, content="something else"))
            store.turns.replace(replace(turn, text="[forgotten]"))
        assert (nearest_rows(store, EAST), nearest_rows(store, EAST, target="turn")) == ([], [])
        assert store.vectors.waiting() == {"memory": 1, "turn": 1}

    def test_a_new_standing_keeps_the_vectors(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)
        embed(store, {memory.id: [EAST]})
        with store.writing():
            store.memories.replace(replace(memory, status="pinned", importance=0.9, tags=("a",)))
        assert nearest_rows(store, EAST) == [Near(memory.id, 1.0)]
        assert store.vectors.waiting() == {"memory": 0, "turn": 0}

    def test_a_deleted_row_is_never_found_and_never_waits(self, store: Store) -> None:
        deleted_memory, stays, waits = a_memory(), a_memory(), a_memory()
        keep(store, deleted_memory, stays, waits)
        embed(store, {deleted_memory.id: [EAST], stays.id: [NORTH]})
        assert ids(nearest_rows(store, EAST)) == [deleted_memory.id, stays.id]
        with store.writing():
            store.memories.delete([deleted_memory.id, waits.id])
        assert ids(nearest_rows(store, EAST)) == [stays.id]
        assert store.vectors.waiting() == {"memory": 0, "turn": 0}

    def test_a_vector_made_from_an_older_text_is_not_kept(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)
        with store.writing():
            store.vectors.switch(MODEL)
        [waiting_row] = store.vectors.unembedded("memory", 9)
        with store.writing():
            store.memories.replace(replace(memory, content="said anew"))
        with store.writing():
            kept_count = store.vectors.put(
                "memory", MODEL, {memory.id: np.array([EAST])}, {memory.id: waiting_row.mark}
            )
        assert (kept_count, nearest_rows(store, EAST), store.vectors.waiting()["memory"]) == (0, [], 1)

    def test_a_vector_of_another_model_is_not_kept(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)
        with store.writing():
            store.vectors.switch(MODEL)
            other_model = VectorModel("sextant", 4)
            assert store.vectors.put("memory", other_model, {memory.id: np.array([EAST])}, None) == 0
        assert nearest_rows(store, EAST) == []

    def test_a_vector_for_a_row_that_is_gone_is_not_kept(self, store: Store) -> None:
        with store.writing():
            store.vectors.switch(MODEL)
            assert store.vectors.put("memory", MODEL, {"unknown": np.array([EAST])}, None) == 0

    def test_vectors_may_come_with_their_rows(self, store: Store) -> None:
        memory = a_memory()
        with store.writing():
            store.vectors.switch(MODEL)
            store.memories.insert([memory])
            assert store.vectors.put("memory", MODEL, {memory.id: np.array([EAST])}, None) == 1
        assert nearest_rows(store, EAST) == [Near(memory.id, 1.0)]

    def test_another_model_drops_everything_and_lets_it_wait(self, store: Store) -> None:
        memory, session = a_memory(), a_session()
        keep(store, memory)
        keep_turns(store, session, a_turn(session, "words"))
        embed(store, {memory.id: [EAST]})
        assert len(nearest_rows(store, EAST)) == 1
        with store.writing():
            store.vectors.switch(VectorModel("sextant", 2))
        assert store.vectors.model() == VectorModel("sextant", 2)
        assert nearest_rows(store, EAST[:2]) == []
        assert store.vectors.waiting() == {"memory": 1, "turn": 1}

    def test_the_first_model_leaves_what_waits_as_it_was(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)
        before = store.vectors.unembedded("memory", 9)
        with store.writing():
            store.vectors.switch(MODEL)
        assert store.vectors.unembedded("memory", 9) == before

    def test_a_failure_is_remembered_until_it_is_over(self, store: Store) -> None:
        assert store.vectors.failure() is None
        failure = Failure("compass", "it points nowhere", NOW)
        with store.writing():
            store.vectors.note_failure(failure)
        assert store.vectors.failure() == failure
        with store.writing():
            store.vectors.note_failure(None)
        assert store.vectors.failure() is None

    def test_a_failure_leaves_with_what_was_forgotten(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)
        with store.writing():
            store.vectors.note_failure(Failure("compass", f"cannot embed {memory.content!r}", NOW))
        with store.writing():
            store.memories.delete([memory.id])
        store.scrub()
        assert store.vectors.failure() is None

    def test_a_failed_transaction_remembers_no_failure(self, store: Store) -> None:
        def half() -> None:
            with store.writing():
                store.vectors.note_failure(Failure("compass", "it points nowhere", NOW))
                raise Interruption

        with pytest.raises(Interruption):
            half()
        assert store.vectors.failure() is None

    def test_a_failed_transaction_leaves_no_vector(self, store: Store) -> None:
        memory, late = a_memory(), a_memory()
        keep(store, memory)
        embed(store, {memory.id: [NORTH]})

        def half() -> None:
            with store.writing():
                store.memories.insert([late])
                store.vectors.put("memory", MODEL, {late.id: np.array([EAST])}, None)
                assert ids(nearest_rows(store, EAST)) == [late.id, memory.id]
                raise Interruption

        with pytest.raises(Interruption):
            half()
        assert nearest_rows(store, EAST) == [Near(memory.id, 0.0)]
        keep(store, other_memory := a_memory())
        embed(store, {other_memory.id: [UP]})
        assert ids(nearest_rows(store, UP)) == [other_memory.id, memory.id]

    def test_settling_changes_no_answer(self, store: Store) -> None:
        memories = [a_memory() for _ in range(5)]
        keep(store, *memories)
        embed(store, {memory.id: [towards(1, place)] for place, memory in enumerate(memories)})
        before = nearest_rows(store, EAST)
        store.vectors.settle()
        assert nearest_rows(store, EAST) == before
        with store.writing():
            store.memories.delete([memories[0].id])
        store.vectors.settle()
        assert nearest_rows(store, EAST) == before[1:]
