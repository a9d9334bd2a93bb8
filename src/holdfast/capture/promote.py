"""Findings become memories: those that pass `promotion`, through the same write path as everything else.

Judging is pure and lives in `promotion`; here are the sightings it needs, the drafts, and the link from a finding
to what it became. The link is kept with the memory, a page in one transaction: a process that dies in between has
promoted whole pages, and the next one goes on with the rest.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from holdfast import points
from holdfast.again import again
from holdfast.capture.amending import amended_by
from holdfast.capture.promotion import Judgement, Preset, Sightings, by_a_person, judge
from holdfast.capture.repeated import Demands
from holdfast.errors import InvalidInput
from holdfast.model.finding import ACCEPTED, HYPOTHESIS, RETRACTED, Finding
from holdfast.model.kinds import AGENT, CANDIDATE, CONFIRMED, PINNED, PROMOTED, TOOL, TOOL_ROLE, USER
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

KEPT_IMPORTANCE = 0.7
"""The least importance of what a person wants kept."""


def promote(
    store: Store, session: Session, preset: Preset, take: Take, journal: Journal, now: int
) -> Iterator[None]:
    """Remember what a session found and what deserves it; each step is one page, which is kept by then."""
    last: str | None = None
    while page := store.findings.of(session.id, last, PAGE):
        last = page[-1].id
        _promote_page(store, session, [one.id for one in page], _Way(preset, take, journal, now))
        yield


@dataclass(frozen=True, slots=True)
class _Way:
    """How findings become memories: by which preset, and who takes and hears of them."""

    preset: Preset
    take: Take
    journal: Journal
    now: int


@again
def _promote_page(store: Store, session: Session, ids: Sequence[str], way: _Way) -> None:
    with store.writing():
        waiting = [one for one in store.findings.get(ids) if one.memory is None]
        points.passed(points.PROMOTE)
        promoted = _promote_some(_Witnesses(store, session.project, waiting, way.now), waiting, way)
        points.passed(points.PROMOTE)
        if promoted:
            way.journal(promoted)
        points.passed(points.PROMOTE)
    points.passed(points.PROMOTE)


def _promote_some(witnesses: "_Witnesses", findings: Sequence[Finding], way: _Way) -> tuple[str, ...]:
    judged = [
        (finding, sighted, judge(finding, sighted, way.preset)) for finding, sighted in witnesses.of_all(findings)
    ]
    chosen = [(finding, sighted, verdict) for finding, sighted, verdict in judged if verdict.promoted]
    drafts = [
        _draft(finding, verdict, sighted, witnesses.by_tool(finding)) for finding, sighted, verdict in chosen
    ]
    results = _taken(drafts, way.take) if drafts else []
    for (finding, _, _), added in zip(chosen, results, strict=True):
        if added is not None and added.id is not None:
            points.passed(points.PROMOTE)
            witnesses.link(finding, added.id)
            if added.created and ACCEPTED in finding.signals:
                witnesses.confirm(added.id)
    return tuple(dict.fromkeys(added.id for added in results if added is not None and added.id is not None))


def _taken(drafts: Sequence[Draft], take: Take) -> list[Added | None]:
    """Take drafts in; one that is refused, None, holds back itself and no other."""
    try:
        return list(take(drafts))
    except InvalidInput:
        return [None] if len(drafts) == 1 else [one for draft in drafts for one in _taken([draft], take)]


class _Witnesses:
    """Who else found the same, who asked to remember it, and from whom it comes."""

    def __init__(self, store: Store, project: str, page: Sequence[Finding], now: int) -> None:
        self._store = store
        self._remembered = store.memories.saying(project, [one.fingerprint for one in page])
        turns = store.turns.get(list({place.turn for one in page for place in one.evidence}))
        self._by_tool = {turn.id for turn in turns if turn.tool is not None or turn.role.lower() == TOOL_ROLE}
        self._sessions: dict[str, Session | None] = {}
        self._said: dict[str, list[Finding]] = {}
        for finding in store.findings.saying([one.fingerprint for one in page]):
            self._said.setdefault(finding.fingerprint, []).append(finding)
        self._demands = Demands(store, page)
        self._amended = amended_by(store, project, page, now)

    def of_all(self, findings: Sequence[Finding]) -> list[tuple[Finding, Sightings]]:
        """Return findings with what speaks for them."""
        return [(finding, self.of(finding)) for finding in findings]

    def of(self, finding: Finding) -> Sightings:
        """Count sessions and agents that stand by it; a fork says nothing that its parent has not said."""
        said = [one for one in self._said[finding.fingerprint] if not {HYPOTHESIS, RETRACTED} & set(one.signals)]
        memory = self._remembered.get(finding.fingerprint)
        here = self._root(finding.session)
        return Sightings(
            sessions=len({self._root(one.session) for one in said}),
            agents=len({session.agent for one in said if (session := self._session(one.session))}),
            remembered=memory is not None and memory.trust == USER,
            pinned=memory is not None and memory.status == PINNED,
            repeated=any(self._root(one.session) != here for one in self._demands.like(finding)),
            amends=self._amended.get(finding.id),
        )

    def by_tool(self, finding: Finding) -> bool:
        """Say whether a tool said some of it."""
        return any(place.turn in self._by_tool for place in finding.evidence)

    def confirm(self, memory_id: str) -> None:
        """Let a memory count as confirmed whose words are an agent's and whose yes is a person's."""
        for memory in self._store.memories.get([memory_id]):
            if memory.status == CANDIDATE:
                self._store.memories.replace(replace(memory, status=CONFIRMED))

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


def _draft(finding: Finding, verdict: Judgement, sighted: Sightings, by_tool: bool) -> Draft:
    """Make a memory of a finding: a person's words are a person's, what a person took over is confirmed."""
    leg = None if by_tool else by_a_person(finding, sighted)
    signals = [*verdict.signals, *([leg] if leg else [])]
    return Draft(
        content=finding.content,
        kind=finding.kind,
        files=finding.files,
        importance=max(finding.importance, KEPT_IMPORTANCE) if leg else finding.importance,
        confidence=finding.confidence,
        source=PROMOTED,
        trust=TOOL if by_tool else USER if leg and leg != ACCEPTED else AGENT,
        supersedes=sighted.amends,
        session=finding.session,
        metadata={"finding": finding.id, "signals": signals, "points": verdict.points},
        at=finding.created_at,
    )
