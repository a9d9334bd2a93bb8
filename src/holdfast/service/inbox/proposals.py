"""What a person says about a proposal of an agent: done, done in other words, or not done and not asked again."""

from collections.abc import Callable
from dataclasses import replace

from holdfast.capture.permission import bound_anew, changed_since, refusal
from holdfast.capture.prepare import WriteContext
from holdfast.errors import InvalidInput
from holdfast.model import inbox as model
from holdfast.model.actor import Actor
from holdfast.model.inbox import ACCEPTED, DROPPED, EDITED, FORGET, PROPOSAL, UPDATE, Proposal, Settlement
from holdfast.model.kinds import CANDIDATE, USER
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.requests import Changes
from holdfast.model.value import Value
from holdfast.ports import Clock, Store
from holdfast.service.change import MemoryEditor, reread
from holdfast.service.forget import Forgetter
from holdfast.service.inbox import ledger
from holdfast.service.inbox.ledger import LedgerEntry
from holdfast.service.scopes import Scopes
from holdfast.stores.retry import again


class ProposalVerbs(Value):
    """What carries out a proposal: the verbs of the person who accepts it."""

    editor: MemoryEditor
    forgetter: Forgetter
    write_context: Callable[[], WriteContext]
    check_on: Callable[[], None]


def carry_out(proposal: Proposal, verbs: ProposalVerbs, scopes: Scopes, actor: Actor, clock: Clock) -> None:
    """Do what is proposed."""
    editor, memory, other_id = verbs.editor, proposal.memory, proposal.other or ""
    match proposal.verb:
        case model.UPDATE:
            editor.update(memory, _changes(proposal), verbs.write_context())
        case model.FORGET:
            verbs.forgetter.one(memory, actor, clock.now())
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
        verbs.editor.confirm(memory_id)


def _changes(proposal: Proposal) -> Changes:
    values = {
        name: tuple(value) if isinstance(value, list) else value for name, value in proposal.arguments.items()
    }
    return Changes(**values, trust=USER)  # type: ignore[arg-type]  # the names that an update has


class ProposalDecisions:
    """What decides proposals."""

    def __init__(self, scopes: Scopes, clock: Clock, actor: Actor, verbs: ProposalVerbs) -> None:
        self._scopes = scopes
        self._clock = clock
        self._actor = actor
        self._verbs = verbs

    def accept(self, store: Store, proposal: Proposal) -> Settlement:
        """Do what is proposed; what looks otherwise by now is shown first."""
        self._check_seen(store, proposal)
        title = title_in(store, proposal.memory)
        if proposal.verb != FORGET:
            return _settlement(self._carry_out(store, proposal, proposal), ACCEPTED, title)
        # removes bytes for good: no transaction holds it, and nothing takes it back
        carry_out(proposal, self._verbs, self._scopes, self._actor, self._clock)
        return replace(_settlement(self._note(store, proposal, ACCEPTED), ACCEPTED, title), undoable=False)

    def edit(self, store: Store, proposal: Proposal, content: str) -> Settlement:
        """Make a proposed change in the words of the person who grants it."""
        if proposal.verb != UPDATE:
            problem = f"is for changes of words; this asks to {proposal.verb}. Accept or drop it."
            raise InvalidInput(field="edit", problem=problem)
        self._check_seen(store, proposal)
        edited_proposal = replace(proposal, arguments={**proposal.arguments, "content": content})
        settled_proposal = self._carry_out(store, proposal, edited_proposal)
        return _settlement(settled_proposal, EDITED, title_in(store, proposal.memory))

    def _check_seen(self, store: Store, proposal: Proposal) -> None:
        """Refuse to act on what is not as it was shown, and bind the proposal to what is shown now."""
        if changed_memories := self._show_again(store, proposal):
            raise refusal(proposal, changed_memories)

    @again
    def _show_again(self, store: Store, proposal: Proposal) -> list[Memory]:
        with store.writing():
            changed_memories = changed_since(store, proposal)
            if changed_memories:
                store.proposals.put([bound_anew(proposal, changed_memories)])
        return changed_memories

    @again
    def drop(self, store: Store, proposal: Proposal) -> Settlement:
        """Say no; it is not proposed again."""
        with store.writing():
            ledger.note(
                store, LedgerEntry(id=proposal.id, sort=PROPOSAL, at=self._clock.now(), before={}, after={})
            )
            settled_proposal = self._note(store, proposal, DROPPED)
        return _settlement(settled_proposal, DROPPED, title_in(store, proposal.memory))

    @again
    def _carry_out(self, store: Store, proposal: Proposal, wanted_proposal: Proposal) -> Proposal:
        """Do what is wanted, in one transaction with the note of how things stood."""
        ids = [proposal.memory, *([proposal.other] if proposal.other else [])]
        with store.writing():
            if store.proposals.get(proposal.id) != proposal or changed_since(store, proposal):
                problem = f"{proposal.id[-8:]} just changed. Look at it again."
                raise InvalidInput(field="proposal", problem=problem)
            memories_before = {memory.id: memory for memory in store.memories.get(ids)}
            before = ledger.standings(store, ids)
            edited_ids: tuple[str, ...] = ()
            carry_out(wanted_proposal, self._verbs, self._scopes, self._actor, self._clock)
            if proposal.verb == UPDATE:
                changed_memory = reread(store, proposal.memory)
                store.memories.replace(ledger.with_words_kept(changed_memory, memories_before[changed_memory.id]))
                edited_ids = (changed_memory.id,)
            entry = LedgerEntry(
                id=proposal.id,
                sort=PROPOSAL,
                at=self._clock.now(),
                before=before,
                after=ledger.standings(store, ids),
                edited=edited_ids,
            )
            ledger.note(store, entry)
            return self._note(store, proposal, ACCEPTED)

    @again
    def _note(self, store: Store, proposal: Proposal, outcome: str) -> Proposal:
        """Note what was decided; a proposal that went with its memory is settled by that."""
        now, action = self._clock.now(), "accept" if outcome == ACCEPTED else "drop"
        settled_proposal = replace(proposal, settled_at=now, outcome=outcome)
        with store.writing():
            ids = (proposal.id, proposal.memory)
            store.audit.record(Event(action=action, actor=self._actor.name, at=now, ids=ids))
            if store.proposals.get(proposal.id):
                store.proposals.put([settled_proposal])
        return settled_proposal


def title_in(store: Store, memory_id: str) -> str:
    """Return the title of a memory; empty where it is gone."""
    return next((memory.title for memory in store.memories.get([memory_id])), "")


def _settlement(proposal: Proposal, outcome: str, title: str) -> Settlement:
    return Settlement(
        id=proposal.id,
        short=proposal.id[-8:],
        sort=PROPOSAL,
        outcome=outcome,
        memory=proposal.memory,
        title=title,
        verb=proposal.verb,
        proposal=proposal,
    )
