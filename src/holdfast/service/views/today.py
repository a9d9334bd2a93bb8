"""The pages that a person sees first: what happened lately, agent by agent, and what waits for an answer.

The inbox is shown with long texts cut, and with the answers that can be taken back.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.check import check_count
from holdfast.model.brief import Receipt
from holdfast.model.inbox import Inbox, InboxItem, Side, Waits
from holdfast.model.memory import Memory
from holdfast.model.plain import filled
from holdfast.model.records import RuleTotals
from holdfast.model.search import Filters
from holdfast.model.session import Session
from holdfast.ports import Store
from holdfast.service.inbox import ledger
from holdfast.service.inbox.ledger import LedgerEntry
from holdfast.service.scopes import Scopes
from holdfast.service.views.lines import Lines, MemoryLine, SessionLine, titles_of

MOST_SESSIONS = 50
SHOWN = 8
"""Entries that are shown of what a session was told, and of what was learnt in it."""

MOST_RECENT = 500
"""The latest memories that are looked through for what was learnt."""

MOST_FINDINGS = 200
"""The latest findings of a session that are looked through for what became a memory."""

UNPLACED_BRIEFS = 64
"""The latest briefs among which those are counted that no session asked for."""

CONTENT = 4_000
"""Characters of a side that are shown."""

QUOTATIONS = 4
QUOTATION = 1_000
"""Passages that are shown of what a side was read from, and characters of each."""


class ToldEntry(Struct, frozen=True, kw_only=True):
    """Something that an agent was told."""

    id: str
    kind: str
    title: str
    tier: str
    fetched_at: int | None


class Told(Struct, frozen=True, kw_only=True):
    """What a session was told."""

    briefs: int
    tokens: int
    entries: tuple[ToldEntry, ...]
    more: int


class RecentSession(Struct, frozen=True, kw_only=True):
    """A session, what it was told and what was learnt in it."""

    session: SessionLine
    told: Told
    learnt: tuple[MemoryLine, ...]
    learnt_more: int


class AgentDay(Struct, frozen=True, kw_only=True):
    """What an agent's sessions came to."""

    agent: str
    sessions: int
    briefs: int
    told: int
    learnt: int
    last_at: int


class OutsideSessions(Struct, frozen=True, kw_only=True):
    """What happened outside of the sessions that are shown."""

    learnt: tuple[MemoryLine, ...]
    briefs: int


class Today(Struct, frozen=True, kw_only=True):
    """What happened lately."""

    now: int
    inbox: Waits
    memories: int
    sessions_total: int
    agents: tuple[AgentDay, ...]
    sessions: tuple[RecentSession, ...]
    elsewhere: OutsideSessions
    rules: RuleTotals
    """How rules were kept at the calls of today, by UTC."""


def today_page(lines: Lines, waits: Waits, rules: RuleTotals, sessions: int) -> Today:
    """Return the last sessions, and what came of them."""
    check_count("sessions", sessions, 1, MOST_SESSIONS)
    scopes, project = lines.scopes, lines.scopes.project
    recent = project.sessions.newest(None, sessions)
    ids = [session.id for session in recent]
    receipts = project.receipts.of(ids, MOST_RECENT)
    since = min((session.started_at for session in recent), default=None)
    filters = Filters(since=since, current_at=lines.now)
    latest = [memory for store in scopes.present for memory in store.memories.newest(filters, MOST_RECENT)]
    titles = titles_of(scopes, list({item.id for receipt in receipts for item in receipt.items}))
    rows = [_recent(lines, session, receipts, latest, titles) for session in recent]
    outside = [memory for memory in latest if memory.session not in ids]
    return Today(
        now=lines.now,
        inbox=waits,
        memories=sum(store.upkeep.memories() for store in scopes.present),
        sessions_total=project.counts(lines.now).sessions,
        agents=_agents(rows),
        sessions=tuple(rows),
        rules=rules,
        elsewhere=OutsideSessions(
            learnt=tuple(map(lines.memory, outside[:SHOWN])), briefs=_unplaced_briefs(project, since)
        ),
    )


def _recent(
    lines: Lines,
    session: Session,
    receipts: Sequence[Receipt],
    latest: Sequence[Memory],
    titles: dict[str, str],
) -> RecentSession:
    own = [receipt for receipt in receipts if receipt.session == session.id]
    items = {item.id: item for receipt in own for item in receipt.items}
    entries = [filled(ToldEntry, item, title=titles.get(item.id, "")) for item in list(items.values())[:SHOWN]]
    learnt = list(map(lines.memory, learnt_in(lines.scopes.project, session, latest)))
    return RecentSession(
        session=lines.session(session),
        told=Told(
            briefs=len(own),
            tokens=sum(receipt.tokens for receipt in own),
            entries=tuple(entries),
            more=max(0, len(items) - SHOWN),
        ),
        learnt=tuple(learnt[:SHOWN]),
        learnt_more=max(0, len(learnt) - SHOWN),
    )


def learnt_in(store: Store, session: Session, latest: Sequence[Memory]) -> list[Memory]:
    """Return the memories that a session led to: noted in it, or found in what was said."""
    findings = store.findings.latest(session.id, MOST_FINDINGS)
    promoted_memories = store.memories.get(
        list(dict.fromkeys(finding.memory for finding in findings if finding.memory))
    )
    noted_memories = [memory for memory in latest if memory.session == session.id]
    return list({memory.id: memory for memory in (*noted_memories, *promoted_memories)}.values())


def _agents(rows: Sequence[RecentSession]) -> tuple[AgentDay, ...]:
    by_agent: dict[str, list[RecentSession]] = {}
    for row in rows:
        by_agent.setdefault(row.session.agent, []).append(row)
    return tuple(
        AgentDay(
            agent=agent,
            sessions=len(own),
            briefs=sum(row.told.briefs for row in own),
            told=sum(len(row.told.entries) + row.told.more for row in own),
            learnt=sum(len(row.learnt) + row.learnt_more for row in own),
            last_at=max(row.session.last_turn_at or row.session.at for row in own),
        )
        for agent, own in by_agent.items()
    )


def _unplaced_briefs(store: Store, since: int | None) -> int:
    receipts = store.receipts.recent(UNPLACED_BRIEFS)
    return sum(receipt.session is None and (since is None or receipt.at >= since) for receipt in receipts)


class InboxSide(Struct, frozen=True, kw_only=True):
    """A memory that something is about."""

    side: Side
    cut: bool


class InboxRow(Struct, frozen=True, kw_only=True):
    """One thing that waits."""

    item: InboxItem
    sides: tuple[InboxSide, ...]


class Undoable(Struct, frozen=True, kw_only=True):
    """An answer that can be taken back."""

    id: str
    short: str
    sort: str
    at: int
    title: str


class InboxPage(Struct, frozen=True, kw_only=True):
    """What waits, and what was answered lately."""

    items: tuple[InboxRow, ...]
    total: int
    imported: int
    undoable: tuple[Undoable, ...]


def inbox_page(inbox: Inbox, scopes: Scopes) -> InboxPage:
    """Return the inbox as a page shows it."""
    entries = sorted(
        (entry for store in scopes.present for entry in ledger.entries(store)), key=lambda entry: -entry.at
    )
    titles = titles_of(scopes, [memory_id for entry in entries for memory_id in entry.before])
    return InboxPage(
        items=tuple(map(_row, inbox.items)),
        total=inbox.total,
        imported=inbox.imported,
        undoable=tuple(_undoable(entry, titles) for entry in entries[: ledger.MOST_REMEMBERED]),
    )


def _row(item: InboxItem) -> InboxRow:
    return InboxRow(item=replace(item, sides=()), sides=tuple(map(_side, item.sides)))


def _side(side: Side) -> InboxSide:
    quotations = tuple(
        replace(quotation, text=quotation.text[:QUOTATION]) for quotation in side.quotations[:QUOTATIONS]
    )
    short = replace(side, content=side.content[:CONTENT], quotations=quotations)
    return InboxSide(side=short, cut=len(side.content) > CONTENT)


def _undoable(entry: LedgerEntry, titles: dict[str, str]) -> Undoable:
    title = next((titles[memory_id] for memory_id in entry.before if memory_id in titles), "")
    return filled(Undoable, entry, short=entry.id[-8:], title=title)
