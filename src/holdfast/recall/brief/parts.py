"""What was chosen, as the parts of a page: entries with their marks, conflicts in words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.model.brief import BriefItem
from holdfast.model.conflict import Conflict
from holdfast.model.kinds import CANDIDATE
from holdfast.model.memory import Memory
from holdfast.model.session import Turn
from holdfast.model.times import day
from holdfast.model.title import shorten
from holdfast.recall.brief.fill import Part, Piece
from holdfast.recall.brief.notes import Note
from holdfast.recall.brief.render import Entry
from holdfast.recall.brief.request import Reach, Request
from holdfast.recall.brief.scoring import Chosen
from holdfast.recall.brief.start import MAIN_BRANCHES
from holdfast.recall.brief.weights import turn_trust

SUPERSEDED_CHARS = 160
FILES_NAMED = 3
NAMED = 3
"""Memories of one turn that are named beside it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything that a brief is to show."""

    pinned: Sequence[Memory]
    chosen: Sequence[Chosen]
    bridge: Sequence[Note]
    summaries: Sequence[Note]
    conflicts: Sequence[Conflict]


def parts_of(shown: Shown, request: Request, reach: Reach) -> tuple[list[Part], list[str]]:
    """Return the parts of a page in order, and the lines about conflicts."""
    name = "retrieval" if request.asked else "start"
    writer = _Writer(request, reach, shown.conflicts)
    pieces = [
        Part("always", "always", tuple(writer.memory(one, "always", {}, 1.0) for one in shown.pinned)),
        Part("bridge", "bridge", tuple(writer.note(one, "bridge") for one in shown.bridge)),
        Part(name, "retrieval", tuple(writer.chosen(one, name) for one in shown.chosen)),
        Part("summaries", "summaries", tuple(writer.note(one, "summaries") for one in shown.summaries)),
    ]
    parts = [replace(part, pieces=_untold(part.pieces, request.told)) for part in pieces]
    return parts, [one.marker for one in shown.conflicts]


def _untold(pieces: tuple[Piece, ...], told: frozenset[str]) -> tuple[Piece, ...]:
    """Leave out what the session knows from an earlier brief."""
    return tuple(one for one in pieces if one.item.id.replace("-", "")[-8:] not in told)


class _Writer:
    """Turns values into entries."""

    def __init__(self, request: Request, reach: Reach, conflicts: Sequence[Conflict]) -> None:
        self._request = request
        self._reach = reach
        self._disputed = frozenset(one for conflict in conflicts for one in (conflict.first, conflict.second))

    def chosen(self, one: Chosen, tier: str) -> Piece:
        """Show what was found."""
        why = {name: round(part, 4) for name, part in one.parts.items()}
        if isinstance(one.source, Memory):
            return self.memory(one.source, tier, why, one.score, one.marks)
        return self._turn(one.source, one, tier, why)

    def memory(
        self, memory: Memory, tier: str, why: dict[str, float], score: float, marks: tuple[str, ...] = ()
    ) -> Piece:
        """Show a memory with its marks; the title comes first where the content does not begin with it."""
        told = (*marks, *self._marks(memory))
        titled = memory.content.startswith(memory.title.rstrip("…"))
        entry = Entry(
            ref=self._reach.short(memory.id),
            kind=memory.kind,
            date=day(memory.created_at),
            trust=memory.trust,
            text=memory.content if titled else f"{memory.title}: {memory.content}",
            marks=told,
        )
        return Piece(
            entry, BriefItem(id=memory.id, kind=memory.kind, tier=tier, score=round(score, 4), why=why, marks=told)
        )

    def note(self, note: Note, tier: str) -> Piece:
        """Show a note."""
        entry = Entry(ref=note.id[-8:], kind=note.kind, date=day(note.at), trust=note.trust, text=note.text)
        return Piece(entry, BriefItem(id=note.id, kind=note.kind, tier=tier, score=0.0, why={}))

    def _turn(self, turn: Turn, one: Chosen, tier: str, why: dict[str, float]) -> Piece:
        """Show a turn; memories that were made from it are named, so that they can be fetched."""
        named = tuple(f"{memory.kind} #{self._reach.short(memory.id)}" for memory in one.telling[:NAMED])
        marks = (*one.marks, *named)
        text = shorten(turn.text, SUPERSEDED_CHARS) if one.superseded else turn.text
        entry = Entry(
            ref=turn.id[-8:], kind="turn", date=day(turn.at), trust=turn_trust(turn), text=text, marks=marks
        )
        item = BriefItem(id=turn.id, kind="turn", tier=tier, score=round(one.score, 4), why=why, marks=marks)
        also = tuple(
            BriefItem(id=memory.id, kind=memory.kind, tier=tier, score=item.score, why=why)
            for memory in one.telling
        )
        return Piece(entry, item, also)

    def _marks(self, memory: Memory) -> tuple[str, ...]:
        marks = []
        if memory.id in self._disputed:
            marks.append("⚠ conflict, see below")
        if memory.status == CANDIDATE:
            marks.append("unconfirmed")
        changed = self._reach.changed(memory)
        if changed:
            more = f" and {len(changed) - FILES_NAMED} more" if len(changed) > FILES_NAMED else ""
            marks.append(f"changed since: {', '.join(changed[:FILES_NAMED])}{more}")
        branch = self._request.branch
        if memory.branch and branch and memory.branch not in (branch, *MAIN_BRANCHES):
            marks.append(f"from branch {memory.branch}")
        return tuple(marks)
