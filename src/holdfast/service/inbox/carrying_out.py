"""Doing what an agent proposed, as the person who accepts it."""

from collections.abc import Callable

from holdfast.capture.prepare import Desk
from holdfast.errors import InvalidInput
from holdfast.model import proposal as model
from holdfast.model.actor import Actor
from holdfast.model.kinds import CANDIDATE, USER
from holdfast.model.memory import Changes
from holdfast.model.proposal import Proposal
from holdfast.model.value import Value
from holdfast.ports import Clock
from holdfast.service.change import Standing
from holdfast.service.forget import Forgetting
from holdfast.service.scopes import Scopes


class Verbs(Value):
    """What carries out a proposal: the verbs of the person who accepts it."""

    standing: Standing
    forgetting: Forgetting
    desk: Callable[[], Desk]
    check_on: Callable[[], None]


def carry_out(proposal: Proposal, verbs: Verbs, scopes: Scopes, actor: Actor, clock: Clock) -> None:
    """Do what is proposed."""
    standing, memory, other = verbs.standing, proposal.memory, proposal.other or ""
    match proposal.verb:
        case model.UPDATE:
            standing.update(memory, _changes(proposal), verbs.desk())
        case model.FORGET:
            verbs.forgetting.one(memory, actor, clock.now())
        case model.PIN:
            standing.pin(memory)
        case model.UNPIN:
            standing.unpin(memory)
        case model.CONFIRM:
            standing.confirm(memory)
        case model.SUPERSEDE:
            standing.supersede(memory, other)
            vouch(other, verbs, scopes)
        case model.REINSTATE:
            standing.reinstate(memory)
        case model.RESOLVE:
            store, conflict = scopes.conflict(str(proposal.arguments["conflict"]))
            standing.resolve(store, conflict, str(proposal.arguments["keep"]))
        case _:
            problem = f"asks for {proposal.verb}, which this version does not know."
            raise InvalidInput(field="proposal", problem=problem)


def vouch(memory_id: str, verbs: Verbs, scopes: Scopes) -> None:
    """Confirm what a person chose over something else: whoever says so says that it holds."""
    if scopes.find(memory_id)[1].status == CANDIDATE:
        verbs.standing.confirm(memory_id)


def _changes(proposal: Proposal) -> Changes:
    wanted = {
        name: tuple(value) if isinstance(value, list) else value for name, value in proposal.arguments.items()
    }
    return Changes(**wanted, trust=USER)  # type: ignore[arg-type]  # the names that an update has
