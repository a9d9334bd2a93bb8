"""What was chosen, as the parts of a page: entries with their marks, conflicts in words."""

from collections.abc import Sequence

from holdfast.model.brief import BriefItem
from holdfast.model.conflict import Conflict
from holdfast.model.kinds import CANDIDATE
from holdfast.model.memory import Memory
from holdfast.model.session import Turn
from holdfast.model.times import day
from holdfast.model.value import Value, replace
from holdfast.recall.brief.fill import Part, Piece, Rules
from holdfast.recall.brief.notes import Note
from holdfast.recall.brief.render import Entry
from holdfast.recall.brief.request import Reach, Request
from holdfast.recall.brief.scoring import Chosen
from holdfast.recall.brief.start import MAIN_BRANCHES, by_use
from holdfast.recall.brief.weights import turn_trust

FILES_NAMED = 3


class Shown(Value):
    """Everything that a brief is to show."""

    pinned: Sequence[Memory]
    chosen: Sequence[Chosen]
    bridge: Sequence[Note]
    summaries: Sequence[Note]
    conflicts: Sequence[Conflict]


def parts_of(shown: Shown, request: Request, reach: Reach) -> list[Part]:
    """Return the parts of a page in order."""
    writer = _Writer(request, reach, shown.conflicts)
    parts = [
        Part("always", "always", tuple(writer.memory(one, "always", {}, 1.0) for one in shown.pinned)),
        Part("bridge", "bridge", tuple(writer.note(one, "bridge") for one in shown.bridge)),
        Part("retrieval", "retrieval", tuple(writer.chosen(one) for one in shown.chosen)),
        Part("summaries", "summaries", tuple(writer.note(one, "summaries") for one in shown.summaries)),
    ]
    return [replace(part, pieces=_untold(part.pieces, request.told)) for part in parts]


def rules_of(rules: Sequence[Memory], request: Request, reach: Reach, conflicts: Sequence[Conflict]) -> Rules:
    """Return standing rules as lines of a page."""
    writer = _Writer(request, reach, conflicts)
    pieces = {one.id: writer.memory(one, "rules", {}, 1.0) for one in rules}
    return Rules(
        pieces=_untold(tuple(pieces.values()), request.told),
        by_use=lambda: _untold(tuple(pieces[one.id] for one in by_use(rules, request, reach)), request.told),
        more=lambda count: (
            f"{count} more rules are known: ask `memory_search` or `holdfast search` before work they may cover."
        ),
    )


def _untold(pieces: tuple[Piece, ...], told: frozenset[str]) -> tuple[Piece, ...]:
    """Leave out what the session knows from an earlier brief."""
    return tuple(one for one in pieces if one.item.id.replace("-", "")[-8:] not in told)


class _Writer:
    """Turns values into entries."""

    def __init__(self, request: Request, reach: Reach, conflicts: Sequence[Conflict]) -> None:
        self._request = request
        self._reach = reach
        self._disputed: dict[str, set[str]] = {}
        for conflict in conflicts:
            self._disputed.setdefault(conflict.first, set()).add(conflict.second)
            self._disputed.setdefault(conflict.second, set()).add(conflict.first)

    def chosen(self, one: Chosen) -> Piece:
        """Show what was found."""
        why = {name: round(part, 4) for name, part in one.parts.items()}
        if isinstance(one.source, Memory):
            return self.memory(one.source, "retrieval", why, one.score)
        return self._turn(one.source, one, why)

    def memory(self, memory: Memory, tier: str, why: dict[str, float], score: float) -> Piece:
        """Show a memory with its marks; the title comes first where the content does not begin with it."""
        marks = self._marks(memory)
        titled = memory.content.startswith(memory.title.rstrip("…"))
        entry = Entry(
            ref=self._reach.short(memory.id),
            kind=memory.kind,
            date=day(memory.created_at),
            trust=memory.trust,
            text=memory.content if titled else f"{memory.title}: {memory.content}",
            marks=marks,
        )
        item = BriefItem(id=memory.id, kind=memory.kind, tier=tier, score=round(score, 4), why=why, marks=marks)
        return Piece(entry, item)

    def note(self, note: Note, tier: str) -> Piece:
        """Show a note."""
        entry = Entry(ref=note.id[-8:], kind=note.kind, date=day(note.at), trust=note.trust, text=note.text)
        return Piece(entry, BriefItem(id=note.id, kind=note.kind, tier=tier, score=0.0, why={}))

    def _turn(self, turn: Turn, one: Chosen, why: dict[str, float]) -> Piece:
        """Show what somebody said."""
        entry = Entry(ref=turn.id[-8:], kind="turn", date=day(turn.at), trust=turn_trust(turn), text=one.text)
        return Piece(
            entry, BriefItem(id=turn.id, kind="turn", tier="retrieval", score=round(one.score, 4), why=why)
        )

    def _marks(self, memory: Memory) -> tuple[str, ...]:
        marks = []
        if memory.id in self._disputed:
            rivals = sorted(self._reach.short(one) for one in self._disputed[memory.id])
            marks.append(f"⚠ conflicts with {', '.join(f'#{one}' for one in rivals)}")
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
