"""What was chosen, as the parts of a page: entries with their marks, conflicts in words; and how a session's brief
begins."""

import math
import types
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from holdfast.model.brief import BriefItem
from holdfast.model.finding import ACCEPTED
from holdfast.model.kinds import AGENT, CANDIDATE, CONFIRMED, PROMOTED, USER
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Conflict, Memory
from holdfast.model.patterns import regex
from holdfast.model.search import Filters
from holdfast.model.times import day
from holdfast.recall.brief.budget import estimate
from holdfast.recall.brief.candidates import ScoredEntry
from holdfast.recall.brief.fill import BriefPart, BriefRules, Line, Piece, join_statements
from holdfast.recall.brief.notes import BriefNote
from holdfast.recall.brief.once import repeats_any
from holdfast.recall.brief.render import SAID_ON, BriefEntry
from holdfast.recall.brief.request import BriefSources, Request
from holdfast.recall.brief.threads import RelevantThread, ToldStatement, replaced_memories
from holdfast.recall.brief.weights import SAME_FILE, affinity, is_said, is_sure
from holdfast.text.words import topic

FILES_NAMED = 3

DECIDED = "Decided: "
"""The line of a summary whose entries stand in threads."""

LASTING = 0.2
"""The probability of lasting that a statement needs in a thread that is told whole, unless it fits by itself."""

LINES, RELEVANT = 2, 0.55
"""Statements that are told of a thread that is not told whole, and how well each must fit by itself."""

ACCEPTED_MARK = ("agent, accepted",)
"""The mark of an agent's words that the person took."""

SUMMARY_RANK = 2.0
"""How much sooner than a person's statement a summary that was accepted gets room: it holds them all."""


class BriefContent(Struct, frozen=True):
    """Everything that a brief is to show."""

    pinned: Sequence[Memory]
    chosen: Sequence[ScoredEntry]
    bridge: Sequence[BriefNote]
    summaries: Sequence[BriefNote]
    conflicts: Sequence[Conflict]
    said: Sequence[Memory] = ()
    subjects: Mapping[str, str] = field(default_factory=dict)
    """Titles by memory, for lines that mean nothing alone."""


def parts_of(content: BriefContent, request: Request, reach: BriefSources) -> list[BriefPart]:
    """Return the parts of a page in order."""
    memories = [*content.pinned, *(entry.source for entry in content.chosen if isinstance(entry.source, Memory))]
    told_texts = [memory.content for memory in memories]
    writer = _Writer(request, reach, content.conflicts, content.subjects, told_texts)
    whole = next((entry for entry in content.chosen if isinstance(entry.source, RelevantThread)), None)

    def lines(name: str, memories: Sequence[Memory]) -> BriefPart:
        return BriefPart(
            name, name, tuple(writer.memory(memory, name, {}, 1.0) for memory in memories), lines=True
        )

    parts = [
        replace(lines("always", content.pinned), lines=False),
        lines("said", content.said),
        BriefPart("bridge", "bridge", tuple(writer.note(note, "bridge") for note in content.bridge)),
        BriefPart(
            "retrieval",
            "retrieval",
            tuple(piece for entry in content.chosen if (piece := writer.chosen(entry, whole=entry is whole))),
        ),
        BriefPart("summaries", "summaries", tuple(writer.note(note, "summaries") for note in content.summaries)),
    ]
    return [replace(part, pieces=_untold(part.pieces, request.told)) for part in parts]


def rules_of(rules: Sequence[Memory], request: Request, reach: BriefSources, content: BriefContent) -> BriefRules:
    """Return standing rules as lines of a page."""
    writer = _Writer(request, reach, content.conflicts, content.subjects)
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
    return tuple(piece for piece in pieces if piece.item.id.replace("-", "")[-8:] not in told_ids or piece.lines)


def _ending(summary: str) -> list[str]:
    """Return the lines of a summary that say how a session ended; what it decided stands in its threads."""
    lines = summary.splitlines()
    return [line for line in lines if not line.startswith(DECIDED)] or lines


class _Writer:
    """Turns values into entries."""

    def __init__(
        self,
        request: Request,
        reach: BriefSources,
        conflicts: Sequence[Conflict],
        subjects: Mapping[str, str] = types.MappingProxyType({}),
        told_texts: Sequence[str] = (),
    ) -> None:
        self._subjects = subjects
        self._told_texts = told_texts
        self._request = request
        self._reach = reach
        self._rivals_by_id: dict[str, set[str]] = {}
        for conflict in conflicts:
            self._rivals_by_id.setdefault(conflict.first, set()).add(conflict.second)
            self._rivals_by_id.setdefault(conflict.second, set()).add(conflict.first)

    def chosen(self, scored_entry: ScoredEntry, *, whole: bool) -> Piece | None:
        """Show what was found: a memory, the best thread whole, of another thread its best statement."""
        why = {name: round(part, 4) for name, part in scored_entry.parts.items()}
        if isinstance(scored_entry.source, Memory):
            return self.memory(scored_entry.source, "retrieval", why, scored_entry.score)
        return self._thread(scored_entry.source, why, scored_entry.score, whole=whole)

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
            title=self._subject(memory, tier),
        )
        item = BriefItem(id=memory.id, kind=memory.kind, tier=tier, score=round(score, 4), why=why, marks=marks)
        return Piece(entry, item)

    def _subject(self, memory: Memory, tier: str) -> str:
        """Return the subject of a line of a session's start that means nothing alone."""
        points_back = tier in ("rules", "said") and _POINTS_BACK.search(memory.content)
        return self._subjects.get(memory.id, "") if points_back else ""

    def note(self, note: BriefNote, tier: str) -> Piece:
        """Show a note."""
        text = note.text if tier != "summaries" else " · ".join(_ending(note.text))
        entry = BriefEntry(ref=note.id[-8:], kind=note.kind, date=day(note.at), trust=note.trust, text=text)
        return Piece(entry, BriefItem(id=note.id, kind=note.kind, tier=tier, score=0.0, why={}))

    def _thread(self, thread: RelevantThread, why: dict[str, float], score: float, *, whole: bool) -> Piece | None:
        """Show what of a thread the session does not know yet; None where that is nothing."""
        told_ids = self._request.told
        new_statements = [
            statement
            for statement in thread.statements
            if statement.id.replace("-", "")[-8:] not in told_ids
            and not repeats_any(statement.text, self._told_texts)
        ]
        nearest = sorted(
            (statement for statement in new_statements if statement.fit >= RELEVANT),
            key=lambda statement: -statement.fit,
        )[:LINES]
        worthy = [
            statement
            for statement in new_statements
            if (statement.lasts >= LASTING if whole else False) or statement in nearest
        ]
        lines = [self._line(statement, thread, why, score) for statement in worthy]
        if not lines:
            return None
        entry = BriefEntry(
            ref=thread.thread.id[-8:],
            kind="thread",
            date=day(thread.thread.at),
            trust=USER if any(statement.trust == USER for statement in worthy) else AGENT,
            text=join_statements(lines),
            title=thread.thread.title,
        )
        return Piece(entry, lines[0].item, tuple(lines))

    def _line(self, statement: ToldStatement, thread: RelevantThread, why: dict[str, float], score: float) -> Line:
        """Show a statement on a line, with its marks; an agent's says that it is one."""
        source = statement.source
        marks = self._marks(source) if isinstance(source, Memory) else ()
        lead = "".join(f"[{mark}] " for mark in ((() if statement.trust == USER else ACCEPTED_MARK) + marks))
        date = "" if day(statement.at) == day(thread.thread.at) else f"{day(statement.at)}: "
        kind = source.kind if isinstance(source, Memory) else "turn"
        item = BriefItem(id=statement.id, kind=kind, tier="retrieval", score=round(score, 4), why=why, marks=marks)
        rank = statement.fit * (1.0 if statement.trust == USER else SUMMARY_RANK)
        return Line(date + lead, " ".join(statement.text.split()), item, rank, statement.turn)

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

LEAST_TOPIC = 2
"""Telling words without which a line from talk means nothing to those who were not there."""

SUBJECTS_READ, SUBJECTS_CHARS, SETTLED = 40, 300, 0.5
"""Threads among which subjects are looked for, how long the line gets, and how surely one statement must last."""

_POINTS_BACK = regex(
    r"^\W*(?:(?:and|but|so|then|also|no|yes|ok(?:ay)?)[\s,]+)*"
    r"(?:it(?:'s)?|that(?:'s)?|this|they|them|those|these|there|here|he|she|which|only|one|not)\b",
    2,  # re.IGNORECASE
)

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


class StartMemories(Struct, frozen=True):
    """What a session's start tells of memories."""

    rules: list[Memory]
    said: list[Memory]
    subjects: Mapping[str, str]
    """Titles by memory, for lines that mean nothing alone."""


def start_memories(request: Request, reach: BriefSources) -> StartMemories:
    """Return the rules that hold and what was surely said, without what a later thread replaced."""
    memories = [*standing_rules(request, reach), *sayings(request, reach)]
    threads = reach.stores[0].threads
    home = threads.of_memories([memory.id for memory in memories])
    titles = {thread.id: thread.title for thread in threads.get(list(dict.fromkeys(home.values())))}
    replaced_ids = replaced_memories(memories, threads)
    wide = [memory for memory in memories if memory.id not in replaced_ids and _holds_widely(memory)]
    surest = sorted((memory for memory in wide if is_said(memory)), key=lambda memory: -memory.confidence)[
        :MOST_SAID
    ]
    return StartMemories(
        rules=[memory for memory in wide if not is_said(memory)],
        said=sorted(surest, key=lambda memory: -memory.created_at),
        subjects={memory_id: titles[thread_id] for memory_id, thread_id in home.items()},
    )


def _holds_widely(memory: Memory) -> bool:
    """Return whether a memory is told whatever the work is.

    What a person only took over from an agent's proposal answers one question: it is left to its thread. The
    judge's class, a way of working or a matter, is not asked: of the very sure, matters are wanted as often.
    """
    from_talk = PROMOTED in memory.sources
    return not from_talk or (ACCEPTED not in _signals(memory) and len(topic(memory.content)) >= LEAST_TOPIC)


def _signals(memory: Memory) -> Sequence[object]:
    signals = memory.metadata.get("signals")
    return signals if isinstance(signals, list) else ()


def subjects_line(reach: BriefSources) -> str:
    """Name what the latest threads with something settled are about; nothing where there are none."""
    threads = reach.stores[0].threads.newest(SUBJECTS_READ)
    titles = dict.fromkeys(
        thread.title for thread in threads if any(statement.lasts >= SETTLED for statement in thread.standing)
    )
    line = ""
    for title in titles:
        if len(line) + len(title) > SUBJECTS_CHARS:
            break
        line += f"; {title}" if line else title
    return f"Memory knows more about: {line}. Ask `memory_search` or `holdfast search`." if line else ""


def standing_rules(request: Request, reach: BriefSources) -> list[Memory]:
    """Return the rules that hold and are not pinned, newest first; what came from files is none, whoever
    confirmed it."""
    filters = Filters(
        kinds=(*KINDS, *NOTED_KINDS), statuses=(CONFIRMED,), trusts=(USER, AGENT), current_at=request.scene.now
    )
    memories = [memory for store in reach.stores for memory in store.memories.newest(filters, LOOKED_AT)]
    return [memory for memory in memories if memory.trust == USER or memory.kind in KINDS]


def sayings(request: Request, reach: BriefSources) -> list[Memory]:
    """Return what a person said that very probably lasts, newest first."""
    filters = Filters(statuses=(CANDIDATE,), trusts=(USER,), current_at=request.scene.now)
    memories = [memory for store in reach.stores for memory in store.memories.newest(filters, LOOKED_AT)]
    return [memory for memory in memories if is_said(memory) and is_sure(memory)]


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
