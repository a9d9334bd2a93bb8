"""Pairs of memories that disagree: noted once, shown while both hold, gone with either."""

from dataclasses import replace

from holdfast.model.memory import Conflict, Memory
from holdfast.ports import Store
from holdfast.testing.builders import NOW, a_memory, an_id, keep


def a_conflict(first: Memory, second: Memory, **fields: object) -> Conflict:
    """Make a conflict between two memories."""
    plain: dict[str, object] = {
        "id": an_id(),
        "first": first.id,
        "second": second.id,
        "kind": "contradictory",
        "detected_at": NOW,
    }
    return Conflict(**(plain | fields))  # type: ignore[arg-type]  # a caller's names are the fields' names


def note(store: Store, *conflicts: Conflict) -> None:
    """Record conflicts in one transaction."""
    with store.writing():
        store.conflicts.record(conflicts)


class ConflictsContract:
    """`ports.Conflicts`."""

    def test_a_conflict_comes_back_whole_by_id_and_by_tail(self, store: Store) -> None:
        memory, rival = a_memory(), a_memory()
        keep(store, memory, rival)
        conflict = a_conflict(memory, rival, kind="ambiguous")
        note(store, conflict)
        assert store.conflicts.get(conflict.id) == conflict
        assert store.conflicts.get(an_id()) is None
        digits = conflict.id.replace("-", "")
        assert store.conflicts.ending(digits[-8:]) == store.conflicts.ending(digits[-12:]) == [conflict.id]
        assert store.conflicts.ending("f" * 8) == []

    def test_unresolved_conflicts_come_newest_first_and_by_either_side(self, store: Store) -> None:
        a, b, c = a_memory(), a_memory(), a_memory()
        keep(store, a, b, c)
        first, second = a_conflict(a, b), a_conflict(b, c)
        note(store, first, second)
        assert store.conflicts.unresolved(NOW) == [second, first]
        assert store.conflicts.unresolved(NOW, [a.id]) == [first]
        assert store.conflicts.unresolved(NOW, [c.id, an_id()]) == [second]
        assert store.conflicts.unresolved(NOW, [b.id]) == [second, first]
        assert store.conflicts.unresolved(NOW, [an_id()]) == []
        assert store.counts(NOW).conflicts == 2

    def test_a_pair_that_was_noted_before_stays_as_it_is(self, store: Store) -> None:
        memory, rival = a_memory(), a_memory()
        keep(store, memory, rival)
        first = a_conflict(memory, rival)
        note(store, first, a_conflict(memory, rival, kind="superseded"))
        note(store, a_conflict(memory, rival))
        assert store.conflicts.unresolved(NOW) == [first]

    def test_a_settled_conflict_is_no_longer_unresolved(self, store: Store) -> None:
        memory, rival = a_memory(), a_memory()
        keep(store, memory, rival)
        conflict = a_conflict(memory, rival)
        note(store, conflict)
        settled_conflict = replace(conflict, resolved_at=NOW + 1, kept="both")
        with store.writing():
            store.conflicts.settle(settled_conflict)
        assert store.conflicts.unresolved(NOW) == []
        assert store.conflicts.get(conflict.id) == settled_conflict

    def test_a_settled_conflict_can_be_open_again(self, store: Store) -> None:
        memory, rival = a_memory(), a_memory()
        keep(store, memory, rival)
        conflict = a_conflict(memory, rival)
        note(store, conflict)
        with store.writing():
            store.conflicts.settle(replace(conflict, resolved_at=NOW + 1, kept=rival.id))
            store.conflicts.settle(conflict)
        assert store.conflicts.unresolved(NOW) == [conflict]

    def test_a_conflict_shows_only_while_both_sides_hold(self, store: Store) -> None:
        memory, rival, short = a_memory(), a_memory(), a_memory(expires=NOW + 5)
        keep(store, memory, rival, short)
        between, brief = a_conflict(memory, rival), a_conflict(memory, short)
        note(store, between, brief)
        assert store.conflicts.unresolved(NOW + 4) == [brief, between]
        assert store.conflicts.unresolved(NOW + 5) == [between]
        with store.writing():
            store.memories.replace(replace(rival, valid_until=NOW, superseded_by=memory.id))
        assert store.conflicts.unresolved(NOW) == [brief]
        with store.writing():
            store.memories.replace(rival)
        assert store.conflicts.unresolved(NOW) == [brief, between]

    def test_conflicts_go_with_a_deleted_memory(self, store: Store) -> None:
        a, b, c = a_memory(), a_memory(), a_memory()
        keep(store, a, b, c)
        deleted_conflict, stays = a_conflict(a, b), a_conflict(b, c)
        note(store, deleted_conflict, stays)
        with store.writing():
            store.memories.delete([a.id])
        assert store.conflicts.get(deleted_conflict.id) is None
        assert store.conflicts.unresolved(NOW) == [stays]

    def test_conflicts_of_a_transaction_that_failed_are_gone(self, store: Store) -> None:
        memory, rival = a_memory(), a_memory()
        keep(store, memory, rival)
        conflict = a_conflict(memory, rival)
        try:
            with store.writing():
                store.conflicts.record([conflict])
                raise RuntimeError
        except RuntimeError:
            pass
        assert store.conflicts.get(conflict.id) is None
