"""What agents asked for: it waits until a person settles it, and goes with the memories it is about."""

from dataclasses import replace

from holdfast.model.inbox import DROPPED, PIN, SUPERSEDE, UPDATE, Proposal
from holdfast.model.memory import Memory
from holdfast.ports import Store
from holdfast.testing.builders import NOW, a_memory, an_id, keep


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
