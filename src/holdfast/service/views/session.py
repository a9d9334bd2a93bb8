"""One session: how it went, what was found, what became of that, what it was forked into, and what it was told."""

from collections.abc import Sequence

from msgspec import Struct

from holdfast.capture.check import check_count
from holdfast.capture.derivation import MASK
from holdfast.errors import UnknownId
from holdfast.model.brief import Receipt
from holdfast.model.finding import HYPOTHESIS, RETRACTED, Finding
from holdfast.model.kinds import KINDS
from holdfast.model.memory import shorten
from holdfast.model.plain import filled
from holdfast.model.search import Filters
from holdfast.model.session import Session, Turn
from holdfast.service.views.lines import (
    TITLE,
    Lines,
    Mark,
    MemoryLine,
    SessionLine,
    TextPiece,
    passage_of,
    titles_of,
)
from holdfast.service.views.today import MOST_RECENT, learnt_in

FINDINGS = 200
CONTENT = 1_000
"""Characters of a finding that are shown."""

LEARNT = 50
BRIEFS = 100
TURN_CHARS = 20_000
"""Characters of a turn that are shown."""

PAGE_CHARS = 300_000
"""Characters of turns on a page; the next has the rest."""

MOST_TURNS = 200
LEADING_TURNS = 10
"""Turns that are shown before the one that is looked for."""

MOST_FILES = 50
"""Files of a turn that are named."""

MOST_CHILDREN = 50
TREE_DEPTH = 6
"""Sessions that are shown of those forked from one, and how many times over."""

REMEMBERED, NOTED, GONE = "remembered", "noted", "forgotten"
"""What became of a finding, besides that it was taken back or said again."""


class FindingView(Struct, frozen=True, kw_only=True):
    """What was found, and what became of it."""

    id: str
    kind: str
    content: str
    signals: tuple[str, ...]
    importance: float
    at: int
    turn: str
    memory: MemoryLine | None
    outcome: str


class SessionBranch(Struct, frozen=True, kw_only=True):
    """A session among those that it was forked from and into."""

    id: str
    short: str
    agent: str
    at: int
    status: str
    forked_at: str | None
    here: bool
    children: "tuple[SessionBranch, ...]"


class BriefLine(Struct, frozen=True, kw_only=True):
    """A brief that a session got."""

    id: str
    at: int
    prompted: bool
    budget: int
    tokens: int
    took_ms: int
    cut: bool
    degraded: bool
    entries: int
    fetched: int
    text_kept: bool


class SessionPage(Struct, frozen=True, kw_only=True):
    """Everything about one session but its turns."""

    session: Session
    line: SessionLine
    summary: str
    findings: tuple[FindingView, ...]
    findings_more: int
    learnt: tuple[MemoryLine, ...]
    tree: SessionBranch
    briefs: tuple[BriefLine, ...]


class Became(Struct, frozen=True, kw_only=True):
    """What became of something that was said."""

    finding: str
    kind: str
    outcome: str
    memory: str | None
    title: str


class TurnView(Struct, frozen=True, kw_only=True):
    """A turn, with what was read from it marked."""

    id: str
    short: str
    role: str
    at: int
    tool: str | None
    files: tuple[str, ...]
    cut: bool
    masked: bool
    """Whether all of it was forgotten."""
    pieces: tuple[TextPiece, ...]
    became: tuple[Became, ...]


class TurnsPlace(Struct, frozen=True, kw_only=True):
    """Where in a session: after a turn, before one, or around one; else from the beginning."""

    after: str | None = None
    before: str | None = None
    around: str | None = None


class TurnsPage(Struct, frozen=True, kw_only=True):
    """A part of what was said."""

    turns: tuple[TurnView, ...]
    next: str | None
    """The turn after which there are more."""
    previous: str | None
    """The turn before which there are more."""
    total: int


class BriefEntryView(Struct, frozen=True, kw_only=True):
    """Something that a brief told."""

    id: str
    kind: str
    title: str
    tier: str
    score: float
    why: "dict[str, float]"
    fetched_at: int | None


class BriefPage(Struct, frozen=True, kw_only=True):
    """A brief as it was told."""

    receipt: Receipt
    text: str | None
    gone: str | None
    """Why there is no text: `forgotten` or `old`."""
    entries: tuple[BriefEntryView, ...]


class SessionPages:
    """Gathers what is known about sessions."""

    def __init__(self, lines: Lines) -> None:
        self._scopes = lines.scopes
        self._lines = lines
        self._store = lines.scopes.project

    def page(self, session_id: str) -> SessionPage:
        """Return everything about a session but its turns; the id may be short."""
        session = self._scopes.session(session_id)
        findings = self._store.findings.of(session.id, None, FINDINGS + 1)
        receipts = self._store.receipts.of([session.id], BRIEFS)
        kept_ids = self._store.receipts.texts([receipt.id for receipt in receipts]).keys()
        latest = self._store.memories.newest(Filters(since=session.started_at), MOST_RECENT)
        learnt = learnt_in(self._store, session, latest)[:LEARNT]
        return SessionPage(
            session=session,
            line=self._lines.session(session),
            summary=session.summary,
            findings=tuple(self._findings(findings[:FINDINGS])),
            findings_more=max(0, len(findings) - FINDINGS),
            learnt=tuple(map(self._lines.memory, learnt)),
            tree=self._tree(session),
            briefs=tuple(_brief_line(receipt, receipt.id in kept_ids) for receipt in receipts),
        )

    def turns(self, session_id: str, place: TurnsPlace, limit: int) -> TurnsPage:
        """Return what was said at a place of a session, each turn with what became of it."""
        check_count("limit", limit, 1, MOST_TURNS)
        session = self._scopes.session(session_id)
        turns, earlier = self._turns_at(session, place, limit)
        page = _fitting(turns[:limit]) if place.before is None else _fitting(turns[::-1][:limit])[::-1]
        read_findings = self._store.findings.from_turns([turn.id for turn in page])
        findings = [finding for finding in read_findings if finding.session == session.id]  # a fork has copies
        memories = self._lines.memories([finding.memory for finding in findings if finding.memory])
        views = tuple(_turn_view(turn, [f for f in findings if _is_about(f, turn)], memories) for turn in page)
        later = len(turns) > len(page) if place.before is None else True
        earlier = earlier or (place.before is not None and len(page) < len(turns))
        return TurnsPage(
            turns=views,
            next=page[-1].id if page and later else None,
            previous=page[0].id if page and earlier else None,
            total=session.turns,
        )

    def _turns_at(self, session: Session, place: TurnsPlace, limit: int) -> tuple[list[Turn], bool]:
        """Return the turns from a place on, one more than wanted, and whether there are earlier ones."""
        turns = self._store.turns
        if place.before is not None:
            leading = [
                turn for turn in turns.leading(session.id, place.before, limit + 2) if turn.id != place.before
            ]
            return leading, False
        if place.around is None:
            return turns.following(session.id, place.after, limit + 1), place.after is not None
        leading = turns.leading(session.id, place.around, LEADING_TURNS + 1)
        first = leading[0].id if len(leading) > LEADING_TURNS else None
        return turns.following(session.id, first, limit + 1), first is not None

    def brief(self, receipt_id: str) -> BriefPage:
        """Return a brief word for word, as far as that is kept."""
        receipts = self._store.receipts
        receipt = receipts.get(receipt_id)
        if receipt is None:
            raise UnknownId(noun="brief", id=receipt_id)
        titles = titles_of(self._scopes, [item.id for item in receipt.items])
        text = receipts.texts([receipt.id]).get(receipt.id)
        if any(item.kind in KINDS and item.id not in titles for item in receipt.items):
            text = None  # forgotten from another project, whose user's own memory it was
        if text is None and not receipt.tokens:
            text = ""
        reason = None if text is not None else "old" if receipts.unkept([receipt.id]) else GONE
        entries = tuple(
            filled(BriefEntryView, item, title=titles.get(item.id, ""), why=dict(item.why))
            for item in receipt.items
        )
        return BriefPage(receipt=receipt, text=text, gone=reason, entries=entries)

    def _findings(self, findings: Sequence[Finding]) -> list[FindingView]:
        memories = self._lines.memories([finding.memory for finding in findings if finding.memory])
        return [
            filled(
                FindingView,
                finding,
                content=shorten(finding.content, CONTENT),
                at=finding.created_at,
                memory=memories.get(finding.memory or ""),
                outcome=outcome_of(finding, memories),
            )
            for finding in findings
        ]

    def _tree(self, session: Session) -> SessionBranch:
        """Return a session's family from the first of its line on."""
        root, seen_ids = session, {session.id}
        while root.parent and root.parent not in seen_ids and (parent := self._store.sessions.peek(root.parent)):
            seen_ids.add(parent.id)
            root = parent
        return self._branch(root, session.id, TREE_DEPTH)

    def _branch(self, session: Session, here: str, depth: int) -> SessionBranch:
        children = self._store.sessions.children(session.id, MOST_CHILDREN) if depth else []
        return filled(
            SessionBranch,
            session,
            short=session.id[-8:],
            at=session.started_at,
            here=session.id == here,
            children=tuple(self._branch(child, here, depth - 1) for child in children),
        )


def outcome_of(finding: Finding, memories: "dict[str, MemoryLine]") -> str:
    """Say what became of a finding."""
    if finding.memory:
        return REMEMBERED if finding.memory in memories else GONE
    signal = next((signal for signal in (RETRACTED, HYPOTHESIS) if signal in finding.signals), NOTED)
    return NOTED if signal == HYPOTHESIS else signal


def _fitting(turns: Sequence[Turn]) -> list[Turn]:
    """Return the first of the turns, as many as fit on a page: one at least."""
    page: list[Turn] = []
    characters = 0
    for turn in turns:
        characters += min(len(turn.text), TURN_CHARS)
        if page and characters > PAGE_CHARS:
            break
        page.append(turn)
    return page


def _is_about(finding: Finding, turn: Turn) -> bool:
    return any(place.turn == turn.id for place in finding.evidence)


def _turn_view(turn: Turn, findings: Sequence[Finding], memories: "dict[str, MemoryLine]") -> TurnView:
    marks = [
        Mark(start=place.start, end=place.end, finding=finding.id, memory=finding.memory)
        for finding in findings
        for place in finding.evidence
        if place.turn == turn.id
    ]
    passage = passage_of(turn.text, marks, TURN_CHARS, TURN_CHARS // 4)
    return filled(
        TurnView,
        turn,
        short=turn.id[-8:],
        files=turn.files[:MOST_FILES],
        cut=passage.before or passage.after,
        masked=turn.text == MASK,
        pieces=passage.pieces,
        became=tuple(
            filled(
                Became,
                finding,
                finding=finding.id,
                outcome=outcome_of(finding, memories),
                title=memories[finding.memory].title
                if finding.memory in memories
                else shorten(finding.content, TITLE),
            )
            for finding in findings
        ),
    )


def _brief_line(receipt: Receipt, text_kept: bool) -> BriefLine:
    return filled(
        BriefLine,
        receipt,
        entries=len(receipt.items),
        fetched=sum(item.fetched_at is not None for item in receipt.items),
        text_kept=text_kept,
    )
