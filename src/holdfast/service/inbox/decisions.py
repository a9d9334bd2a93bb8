"""Decisions of a person about candidates, the two sides of a conflict, and proposals of agents.

Each is one transaction with the note that takes it back, but for a forgetting, which removes bytes for good.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from holdfast.capture.permission import bound_anew, changed_since, refusal
from holdfast.errors import InvalidInput
from holdfast.model import inbox as model
from holdfast.model.inbox import (
    ACCEPTED,
    CONFLICT,
    DROPPED,
    EDITED,
    FORGET,
    KEPT,
    NEWER,
    OLDER,
    PROPOSAL,
    UPDATE,
    Proposal,
    Settlement,
)
from holdfast.model.kinds import CANDIDATE, USER
from holdfast.model.memory import BOTH, Conflict, Memory
from holdfast.model.records import Event
from holdfast.model.requests import Changes
from holdfast.ports import Store
from holdfast.service.change import reread
from holdfast.service.inbox import ledger
from holdfast.service.inbox.ledger import LedgerEntry
from holdfast.service.inbox.listing import sides_of
from holdfast.stores.retry import again

if TYPE_CHECKING:
    from holdfast.service.parts import ServiceParts

Act = Callable[[LedgerEntry], LedgerEntry]
"""Changes the memories of an item, and completes the note that takes it back."""


class Decisions:
    """Does what a person decides, with the verbs of the service."""

    def __init__(self, parts: "ServiceParts") -> None:
        self._parts = parts

    def accept_candidate(self, store: Store, memory: Memory) -> Settlement:
        """Confirm a candidate."""

        def confirm(entry: LedgerEntry) -> LedgerEntry:
            self._parts.editor.confirm(memory.id)
            return entry

        return self._settle(store, memory, ACCEPTED, confirm)

    def edit_candidate(self, store: Store, memory: Memory, content: str) -> Settlement:
        """Confirm a candidate with a person's own words."""
        return self._settle(store, memory, EDITED, lambda entry: self._reword(store, memory.id, content, entry))

    def drop_memories(self, store: Store, row: Conflict | Memory) -> Settlement:
        """Make a candidate, or both sides of a conflict, history that only a person can say again."""
        memories = sides_of(store, row) if isinstance(row, Conflict) else [row]
        return self._settle(store, row, DROPPED, lambda entry: self._retire(store, memories, entry))

    def keep_side(self, store: Store, conflict: Conflict, side: str) -> Settlement:
        """Let one side of a conflict hold, or both."""
        kept_id = BOTH if side == BOTH else self._side(store, conflict, side)
        settlement = self._settle(
            store, conflict, KEPT, lambda entry: self._resolve(store, conflict, kept_id, entry)
        )
        return replace(settlement, kept=kept_id)

    def reword_conflict(self, store: Store, conflict: Conflict, content: str) -> Settlement:
        """Let the newer side of a conflict hold, with a person's own words."""
        newer = self._side(store, conflict, NEWER)

        def act(entry: LedgerEntry) -> LedgerEntry:
            return self._reword(store, newer, content, self._resolve(store, conflict, newer, entry))

        return self._settle(store, conflict, EDITED, act)

    @again
    def _settle(self, store: Store, row: Conflict | Memory, outcome: str, act: Act) -> Settlement:
        """Do something to the memories of an item, in one transaction with the note of how they stood."""
        ids = [row.first, row.second] if isinstance(row, Conflict) else [row.id]
        sort = CONFLICT if isinstance(row, Conflict) else model.CANDIDATE
        with store.writing():
            before = ledger.standings(store, ids)
            entry = act(LedgerEntry(id=row.id, sort=sort, at=self._parts.clock.now(), before=before, after={}))
            ledger.note(store, replace(entry, after=ledger.standings(store, ids)))
            about = reread(store, entry.about or ids[-1])
        return Settlement(
            id=row.id, short=row.id[-8:], sort=sort, outcome=outcome, memory=about.id, title=about.title
        )

    def _reword(self, store: Store, memory_id: str, content: str, entry: LedgerEntry) -> LedgerEntry:
        """Let a memory say something else, as a person's word; the words it had stay with it."""
        before = reread(store, memory_id)
        self._parts.editor.update(memory_id, Changes(content=content, trust=USER), self._parts.write_context())
        store.memories.replace(ledger.with_words_kept(reread(store, memory_id), before))
        return replace(entry, edited=(memory_id,), about=memory_id)

    def _resolve(self, store: Store, conflict: Conflict, kept_id: str, entry: LedgerEntry) -> LedgerEntry:
        """Keep what was chosen, and vouch for it: whoever chooses it says that it holds."""
        self._parts.editor.resolve(store, conflict, kept_id)
        for memory_id in (conflict.first, conflict.second) if kept_id == BOTH else (kept_id,):
            _vouch(self._parts, memory_id)
        return replace(entry, about=None if kept_id == BOTH else kept_id)

    def _retire(self, store: Store, memories: Sequence[Memory], entry: LedgerEntry) -> LedgerEntry:
        now, ids = self._parts.clock.now(), tuple(memory.id for memory in memories)
        store.audit.record(Event(action="drop", actor=self._parts.settings.actor.name, at=now, ids=ids))
        barred_prints = store.tombstones.standing([memory.fingerprint for memory in memories])
        free = [memory for memory in memories if memory.fingerprint not in barred_prints]
        store.tombstones.add([memory.fingerprint for memory in free])
        for memory in memories:
            store.memories.replace(replace(memory, valid_until=max(memory.valid_from, now), updated_at=now))
        return replace(entry, barred=tuple(memory.id for memory in free))

    def _side(self, store: Store, conflict: Conflict, side: str) -> str:
        """Return the id of the side that somebody means."""
        older, newer = sides_of(store, conflict)
        if side in (NEWER, OLDER):
            return newer.id if side == NEWER else older.id
        full = self._parts.scopes.full_id(side, "keep")
        if full is None or full not in (older.id, newer.id):
            problem = f"must be {NEWER}, {OLDER}, {BOTH} or the id of one of its two memories."
            raise InvalidInput(field="keep", problem=problem)
        return full

    def accept_proposal(self, store: Store, proposal: Proposal) -> Settlement:
        """Do what is proposed; what looks otherwise by now is shown first."""
        self._check_seen(store, proposal)
        title = title_in(store, proposal.memory)
        if proposal.verb != FORGET:
            return _settlement(self._carry_out(store, proposal, proposal), ACCEPTED, title)
        # removes bytes for good: no transaction holds it, and nothing takes it back
        _carry_out(self._parts, proposal)
        return replace(_settlement(self._note(store, proposal, ACCEPTED), ACCEPTED, title), undoable=False)

    def edit_proposal(self, store: Store, proposal: Proposal, content: str) -> Settlement:
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
    def drop_proposal(self, store: Store, proposal: Proposal) -> Settlement:
        """Say no; it is not proposed again."""
        with store.writing():
            ledger.note(
                store, LedgerEntry(id=proposal.id, sort=PROPOSAL, at=self._parts.clock.now(), before={}, after={})
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
            _carry_out(self._parts, wanted_proposal)
            if proposal.verb == UPDATE:
                changed_memory = reread(store, proposal.memory)
                store.memories.replace(ledger.with_words_kept(changed_memory, memories_before[changed_memory.id]))
                edited_ids = (changed_memory.id,)
            entry = LedgerEntry(
                id=proposal.id,
                sort=PROPOSAL,
                at=self._parts.clock.now(),
                before=before,
                after=ledger.standings(store, ids),
                edited=edited_ids,
            )
            ledger.note(store, entry)
            return self._note(store, proposal, ACCEPTED)

    @again
    def _note(self, store: Store, proposal: Proposal, outcome: str) -> Proposal:
        """Note what was decided; a proposal that went with its memory is settled by that."""
        now, action = self._parts.clock.now(), "accept" if outcome == ACCEPTED else "drop"
        settled_proposal = replace(proposal, settled_at=now, outcome=outcome)
        with store.writing():
            ids = (proposal.id, proposal.memory)
            store.audit.record(Event(action=action, actor=self._parts.settings.actor.name, at=now, ids=ids))
            if store.proposals.get(proposal.id):
                store.proposals.put([settled_proposal])
        return settled_proposal


def _carry_out(parts: "ServiceParts", proposal: Proposal) -> None:
    """Do what is proposed, with the verbs of the person who accepts it."""
    editor, memory, other_id = parts.editor, proposal.memory, proposal.other or ""
    match proposal.verb:
        case model.UPDATE:
            editor.update(memory, _changes(proposal), parts.write_context())
        case model.FORGET:
            parts.forgetter.one(memory, parts.settings.actor, parts.clock.now())
        case model.PIN:
            editor.pin(memory)
        case model.UNPIN:
            editor.unpin(memory)
        case model.CONFIRM:
            editor.confirm(memory)
        case model.SUPERSEDE:
            editor.supersede(memory, other_id)
            _vouch(parts, other_id)
        case model.REINSTATE:
            editor.reinstate(memory)
        case model.GUARD:
            parts.acts.carry_out(memory, dict(proposal.arguments))
        case model.RESOLVE:
            store, conflict = parts.scopes.conflict(str(proposal.arguments["conflict"]))
            editor.resolve(store, conflict, str(proposal.arguments["keep"]))
        case _:
            problem = f"asks for {proposal.verb}, which this version does not know."
            raise InvalidInput(field="proposal", problem=problem)


def _vouch(parts: "ServiceParts", memory_id: str) -> None:
    """Confirm what a person chose over something else: the choice says that it holds."""
    if parts.scopes.find(memory_id)[1].status == CANDIDATE:
        parts.editor.confirm(memory_id)


def _changes(proposal: Proposal) -> Changes:
    values = {
        name: tuple(value) if isinstance(value, list) else value for name, value in proposal.arguments.items()
    }
    return Changes(**values, trust=USER)  # type: ignore[arg-type]  # the names that an update has


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
