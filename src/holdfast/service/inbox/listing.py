"""What waits, gathered from every store into one order: conflicts, then proposals, then candidates.

A conflict tells every session two things at once, so it comes first, one with a person's word in it before others;
a proposal is about what a person said, the oldest first; of candidates the weightiest, the newest first among
equals. A memory that is part of a conflict or of a proposal is not listed a second time as a candidate.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from holdfast.capture.precedence import is_persons
from holdfast.capture.text.clean import echo
from holdfast.errors import AmbiguousId, InvalidInput, UnknownId
from holdfast.model import inbox as model
from holdfast.model.finding import Finding
from holdfast.model.ids import short_id
from holdfast.model.inbox import (
    ACCEPT,
    DROP,
    EDIT,
    KEEP,
    UPDATE,
    Inbox,
    InboxItem,
    Proposal,
    Quotation,
    Side,
    Waits,
)
from holdfast.model.kinds import AGENT, CANDIDATE, IMPORTED, TOOL, TRUSTS
from holdfast.model.memory import AMBIGUOUS, CONTRADICTORY, SUPERSEDED, Conflict, Memory, shorten
from holdfast.model.plain import filled
from holdfast.model.records import Counts
from holdfast.model.search import Filters
from holdfast.model.session import Turn
from holdfast.ports import Clock, Store
from holdfast.service.scopes import Scopes

MOST_QUOTED = 3
"""Passages that are shown of what an entry was read from."""

PASSAGE_CHARS = 300
"""Characters of one of them: a long turn is read with `holdfast get`."""


def _passages(findings: Sequence[Finding]) -> list[tuple[str, int, int]]:
    """Return where findings were read, each place once, in the order it was said."""
    places = {
        (evidence.turn, evidence.start, evidence.end) for finding in findings for evidence in finding.evidence
    }
    return sorted(places)


def _quotation(store: Store, turn: Turn, words: str) -> Quotation:
    session = store.sessions.get(turn.session)
    return Quotation(
        text=shorten(words, PASSAGE_CHARS),
        role=turn.role,
        at=turn.at,
        session=turn.session,
        session_short=short_id(turn.session, store.sessions.ending(turn.session[-8:])),
        agent=session.agent if session else "unknown",
        turn=turn.id,
    )


MOST_CANDIDATES = 1_000
"""Candidates that are looked at, the newest first: nobody goes through more."""

NOTED_TRUSTS = tuple(trust for trust in TRUSTS if trust != IMPORTED)
"""Candidates that somebody noted. What was taken in whole, from files or history, asks for nobody's time."""

_DISAGREE = {
    CONTRADICTORY: "they say the opposite",
    SUPERSEDED: "one seems to revise the other, and could not replace it by itself",
    AMBIGUOUS: "they disagree, perhaps under different conditions",
}
_UNCONFIRMED_REASONS = {
    AGENT: "an agent noted it, and nobody has confirmed it",
    TOOL: "it comes from a tool's output, and nobody has confirmed it",
    IMPORTED: "it was taken in from elsewhere, and nobody has confirmed it",
}

Row = Conflict | Proposal | Memory
PlacedRow = tuple[Store, Row]
"""Something that waits, and the store that has it."""


class InboxReader:
    """What waits in the stores of a service."""

    def __init__(self, scopes: Scopes, clock: Clock) -> None:
        self._scopes = scopes
        self._clock = clock

    def inbox(self, limit: int, sorts: Sequence[str] = (), *, imported: bool = False) -> Inbox:
        """Return what waits; of these sorts only, where some are named; what was taken in only where asked for."""
        rows: list[PlacedRow] = [*self._conflicts(), *self.proposals(), *self._candidates(imported=imported)]
        matching_rows = [(store, row) for store, row in rows if not sorts or _sort(row) in sorts]
        return Inbox(
            items=tuple(self.item(store, row) for store, row in matching_rows[:limit]),
            total=len(matching_rows),
            imported=0 if imported else self.waits().imported,
        )

    def waits(self, counts: Sequence[Counts] = ()) -> Waits:
        """Count what waits."""
        now = self._clock.now()
        counts = counts or [store.counts(now) for store in self._scopes.present]
        candidates = sum((Counter(store_counts.candidates) for store_counts in counts), Counter[str]())
        imported_count = candidates.pop(IMPORTED, 0)
        listed_otherwise = sum(_count_listed(store, now) for store in self._scopes.present)
        return Waits(
            conflicts=sum(store_counts.conflicts for store_counts in counts),
            proposals=sum(store_counts.proposals for store_counts in counts),
            candidates=candidates.total() - listed_otherwise,
            imported=imported_count,
        )

    def find(self, item_id: str) -> PlacedRow:
        """Return what waits under an id, which may be short; whatever it is."""
        lookups = (self._scopes.conflict, self._scopes.proposal, self._scopes.find)
        matches = [placed_row for lookup in lookups for placed_row in _looked_up(lookup, item_id)]
        if len(matches) > 1:
            raise AmbiguousId(
                field="id", id=echo(item_id), matches=", ".join(sorted(row.id for _, row in matches))
            )
        if not matches:
            raise UnknownId(noun="item of the inbox", id=echo(item_id), near=self._scopes.near(item_id))
        _check_waits(matches[0][1])
        return matches[0]

    def item(self, store: Store, row: Row) -> InboxItem:
        """Return something that waits as a person has to see it."""
        match row:
            case Conflict():
                return self._conflict_item(store, row)
            case Proposal():
                return self._proposal_item(store, row)
            case Memory():
                return self._candidate_item(row)

    def _conflicts(self) -> list[tuple[Store, Conflict]]:
        now = self._clock.now()
        pairs = [
            (store, conflict) for store in self._scopes.present for conflict in store.conflicts.unresolved(now)
        ]
        return sorted(pairs, key=lambda pair: (not _holds_persons_word(*pair), -pair[1].detected_at))

    def proposals(self) -> list[tuple[Store, Proposal]]:
        """Return the proposals that wait, the oldest first."""
        pairs = [(store, proposal) for store in self._scopes.present for proposal in store.proposals.waiting()]
        return sorted(pairs, key=lambda pair: pair[1].at)

    def _candidates(self, *, imported: bool) -> list[tuple[Store, Memory]]:
        now = self._clock.now()
        trusts = () if imported else NOTED_TRUSTS
        filters = Filters(statuses=(CANDIDATE,), trusts=trusts, current_at=now)
        pairs: list[tuple[Store, Memory]] = []
        for store in self._scopes.present:
            newest = store.memories.newest(filters, MOST_CANDIDATES)
            listed_ids = _ids_listed_otherwise(store, now) if newest else ()
            pairs += [(store, memory) for memory in newest if memory.id not in listed_ids]
        return sorted(pairs, key=lambda pair: (-pair[1].importance, -pair[1].created_at))

    def _conflict_item(self, store: Store, conflict: Conflict) -> InboxItem:
        older, newer = sides_of(store, conflict)
        return InboxItem(
            id=conflict.id,
            short=short_id(conflict.id, store.conflicts.ending(conflict.id[-8:])),
            sort=model.CONFLICT,
            at=conflict.detected_at,
            why=_DISAGREE[conflict.kind],
            sides=(self._side(older), self._side(newer, newer=True)),
            choices=(KEEP, EDIT, DROP),
        )

    def _proposal_item(self, store: Store, proposal: Proposal) -> InboxItem:
        about = {
            memory.id: memory
            for memory in store.memories.get([proposal.memory, proposal.other or proposal.memory])
        }
        order = [about[memory_id] for memory_id in (proposal.memory, proposal.other) if memory_id in about]
        return filled(
            InboxItem,
            proposal,
            short=short_id(proposal.id, store.proposals.ending(proposal.id[-8:])),
            sort=model.PROPOSAL,
            sides=tuple(map(self._side, order)),
            choices=(ACCEPT, EDIT, DROP) if proposal.verb == UPDATE else (ACCEPT, DROP),
            by=proposal.agent or proposal.actor,
        )

    def _candidate_item(self, memory: Memory) -> InboxItem:
        side = self._side(memory)
        return InboxItem(
            id=memory.id,
            short=side.short,
            sort=model.CANDIDATE,
            at=memory.created_at,
            why=_UNCONFIRMED_REASONS.get(memory.trust, "nobody has confirmed it"),
            sides=(side,),
            choices=(ACCEPT, EDIT, DROP),
        )

    def _side(self, memory: Memory, *, newer: bool = False) -> Side:
        return filled(
            Side,
            memory,
            short=self._scopes.short(memory.id),
            said_at=memory.valid_from,
            newer=newer,
            quotations=self._quotations(memory),
        )

    def _quotations(self, memory: Memory) -> tuple[Quotation, ...]:
        """Return what a memory was read from: turns of the project's store, whichever store has it."""
        store = self._scopes.project
        passages = _passages(store.findings.behind([memory.id]))
        turns = {turn.id: turn for turn in store.turns.get([turn for turn, _, _ in passages])}
        known_passages = [(turns[turn], start, end) for turn, start, end in passages if turn in turns]
        return tuple(
            _quotation(store, turn, turn.text[start:end]) for turn, start, end in known_passages[:MOST_QUOTED]
        )


def sides_of(store: Store, conflict: Conflict) -> tuple[Memory, Memory]:
    """Return the two memories of a conflict, the older first; said in one moment, the one that was there."""
    sides = sorted(
        store.memories.get([conflict.first, conflict.second]),
        key=lambda memory: (memory.valid_from, memory.id == conflict.second),
    )
    if len(sides) < len((conflict.first, conflict.second)):
        raise InvalidInput(field="conflict", problem="one of its two memories is gone, so there is none any more.")
    older, newer = sides
    return older, newer


def _sort(row: Row) -> str:
    return {Conflict: model.CONFLICT, Proposal: model.PROPOSAL, Memory: model.CANDIDATE}[type(row)]


def _looked_up(lookup: Callable[[str], tuple[Store, Row]], item_id: str) -> list[PlacedRow]:
    try:
        return [lookup(item_id)]
    except UnknownId:
        return []


def _check_waits(row: Row) -> None:
    """Refuse what nobody has to decide any more, and say what it is instead."""
    match row:
        case Conflict() if row.resolved_at is not None:
            raise InvalidInput(field="conflict", problem=f"{row.id[-8:]} is resolved already.")
        case Proposal() if not row.waits:
            raise InvalidInput(field="proposal", problem=f"{row.id[-8:]} was {row.outcome} already.")
        case Memory() if row.superseded:
            raise InvalidInput(field="id", problem=f"memory {row.id[-8:]} is history; nothing waits about it.")
        case Memory() if row.status != CANDIDATE:
            advice = "`holdfast update`, `forget` and `supersede` change what is."
            raise InvalidInput(field="id", problem=f"memory {row.id[-8:]} is {row.status} already. {advice}")


def _holds_persons_word(store: Store, conflict: Conflict) -> bool:
    return any(is_persons(memory) for memory in store.memories.get([conflict.first, conflict.second]))


def _count_listed(store: Store, now: int) -> int:
    """Count the candidates that a conflict or a proposal of their store is about."""
    memories = store.memories.get(sorted(_ids_listed_otherwise(store, now)))
    return sum(
        memory.status == CANDIDATE and memory.trust in NOTED_TRUSTS and memory.current(now) for memory in memories
    )


def _ids_listed_otherwise(store: Store, now: int) -> set[str]:
    """Return the memories that a conflict or a proposal of their store is about."""
    conflicts, proposals = store.conflicts.unresolved(now), store.proposals.waiting()
    return {
        *(side for conflict in conflicts for side in (conflict.first, conflict.second)),
        *(proposal.memory for proposal in proposals),
        *(proposal.other for proposal in proposals if proposal.other),
    }
