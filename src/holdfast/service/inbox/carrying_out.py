"""Doing what an agent proposed, as the person who accepts it."""

from collections.abc import Callable

from holdfast.capture.prepare import WriteContext
from holdfast.errors import InvalidInput
from holdfast.model import inbox as model
from holdfast.model.actor import Actor
from holdfast.model.inbox import Proposal
from holdfast.model.kinds import CANDIDATE, USER
from holdfast.model.requests import Changes
from holdfast.model.value import Value
from holdfast.ports import Clock
from holdfast.service.change import MemoryEditor
from holdfast.service.forget import Forgetting
from holdfast.service.scopes import Scopes


class ProposalVerbs(Value):
    """What carries out a proposal: the verbs of the person who accepts it."""

    standing: MemoryEditor
    forgetting: Forgetting
    desk: Callable[[], WriteContext]
    check_on: Callable[[], None]


def carry_out(proposal: Proposal, verbs: ProposalVerbs, scopes: Scopes, actor: Actor, clock: Clock) -> None:
    """Do what is proposed."""
    editor, memory, other_id = verbs.standing, proposal.memory, proposal.other or ""
    match proposal.verb:
        case model.UPDATE:
            editor.update(memory, _changes(proposal), verbs.desk())
        case model.FORGET:
            verbs.forgetting.one(memory, actor, clock.now())
        case model.PIN:
            editor.pin(memory)
        case model.UNPIN:
            editor.unpin(memory)
        case model.CONFIRM:
            editor.confirm(memory)
        case model.SUPERSEDE:
            editor.supersede(memory, other_id)
            vouch(other_id, verbs, scopes)
        case model.REINSTATE:
            editor.reinstate(memory)
        case model.RESOLVE:
            store, conflict = scopes.conflict(str(proposal.arguments["conflict"]))
            editor.resolve(store, conflict, str(proposal.arguments["keep"]))
        case _:
            problem = f"asks for {proposal.verb}, which this version does not know."
            raise InvalidInput(field="proposal", problem=problem)


def vouch(memory_id: str, verbs: ProposalVerbs, scopes: Scopes) -> None:
    """Confirm what a person chose over something else: whoever says so says that it holds."""
    if scopes.find(memory_id)[1].status == CANDIDATE:
        verbs.standing.confirm(memory_id)


def _changes(proposal: Proposal) -> Changes:
    values = {
        name: tuple(value) if isinstance(value, list) else value for name, value in proposal.arguments.items()
    }
    return Changes(**values, trust=USER)  # type: ignore[arg-type]  # the names that an update has
