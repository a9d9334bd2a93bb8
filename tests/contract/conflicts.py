"""What waits for a person: pairs of memories that disagree, noted once and shown while both hold; and what agents
asked for. Both go with the memories they are about."""

from msgspec.structs import replace

from holdfast.model.inbox import DROPPED, PIN, SUPERSEDE, UPDATE, Proposal
from holdfast.model.memory import Conflict, Memory
from holdfast.ports import Store
from tests.contract.builders import NOW, a_memory, an_id, keep


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


def a_proposal(memory: Memory, **fields: object) -> Proposal:
    """Make a proposal about a memory."""
    plain: dict[str, object] = {
        "id": an_id(),
        "verb": PIN,
        "memory": memory.id,
        "actor": "mcp",
        "agent": "codex",
        "at": NOW,
        "why": "only a person pins",
    }
    return Proposal(**(plain | fields))  # type: ignore[arg-type]  # a caller's names are the fields' names


def put(store: Store, *proposals: Proposal) -> None:
    """Keep proposals in one transaction."""
    with store.writing():
        store.proposals.put(proposals)


class ProposalsContract:
    """`ports.Proposals`."""

    def test_a_proposal_comes_back_whole_by_id_and_by_tail(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)
        arguments = {"content": "Ümläuts — 日本語", "tags": ["a", "b"], "importance": 0.7, "expires": None}
        proposal = a_proposal(memory, verb=UPDATE, arguments=arguments, seen={memory.id: "d1"})
        put(store, proposal)
        assert store.proposals.get(proposal.id) == proposal
        assert store.proposals.get(an_id()) is None
        digits = proposal.id.replace("-", "")
        assert store.proposals.ending(digits[-8:]) == store.proposals.ending(digits[-12:]) == [proposal.id]
        assert store.proposals.ending("f" * 8) == []

    def test_proposals_wait_in_order_of_arrival_until_they_are_settled(self, store: Store) -> None:
        first_memory, second_memory = a_memory(), a_memory()
        keep(store, first_memory, second_memory)
        first, second = a_proposal(first_memory), a_proposal(second_memory)
        put(store, first, second)
        assert store.proposals.waiting() == [first, second]
        assert store.counts(NOW).proposals == 2
        settled_proposal = replace(first, settled_at=NOW + 1, outcome=DROPPED)
        put(store, settled_proposal)
        assert store.proposals.waiting() == [second]
        assert store.counts(NOW).proposals == 1
        assert store.proposals.walk(None, 10) == [settled_proposal, second]
        assert store.proposals.walk(first.id, 10) == [second]

    def test_proposals_are_found_by_either_memory_they_are_about(self, store: Store) -> None:
        old, new, apart = a_memory(), a_memory(), a_memory()
        keep(store, old, new, apart)
        between, alone = a_proposal(old, verb=SUPERSEDE, other=new.id), a_proposal(apart)
        put(store, between, alone)
        assert store.proposals.about(old.id) == store.proposals.about(new.id) == [between]
        assert store.proposals.about(apart.id) == [alone]
        assert store.proposals.about(an_id()) == []

    def test_proposals_go_with_either_memory_they_are_about(self, store: Store) -> None:
        old, new, apart = a_memory(), a_memory(), a_memory()
        keep(store, old, new, apart)
        between, alone = a_proposal(old, verb=SUPERSEDE, other=new.id), a_proposal(apart)
        put(store, between, alone)
        with store.writing():
            store.memories.delete([new.id])
        assert store.proposals.walk(None, 10) == [alone]
        with store.writing():
            store.memories.evict([apart.id])
        assert store.proposals.walk(None, 10) == []

    def test_proposals_of_a_transaction_that_failed_are_gone(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)
        proposal = a_proposal(memory)
        try:
            with store.writing():
                store.proposals.put([proposal])
                raise RuntimeError
        except RuntimeError:
            pass
        assert store.proposals.get(proposal.id) is None
