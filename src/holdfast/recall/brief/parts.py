"""What was chosen, as the parts of a page: entries with their marks, conflicts in words; and how a session's brief
begins."""

import math
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from holdfast.model.brief import BriefItem
from holdfast.model.kinds import AGENT, CANDIDATE, CONFIRMED, USER
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Conflict, Memory
from holdfast.model.search import Filters
from holdfast.model.session import Turn
from holdfast.model.times import day
from holdfast.recall.brief.budget import estimate
from holdfast.recall.brief.candidates import ScoredEntry
from holdfast.recall.brief.fill import BriefPart, BriefRules, Piece
from holdfast.recall.brief.notes import BriefNote
from holdfast.recall.brief.render import SAID_ON, BriefEntry
from holdfast.recall.brief.request import BriefSources, Request
from holdfast.recall.brief.weights import SAME_FILE, affinity, is_said, is_sure, turn_trust

FILES_NAMED = 3


class BriefContent(Struct, frozen=True):
    """Everything that a brief is to show."""

    pinned: Sequence[Memory]
    chosen: Sequence[ScoredEntry]
    bridge: Sequence[BriefNote]
    summaries: Sequence[BriefNote]
    conflicts: Sequence[Conflict]
    said: Sequence[Memory] = ()


def parts_of(content: BriefContent, request: Request, reach: BriefSources) -> list[BriefPart]:
    """Return the parts of a page in order."""
    writer = _Writer(request, reach, content.conflicts)
    parts = [
        BriefPart(
            "always", "always", tuple(writer.memory(memory, "always", {}, 1.0) for memory in content.pinned)
        ),
        BriefPart(
            "said", "said", tuple(writer.memory(memory, "said", {}, 1.0) for memory in content.said), lines=True
        ),
        BriefPart("bridge", "bridge", tuple(writer.note(note, "bridge") for note in content.bridge)),
        BriefPart("retrieval", "retrieval", tuple(writer.chosen(entry) for entry in content.chosen)),
        BriefPart("summaries", "summaries", tuple(writer.note(note, "summaries") for note in content.summaries)),
    ]
    return [replace(part, pieces=_untold(part.pieces, request.told)) for part in parts]


def rules_of(
    rules: Sequence[Memory], request: Request, reach: BriefSources, conflicts: Sequence[Conflict]
) -> BriefRules:
    """Return standing rules as lines of a page."""
    writer = _Writer(request, reach, conflicts)
    pieces = {rule.id: writer.memory(rule, "rules", {}, 1.0) for rule in rules}
    return BriefRules(
        pieces=_untold(tuple(pieces.values()), request.told),
        by_use=lambda: _untold(tuple(pieces[rule.id] for rule in by_use(rules, request, reach)), request.told),
        more=lambda count: (
            f"{count} more rules are known: ask `memory_search` or `holdfast search` before work they may cover."
        ),
    )


def _untold(pieces: tuple[Piece, ...], told_ids: frozenset[str]) -> tuple[Piece, ...]:
    """Leave out what the session knows from an earlier brief."""
    return tuple(piece for piece in pieces if piece.item.id.replace("-", "")[-8:] not in told_ids)


class _Writer:
    """Turns values into entries."""

    def __init__(self, request: Request, reach: BriefSources, conflicts: Sequence[Conflict]) -> None:
        self._request = request
        self._reach = reach
        self._rivals_by_id: dict[str, set[str]] = {}
        for conflict in conflicts:
            self._rivals_by_id.setdefault(conflict.first, set()).add(conflict.second)
            self._rivals_by_id.setdefault(conflict.second, set()).add(conflict.first)

    def chosen(self, scored_entry: ScoredEntry) -> Piece:
        """Show what was found."""
        why = {name: round(part, 4) for name, part in scored_entry.parts.items()}
        if isinstance(scored_entry.source, Memory):
            return self.memory(scored_entry.source, "retrieval", why, scored_entry.score)
        return self._turn(scored_entry.source, scored_entry, why)

    def memory(self, memory: Memory, tier: str, why: dict[str, float], score: float) -> Piece:
        """Show a memory with its marks; the title comes first where the content does not begin with it."""
        marks = self._marks(memory)
        starts_with_title = memory.content.startswith(memory.title.rstrip("…"))
        entry = BriefEntry(
            ref=self._reach.short(memory.id),
            kind=SAID_ON if is_said(memory) else memory.kind,
            date=day(memory.created_at),
            trust=memory.trust,
            text=memory.content if starts_with_title else f"{memory.title}: {memory.content}",
            marks=marks,
        )
        item = BriefItem(id=memory.id, kind=memory.kind, tier=tier, score=round(score, 4), why=why, marks=marks)
        return Piece(entry, item)

    def note(self, note: BriefNote, tier: str) -> Piece:
        """Show a note."""
        entry = BriefEntry(ref=note.id[-8:], kind=note.kind, date=day(note.at), trust=note.trust, text=note.text)
        return Piece(entry, BriefItem(id=note.id, kind=note.kind, tier=tier, score=0.0, why={}))

    def _turn(self, turn: Turn, scored_entry: ScoredEntry, why: dict[str, float]) -> Piece:
        """Show what somebody said."""
        entry = BriefEntry(
            ref=turn.id[-8:], kind="turn", date=day(turn.at), trust=turn_trust(turn), text=scored_entry.text
        )
        return Piece(
            entry,
            BriefItem(id=turn.id, kind="turn", tier="retrieval", score=round(scored_entry.score, 4), why=why),
        )

    def _marks(self, memory: Memory) -> tuple[str, ...]:
        marks = []
        if memory.id in self._rivals_by_id:
            rivals = sorted(self._reach.short(memory_id) for memory_id in self._rivals_by_id[memory.id])
            marks.append(f"⚠ conflicts with {', '.join(f'#{rival}' for rival in rivals)}")
        if memory.status == CANDIDATE and not is_said(memory):
            marks.append("unconfirmed")
        changed_files = self._reach.changed(memory)
        if changed_files:
            more = f" and {len(changed_files) - FILES_NAMED} more" if len(changed_files) > FILES_NAMED else ""
            marks.append(f"changed since: {', '.join(changed_files[:FILES_NAMED])}{more}")
        branch = self._request.branch
        if memory.branch and branch and memory.branch not in (branch, *MAIN_BRANCHES):
            marks.append(f"from branch {memory.branch}")
        return tuple(marks)


KINDS = ("decision", "warning", "preference", "architecture", "pattern", "fact")
"""Kinds that are rules, whoever stated them."""

NOTED_KINDS = ("observation", "discovery", "feature")
"""Kinds that what a person asked to remember may be taken for ("ask before adding a dependency" adds)."""

LOOKED_AT = 400
"""Rules that are weighed, newest first: three times what the largest budget holds."""

MOST_SAID = 8
"""Entries that a session's start tells as said."""

MAIN_BRANCHES = frozenset(("main", "master", "trunk", "default", "develop"))
"""Branches that everything ends up on: to be on one of them says nothing about what is being worked on."""

COMMON_WORK = (
    "add a dependency, install a package, write a test, run the tests, fix a bug, create a component, write a "
    "function, change an endpoint, update the database schema, run a migration, add logging, handle errors, "
    "refactor code, write documentation, edit configuration, commit and push the changes, open a pull request, "
    "deploy"
)
"""What most sessions do. A rule that is near to it applies widely, and shares few words with any one prompt."""

IMPORTANCE = 0.2
"""What importance, which grows when something is said again, adds to a cosine."""

READ_BONUS = 0.05
"""What each doubling of reads adds."""

FRESH = 0.05
"""What being new adds, half of it after so many days."""

FRESH_DAYS = 30


def standing_rules(request: Request, reach: BriefSources) -> list[Memory]:
    """Return the rules that hold and are not pinned, newest first; what came from files is none, whoever
    confirmed it."""
    filters = Filters(
        kinds=(*KINDS, *NOTED_KINDS), statuses=(CONFIRMED,), trusts=(USER, AGENT), current_at=request.scene.now
    )
    memories = [memory for store in reach.stores for memory in store.memories.newest(filters, LOOKED_AT)]
    return [memory for memory in memories if memory.trust == USER or memory.kind in KINDS]


def sure_sayings(request: Request, reach: BriefSources) -> list[Memory]:
    """Return what a person said that very probably lasts, the surest few, newest first."""
    filters = Filters(statuses=(CANDIDATE,), trusts=(USER,), current_at=request.scene.now)
    memories = [memory for store in reach.stores for memory in store.memories.newest(filters, LOOKED_AT)]
    sayings = sorted(
        (memory for memory in memories if is_said(memory) and is_sure(memory)),
        key=lambda memory: -memory.confidence,
    )
    return sorted(sayings[:MOST_SAID], key=lambda memory: -memory.created_at)


def by_use(rules: Sequence[Memory], request: Request, reach: BriefSources) -> list[Memory]:
    """Return rules, the most useful first for the room they take."""
    files = (*request.scene.files, *reach.at_hand())
    widths = reach.widths([rule.id for rule in rules])
    return sorted(rules, key=lambda rule: -_use(rule, widths, files, request) / math.sqrt(estimate(rule.content)))


def _use(rule: Memory, widths: Mapping[str, float], files: Collection[str], request: Request) -> float:
    branch = request.branch
    here = branch is not None and branch not in MAIN_BRANCHES and rule.branch == branch
    at_hand = here or affinity(rule.files, tuple(files)) >= SAME_FILE
    age_days = max(0, request.scene.now - rule.renewed_at) / DAY_MS
    return (
        float(at_hand)
        + widths.get(rule.id, 0.0)
        + IMPORTANCE * rule.importance
        + READ_BONUS * math.log2(1 + rule.reads)
        + FRESH * math.exp2(-age_days / FRESH_DAYS)
    )
