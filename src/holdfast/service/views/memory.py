"""One memory with all that is known about it: why it is believed, what became of it, to whom it was told."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from holdfast.capture.check import content_hashes
from holdfast.model.brief import Receipt
from holdfast.model.kinds import CANDIDATE, PINNED
from holdfast.model.limits import RECEIPTS
from holdfast.model.memory import Conflict, Json, Memory
from holdfast.model.plain import filled
from holdfast.model.records import Event, EventFilters
from holdfast.ports import Store
from holdfast.service.rules import act_details
from holdfast.service.views.lines import Lines, Mark, MemoryLine, TextPiece, passage_of

MOST_EVIDENCE = 20
MOST_RECEIPTS = 50
MOST_EVENTS = 30
MOST_HISTORY = 100
EVENTS_SEARCHED = 1_000
"""The latest events that are looked through for those about a memory."""

SAME, CHANGED, MISSING, UNKNOWN = "same", "changed", "missing", "unknown"
"""How a file of a memory is now: as it was, otherwise, gone, or nobody noted how it was."""


class EvidenceTurn(Struct, frozen=True, kw_only=True):
    """What was said that a memory was read from."""

    finding: str
    kind: str
    signals: tuple[str, ...]
    session: str
    session_short: str
    agent: str | None
    turn: str
    role: str
    at: int
    text: str
    before: bool
    after: bool
    marks: tuple[tuple[int, int], ...]
    pieces: tuple[TextPiece, ...]


class Version(Struct, frozen=True, kw_only=True):
    """A memory in the line of those that took each other's place."""

    line: MemoryLine
    valid_from: int
    valid_until: int | None
    by: str | None


class ConflictView(Struct, frozen=True, kw_only=True):
    """A conflict, seen from one of its sides."""

    id: str
    short: str
    kind: str
    detected_at: int
    resolved_at: int | None
    kept: str | None
    other: MemoryLine | None
    newer: bool
    """Whether the memory is the one that was said later."""


class ProposalView(Struct, frozen=True, kw_only=True):
    """What somebody asked for."""

    id: str
    short: str
    verb: str
    actor: str
    agent: str | None
    at: int
    why: str
    arguments: Json
    outcome: str | None
    settled_at: int | None


class FileState(Struct, frozen=True, kw_only=True):
    """A file that a memory is about."""

    path: str
    state: str


class Delivery(Struct, frozen=True, kw_only=True):
    """A brief that told of a memory."""

    id: str
    at: int
    agent: str
    session: str | None
    prompted: bool
    tier: str
    score: float
    why: Mapping[str, float]
    fetched_at: int | None


class Deliveries(Struct, frozen=True, kw_only=True):
    """How often a memory was told, and the latest times."""

    times: int
    receipts: tuple[Delivery, ...]


class MemoryEvent(Struct, frozen=True, kw_only=True):
    """What was done to a memory."""

    action: str
    actor: str
    at: int


class MemoryPage(Struct, frozen=True, kw_only=True):
    """Everything about one memory."""

    memory: Memory
    line: MemoryLine
    evidence: tuple[EvidenceTurn, ...]
    history: tuple[Version, ...]
    conflicts: tuple[ConflictView, ...]
    proposals: tuple[ProposalView, ...]
    files: tuple[FileState, ...]
    told: Deliveries
    log: tuple[MemoryEvent, ...]
    may: Mapping[str, bool]
    act: Mapping[str, str]
    """What it touches as a rule, how it is guarded, and how it was kept."""
    thread: str | None = None
    """What the talk is about that it is from."""


def memory_page(lines: Lines, root: Path | None, memory_id: str) -> MemoryPage:
    """Return everything about a memory; the id may be short. Looking counts as no read."""
    store, memory = lines.scopes.find(memory_id)
    deliveries = lines.scopes.project.receipts.naming(memory.id, RECEIPTS)
    home = list(store.threads.of_memories([memory.id]).values())
    return MemoryPage(
        memory=memory,
        line=lines.memory(memory),
        evidence=tuple(_evidence(lines.scopes.project, memory)),
        history=tuple(
            filled(Version, row, line=lines.memory(row), by=row.superseded_by)
            for row in store.memories.history(memory.id)[-MOST_HISTORY:]
        ),
        conflicts=tuple(_conflict(lines, memory, row) for row in store.conflicts.about(memory.id)),
        proposals=tuple(filled(ProposalView, row, short=row.id[-8:]) for row in store.proposals.about(memory.id)),
        files=tuple(_files(root, memory)),
        told=Deliveries(
            times=len(deliveries),
            receipts=tuple(_delivery(receipt, memory.id) for receipt in deliveries[:MOST_RECEIPTS]),
        ),
        log=tuple(filled(MemoryEvent, event) for event in _events(store, memory)),
        may=permitted_verbs(memory),
        thread=next((thread.title for thread in store.threads.get(home)), None),
        act=act_details(memory),
    )


def _evidence(project: Store, memory: Memory) -> list[EvidenceTurn]:
    findings = project.findings.behind([memory.id])
    by_place = {
        place: finding for finding in reversed(findings) for place in finding.evidence
    }  # forks have copies
    places = [(finding, place) for place, finding in by_place.items()][::-1][:MOST_EVIDENCE]
    turns = {turn.id: turn for turn in project.turns.get([place.turn for _, place in places])}
    agents: dict[str, str | None] = {}
    evidence = []
    for finding, place in places:
        turn = turns.get(place.turn)
        if turn is None:
            continue
        if turn.session not in agents:
            session = project.sessions.peek(turn.session)
            agents[turn.session] = session.agent if session else None
        marks = [Mark(start=place.start, end=place.end, finding=finding.id, memory=memory.id)]
        passage = passage_of(turn.text, marks)
        evidence.append(
            filled(
                EvidenceTurn,
                passage,
                turn,
                finding,
                finding=finding.id,
                session_short=turn.session[-8:],
                agent=agents[turn.session],
                turn=turn.id,
            )
        )
    return evidence


def _conflict(lines: Lines, memory: Memory, conflict: Conflict) -> ConflictView:
    is_newer = conflict.second == memory.id
    other_id = conflict.first if is_newer else conflict.second
    return filled(
        ConflictView,
        conflict,
        short=conflict.id[-8:],
        other=lines.memories([other_id]).get(other_id),
        newer=is_newer,
    )


def _files(root: Path | None, memory: Memory) -> list[FileState]:
    now = content_hashes(root, tuple(memory.file_hashes))
    return [FileState(path=file, state=_file_state(root, memory, file, now)) for file in memory.files]


def _file_state(root: Path | None, memory: Memory, file: str, now: Mapping[str, str]) -> str:
    before = memory.file_hashes.get(file)
    if root is None or (before is None and file not in now):
        return UNKNOWN
    if file in now:
        return SAME if now[file] == before else CHANGED
    return CHANGED if os.path.exists(os.path.join(root, file)) else MISSING


def _events(store: Store, memory: Memory) -> Sequence[Event]:
    filters = EventFilters(id=memory.id.replace("-", ""))
    return [event for event in store.audit.events(EVENTS_SEARCHED) if filters.fit(event)][:MOST_EVENTS]


def permitted_verbs(memory: Memory) -> dict[str, bool]:
    """Say what a memory is in a state for; whether somebody may, the verb decides."""
    holds = not memory.superseded
    return {
        "pin": holds and memory.status != PINNED,
        "unpin": holds and memory.status == PINNED,
        "confirm": holds and memory.status == CANDIDATE,
        "edit": holds,
        "supersede": holds,
        "reinstate": memory.superseded,
        "forget": True,
    }


def _delivery(receipt: Receipt, memory_id: str) -> Delivery:
    item = next(item for item in receipt.items if item.id == memory_id)
    return filled(Delivery, receipt, item)
