"""What waits for a person: the proposals of agents, each to be accepted or dropped."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from holdfast.again import again
from holdfast.capture.permission import check_person
from holdfast.capture.prepare import Desk
from holdfast.capture.seen import bound_anew, changed_since, refusal
from holdfast.errors import InvalidInput
from holdfast.forgetting import Forgetting
from holdfast.model import proposal as model
from holdfast.model.actor import Actor
from holdfast.model.kinds import CANDIDATE, USER
from holdfast.model.memory import Changes, Memory
from holdfast.model.proposal import ACCEPTED, DROPPED, Proposal
from holdfast.model.records import Event
from holdfast.ports import Clock, Store
from holdfast.scopes import Scopes
from holdfast.standing import Standing


@dataclass(frozen=True, slots=True)
class Verbs:
    """What carries out a proposal: the verbs of the person who accepts it."""

    standing: Standing
    forgetting: Forgetting
    desk: Callable[[], Desk]
    check_on: Callable[[], None]


class Review:
    """The proposals that nobody has decided yet."""

    def __init__(self, scopes: Scopes, clock: Clock, actor: Actor, verbs: Verbs) -> None:
        self._scopes = scopes
        self._clock = clock
        self._actor = actor
        self._verbs = verbs

    def waiting(self) -> Sequence[Proposal]:
        """Return what waits, the oldest first; what became pointless meanwhile is among it."""
        found = [one for store in self._scopes.present for one in store.proposals.waiting()]
        return sorted(found, key=lambda one: one.at)

    def find(self, proposal_id: str) -> Proposal:
        """Return a proposal; the id may be short."""
        return self._scopes.proposal(proposal_id)[1]

    def accept(self, proposal_id: str) -> Proposal:
        """Do what an agent proposed, as the person who says so; what looks otherwise by now is shown first."""
        store, proposal = self._decidable(proposal_id, "accepting a proposal")
        if changed := self._show_again(store, proposal):
            raise refusal(proposal, changed)
        if proposal.verb != model.FORGET:
            return self._accept(store, proposal)
        self._carry_out(proposal)  # bytes leave for good: no transaction holds that
        return self._settle(store, proposal, ACCEPTED, "accept")

    @again
    def _show_again(self, store: Store, proposal: Proposal) -> list[Memory]:
        """Return what changed since a proposal was made, and bind it to that."""
        with store.writing():
            changed = changed_since(store, proposal)
            if changed:
                store.proposals.put([bound_anew(proposal, changed)])
        return changed

    @again
    def _accept(self, store: Store, proposal: Proposal) -> Proposal:
        """Do what is proposed and note it, all or nothing."""
        with store.writing():
            latest = store.proposals.get(proposal.id)
            if latest != proposal or changed_since(store, proposal):
                raise InvalidInput(field="proposal", problem=f"{proposal.id[-8:]} just changed. Look at it again.")
            self._carry_out(proposal)
            return self._settle(store, proposal, ACCEPTED, "accept")

    def drop(self, proposal_id: str) -> Proposal:
        """Say no to what an agent proposed; it is not proposed again."""
        store, proposal = self._decidable(proposal_id, "dropping a proposal")
        return self._settle(store, proposal, DROPPED, "drop")

    def short_id(self, proposal: Proposal) -> str:
        """Return the short id people see for a proposal."""
        rivals = [one for store in self._scopes.present for one in store.proposals.ending(proposal.id[-8:])]
        return proposal.id[-8:] if len(rivals) < 2 else proposal.id

    def _decidable(self, proposal_id: str, what: str) -> tuple[Store, Proposal]:
        self._verbs.check_on()
        check_person(self._actor, what)
        store, proposal = self._scopes.proposal(proposal_id)
        if not proposal.waits:
            raise InvalidInput(field="proposal", problem=f"{proposal.id[-8:]} was {proposal.outcome} already.")
        return store, proposal

    def _carry_out(self, proposal: Proposal) -> None:
        standing, memory, other = self._verbs.standing, proposal.memory, proposal.other or ""
        match proposal.verb:
            case model.UPDATE:
                self._update(proposal)
            case model.FORGET:
                self._verbs.forgetting.one(memory, self._actor, self._clock.now())
            case model.PIN:
                standing.pin(memory)
            case model.UNPIN:
                standing.unpin(memory)
            case model.CONFIRM:
                standing.confirm(memory)
            case model.SUPERSEDE:
                standing.supersede(memory, other)
                self._vouch(other)
            case model.REINSTATE:
                standing.reinstate(memory)
            case model.RESOLVE:
                store, conflict = self._scopes.conflict(str(proposal.arguments["conflict"]))
                standing.resolve(store, conflict, str(proposal.arguments["keep"]))
            case _:
                problem = f"asks for {proposal.verb}, which this version does not know."
                raise InvalidInput(field="proposal", problem=problem)

    def _update(self, proposal: Proposal) -> None:
        wanted = {
            name: tuple(value) if isinstance(value, list) else value for name, value in proposal.arguments.items()
        }
        changes = Changes(**wanted, trust=USER)  # type: ignore[arg-type]  # the names that an update has
        self._verbs.standing.update(proposal.memory, changes, self._verbs.desk())

    def _vouch(self, memory_id: str) -> None:
        """Confirm what takes the place of something: whoever says so says that it holds."""
        if self._scopes.find(memory_id)[1].status == CANDIDATE:
            self._verbs.standing.confirm(memory_id)

    @again
    def _settle(self, store: Store, proposal: Proposal, outcome: str, action: str) -> Proposal:
        """Note what was decided; a proposal that went with its memory is settled by that."""
        now = self._clock.now()
        settled = replace(proposal, settled_at=now, outcome=outcome)
        with store.writing():
            event = Event(action=action, actor=self._actor.name, at=now, ids=(proposal.id, proposal.memory))
            store.audit.record(event)
            if store.proposals.get(proposal.id):
                store.proposals.put([settled])
        return settled
