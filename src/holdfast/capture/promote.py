"""Findings become memories: those that pass `promotion`, through the same write path as everything else.

Judging is pure and lives in `promotion`; here are the sightings it needs, the drafts, and the link from a finding
to what it became. The link is kept with the memory, a page in one transaction: a process that dies in between has
promoted whole pages, and the next one goes on with the rest.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from holdfast.again import again
from holdfast.capture.promotion import Judgement, Preset, Sightings, judge
from holdfast.errors import InvalidInput
from holdfast.model.finding import HYPOTHESIS, RETRACTED, Finding
from holdfast.model.kinds import AGENT, PINNED, PROMOTED, TOOL, TOOL_ROLE, USER
from holdfast.model.memory import Added, Draft
from holdfast.model.session import Session
from holdfast.ports import Store

Take = Callable[[Sequence[Draft]], list[Added]]
"""The write path: drafts in, what became of each out."""

Journal = Callable[[tuple[str, ...]], None]
"""What hears of the memories of each page."""

PAGE = 200
"""Findings judged in one transaction."""

MOST_ANCESTORS = 1_000


def promote(store: Store, session: Session, preset: Preset, take: Take, journal: Journal) -> Iterator[None]:
    """Remember what a session found and what deserves it; each step is one page, which is kept by then."""
    last: str | None = None
    while page := store.findings.of(session.id, last, PAGE):
        last = page[-1].id
        _promote_page(store, session, [one.id for one in page], _Way(preset, take, journal))
        yield


@dataclass(frozen=True, slots=True)
class _Way:
    """How findings become memories: by which preset, and who takes and hears of them."""

    preset: Preset
    take: Take
    journal: Journal


@again
def _promote_page(store: Store, session: Session, ids: Sequence[str], way: _Way) -> None:
    with store.writing():
        waiting = [one for one in store.findings.get(ids) if one.memory is None]
        promoted = _promote_some(_Witnesses(store, session.project, waiting), waiting, way)
        if promoted:
            way.journal(promoted)


def _promote_some(witnesses: "_Witnesses", findings: Sequence[Finding], way: _Way) -> tuple[str, ...]:
    judged = [(finding, judge(finding, witnesses.of(finding), way.preset)) for finding in findings]
    chosen = [(finding, verdict) for finding, verdict in judged if verdict.promoted]
    drafts = [_draft(finding, verdict, witnesses.trust(finding)) for finding, verdict in chosen]
    results = _taken(drafts, way.take) if drafts else []
    for (finding, _), added in zip(chosen, results, strict=True):
        if added is not None and added.id is not None:
            witnesses.link(finding, added.id)
    return tuple(dict.fromkeys(added.id for added in results if added is not None and added.id is not None))


def _taken(drafts: Sequence[Draft], take: Take) -> list[Added | None]:
    """Take drafts in; one that is refused, None, holds back itself and no other."""
    try:
        return list(take(drafts))
    except InvalidInput:
        return [None] if len(drafts) == 1 else [one for draft in drafts for one in _taken([draft], take)]


class _Witnesses:
    """Who else found the same, who asked to remember it, and from whom it comes."""

    def __init__(self, store: Store, project: str, page: Sequence[Finding]) -> None:
        self._store = store
        self._remembered = store.memories.saying(project, [one.fingerprint for one in page])
        turns = store.turns.get(list({place.turn for one in page for place in one.evidence}))
        self._by_tool = {turn.id for turn in turns if turn.tool is not None or turn.role.lower() == TOOL_ROLE}
        self._sessions: dict[str, Session | None] = {}
        self._said: dict[str, list[Finding]] = {}
        for finding in store.findings.saying([one.fingerprint for one in page]):
            self._said.setdefault(finding.fingerprint, []).append(finding)

    def of(self, finding: Finding) -> Sightings:
        """Count sessions and agents that stand by it; a fork says nothing that its parent has not said."""
        said = [one for one in self._said[finding.fingerprint] if not {HYPOTHESIS, RETRACTED} & set(one.signals)]
        memory = self._remembered.get(finding.fingerprint)
        return Sightings(
            sessions=len({self._root(one.session) for one in said}),
            agents=len({session.agent for one in said if (session := self._session(one.session))}),
            remembered=memory is not None and memory.trust == USER,
            pinned=memory is not None and memory.status == PINNED,
        )

    def trust(self, finding: Finding) -> str:
        """Return how far it can be trusted: no further than the least of its evidence."""
        return TOOL if any(place.turn in self._by_tool for place in finding.evidence) else AGENT

    def link(self, finding: Finding, memory_id: str) -> None:
        """Let every finding that says the same know the memory it became."""
        same = [one for one in self._said[finding.fingerprint] if one.memory is None]
        self._store.findings.put([replace(one, memory=memory_id) for one in same])

    def _root(self, session_id: str) -> str:
        for _ in range(MOST_ANCESTORS):
            session = self._session(session_id)
            if session is None or session.parent is None:
                break
            session_id = session.parent
        return session_id

    def _session(self, session_id: str) -> Session | None:
        if session_id not in self._sessions:
            self._sessions[session_id] = self._store.sessions.get(session_id)
        return self._sessions[session_id]


def _draft(finding: Finding, verdict: Judgement, trust: str) -> Draft:
    return Draft(
        content=finding.content,
        kind=finding.kind,
        files=finding.files,
        importance=finding.importance,
        confidence=finding.confidence,
        source=PROMOTED,
        trust=trust,
        session=finding.session,
        metadata={"finding": finding.id, "signals": list(verdict.signals), "points": verdict.points},
        at=finding.created_at,
    )
