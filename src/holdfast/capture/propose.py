"""Keeping what an agent may only propose: once, within bounds, journalled; and telling the agent so."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from holdfast.capture.permission import Denial
from holdfast.errors import PersonNeeded, Proposed
from holdfast.model.inbox import DROPPED, Proposal
from holdfast.model.records import Event
from holdfast.ports import Store
from holdfast.stores.retry import again

P = ParamSpec("P")
T = TypeVar("T")

MOST_WAITING = 200
"""Proposals that can wait at a time: an agent gone wrong shall not bury what matters."""


def proposing(act: Callable[P, T]) -> Callable[P, T]:
    """Let a verb that an agent may not do on its own leave a proposal, and raise `Proposed`."""

    @functools.wraps(act)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return act(*args, **kwargs)
        except Denial as denial:
            proposal = propose(denial.store, denial.proposal)
        raise Proposed(
            proposal=proposal.id[-8:],
            verb=proposal.verb,
            id=proposal.memory[-8:],
            why=proposal.why,
            proposal_id=proposal.id,
        )

    return asked


@again
def propose(store: Store, proposal: Proposal) -> Proposal:
    """Keep a proposal and return it; one that asks for the same and waits already is returned instead.

    What a person dropped before is not asked again.
    """
    with store.writing():
        for earlier_proposal in reversed(store.proposals.about(proposal.memory)):
            if earlier_proposal.asks_the_same(proposal) and earlier_proposal.waits:
                return earlier_proposal
            if earlier_proposal.asks_the_same(proposal) and earlier_proposal.outcome == DROPPED:
                action = f"{proposal.verb} of {proposal.memory[-8:]}, which the user declined before,"
                raise PersonNeeded(what=action)
        if len(store.proposals.waiting()) >= MOST_WAITING:
            raise PersonNeeded(what=f"one more than {MOST_WAITING} waiting proposals")
        ids = (proposal.id, proposal.memory, *([proposal.other] if proposal.other else []))
        detail = {"verb": proposal.verb}
        store.audit.record(Event(action="propose", actor=proposal.actor, at=proposal.at, ids=ids, detail=detail))
        store.proposals.put([proposal])
    return proposal
