"""The inbox: what waits for a person, and what they say about it.

`listing` gathers what waits and shows what it is about; `decisions` does what a person decides; `ledger` takes the
latest of it back. Must not live here: who may do what to an entry (`capture.permission`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from holdfast.capture.check import check_choice, check_count
from holdfast.capture.text.clean import echo
from holdfast.errors import InvalidInput
from holdfast.model.ids import tail_of
from holdfast.model.inbox import (
    CONFLICT,
    DROPPED,
    GUARD,
    PROPOSAL,
    RESOLVE,
    SORTS,
    UNDONE,
    Inbox,
    InboxItem,
    Proposal,
    Settlement,
    Waits,
)
from holdfast.model.memory import Conflict, Memory
from holdfast.model.records import Counts, Event
from holdfast.ports import Store
from holdfast.service.inbox.listing import InboxReader, PlacedRow
from holdfast.stores.retry import again

if TYPE_CHECKING:
    from holdfast.service.inbox.decisions import Decisions
    from holdfast.service.inbox.ledger import LedgerEntry
    from holdfast.service.parts import ServiceParts

DEFAULT_LIMIT = 50
"""Items that are listed unless somebody asks for more."""

MOST_LISTED = 1_000


class Review:
    """What waits for a person, to be accepted, edited, dropped or, of a conflict, kept."""

    def __init__(self, parts: ServiceParts) -> None:
        self._parts = parts
        self._scopes, self._clock, self._actor = parts.scopes, parts.clock, parts.settings.actor
        self._listing = InboxReader(parts.scopes, parts.clock)

    @property
    def _decisions(self) -> Decisions:
        from holdfast.service.inbox.decisions import Decisions

        return Decisions(self._parts)

    # ── looking ──────────────────────────────────────────────────────────────────────────────────────────

    def inbox(self, limit: int = DEFAULT_LIMIT, sorts: Sequence[str] = (), *, imported: bool = False) -> Inbox:
        """Return what waits, what matters first; `imported` brings what files, history and imports left."""
        check_count("limit", limit, 1, MOST_LISTED)
        for sort in sorts:
            check_choice("sort", sort, SORTS)
        return self._listing.inbox(limit, sorts, imported=imported)

    def waits(self, counts: Sequence[Counts] = ()) -> Waits:
        """Count what waits; who has counted the stores already may say what there is in them."""
        return self._listing.waits(counts)

    def item(self, item_id: str) -> InboxItem:
        """Return one thing that waits; the id may be short."""
        return self._listing.item(*self._listing.find(item_id))

    def waiting(self) -> Sequence[Proposal]:
        """Return the proposals that wait, the oldest first; what became pointless meanwhile is among it."""
        return [proposal for _, proposal in self._listing.proposals()]

    def proposal(self, proposal_id: str) -> Proposal:
        """Return a proposal, decided or not; the id may be short."""
        return self._scopes.proposal(proposal_id)[1]

    # ── settling ─────────────────────────────────────────────────────────────────────────────────────────

    def accept(self, item_id: str) -> Settlement:
        """Say yes: a candidate is confirmed, a proposal is done as the person who says so."""
        store, row = self._decidable(item_id)
        match row:
            case Conflict():
                advice = "Say which side holds: keep newer, older, both, or a memory's id."
                raise InvalidInput(field="accept", problem=f"is no answer to a conflict. {advice}")
            case Proposal():
                return self._decisions.accept_proposal(store, row)
            case Memory():
                return self._decisions.accept_candidate(store, row)

    def edit(self, item_id: str, content: str) -> Settlement:
        """Say it in other words, which are the person's own: a candidate is confirmed with them, a proposed
        change is made with them, and what a conflict leaves standing says them."""
        store, row = self._decidable(item_id)
        match row:
            case Conflict():
                return self._decisions.reword_conflict(store, row, content)
            case Proposal():
                return self._decisions.edit_proposal(store, row, content)
            case Memory():
                return self._decisions.edit_candidate(store, row, content)

    def drop(self, item_id: str) -> Settlement:
        """Say no: a proposal is not made again; a candidate, or both sides of a conflict, become history, and
        only a person can say them again."""
        store, row = self._decidable(item_id)
        match row:
            case Proposal():
                return self._decisions.drop_proposal(store, row)
            case Conflict() | Memory():
                return self._decisions.drop_memories(store, row)

    def keep(self, conflict_id: str, side: str) -> Settlement:
        """Settle a conflict: `newer`, `older`, `both`, or the id of one of its memories; what is kept is
        confirmed, the other becomes history."""
        store, row = self._decidable(conflict_id)
        if not isinstance(row, Conflict):
            raise InvalidInput(field="id", problem="is no conflict. Accept, edit or drop it.")
        return self._decisions.keep_side(store, row, side)

    @again
    def undo(self, item_id: str | None = None) -> Settlement:
        """Take back what was settled last, or what was said about one item lately; it waits again."""
        from holdfast.capture.permission import check_person

        self._parts.on()
        check_person(self._actor, "undoing a decision")
        store, entry = self._latest(item_id)
        with store.writing():
            return self._take_back(store, entry)

    def _decidable(self, item_id: str) -> PlacedRow:
        from holdfast.capture.permission import check_person

        self._parts.on()
        check_person(self._actor, "settling what waits for a person")
        return self._listing.find(item_id)

    def _latest(self, item_id: str | None) -> tuple[Store, LedgerEntry]:
        from holdfast.service.inbox import ledger

        tail = (tail_of(item_id) or "-") if item_id else ""
        ledger_pairs = [
            (store, entry)
            for store in self._scopes.present
            for entry in reversed(ledger.entries(store))
            if entry.id.replace("-", "").endswith(tail)
        ]
        if not ledger_pairs:
            subject = f"{echo(item_id)} was not settled" if item_id else "nothing was settled"
            raise InvalidInput(field="undo", problem=f"is not possible: {subject} lately.")
        return max(ledger_pairs, key=lambda pair: pair[1].at)

    def _take_back(self, store: Store, entry: LedgerEntry) -> Settlement:
        from holdfast.service.inbox import ledger
        from holdfast.service.inbox.decisions import title_in

        now, ids = self._clock.now(), (entry.id, *entry.before)
        store.audit.record(Event(action="update", actor=self._actor.name, at=now, ids=ids, detail={"undone": 1}))
        restored_memories = ledger.take_back(store, entry, now, pinned=self._parts.editor.pins())
        proposal = store.proposals.get(entry.id) if entry.sort == PROPOSAL else None
        _reopen(store, entry, proposal)
        if proposal and proposal.verb == GUARD and proposal.outcome != DROPPED:
            self._parts.acts.keep_guard(proposal.memory, {})
        memory = proposal.memory if proposal else restored_memories[-1].id
        return Settlement(
            id=entry.id,
            short=entry.id[-8:],
            sort=entry.sort,
            outcome=UNDONE,
            memory=memory,
            title=title_in(store, memory),
            undoable=False,
            verb=proposal.verb if proposal else None,
        )


def _reopen(store: Store, entry: LedgerEntry, proposal: Proposal | None) -> None:
    """Let a proposal wait again, and a conflict that was settled directly or by a proposal."""
    if proposal:
        store.proposals.put([replace(proposal, settled_at=None, outcome=None)])
    by_proposal = proposal.arguments.get("conflict") if proposal and proposal.verb == RESOLVE else None
    conflict_id = entry.id if entry.sort == CONFLICT else by_proposal
    conflict = store.conflicts.get(str(conflict_id)) if conflict_id else None
    if conflict:
        store.conflicts.settle(replace(conflict, resolved_at=None, kept=None))
