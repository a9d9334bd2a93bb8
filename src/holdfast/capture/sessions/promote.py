"""Findings become memories: those that pass `promotion`, through the same write path as everything else.

Judging is pure and lives in `promotion`; here are the sightings it needs, the drafts, and the link from a finding
to what it became. The link is kept with the memory, a page in one transaction: a process that dies in between has
promoted whole pages, and the next one goes on with the rest.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from holdfast.capture.sessions.amendment import Amendment, amended_by
from holdfast.capture.sessions.promotion import Judgement, Preset, Sightings, by_a_person, judge
from holdfast.capture.sessions.quoted_note import spoken_for
from holdfast.capture.sessions.repetition import Demands
from holdfast.capture.sessions.voices import Voices
from holdfast.errors import InvalidInput
from holdfast.machine import kill_points
from holdfast.model.conflict import SUPERSEDED, Conflict
from holdfast.model.finding import ACCEPTED, HYPOTHESIS, RETRACTED, Finding
from holdfast.model.ids import new_id
from holdfast.model.kinds import AGENT, CANDIDATE, CONFIRMED, PINNED, PROMOTED, TOOL, USER
from holdfast.model.memory import Added, Draft
from holdfast.model.session import Session
from holdfast.ports import Store
from holdfast.stores.retry import again

Take = Callable[[Sequence[Draft]], list[Added]]
"""The write path: drafts in, what became of each out."""

Journal = Callable[[tuple[str, ...]], None]
"""What hears of the memories of each page."""

PAGE = 200
"""Findings judged in one transaction."""

MOST_ANCESTORS = 1_000

NOTHING_AMENDED = Amendment()

KEPT_IMPORTANCE = 0.7
"""The least importance of what a person wants kept."""


@dataclass(frozen=True, slots=True)
class Way:
    """How findings become memories: by which preset, and who takes and hears of them."""

    preset: Preset
    take: Take
    journal: Journal
    now: int


def promote(store: Store, session: Session, way: Way) -> Iterator[None]:
    """Remember what a session found and what deserves it; each step is one page, which is kept by then."""
    last: str | None = None
    while page := store.findings.of(session.id, last, PAGE):
        last = page[-1].id
        promote_page(store, session, [one.id for one in page], way)
        yield


@again
def promote_page(store: Store, session: Session, ids: Sequence[str], way: Way) -> None:
    """Remember those of some findings that deserve it, in one transaction."""
    with store.writing():
        waiting = [one for one in store.findings.get(ids) if one.memory is None]
        kill_points.passed(kill_points.PROMOTE)
        promoted = _promote_some(_Witnesses(store, session.project, waiting, way.now), waiting, way)
        kill_points.passed(kill_points.PROMOTE)
        if promoted:
            way.journal(promoted)
        kill_points.passed(kill_points.PROMOTE)
    kill_points.passed(kill_points.PROMOTE)


def _promote_some(witnesses: "_Witnesses", findings: Sequence[Finding], way: Way) -> tuple[str, ...]:
    judged = [
        (finding, sighted, judge(finding, sighted, way.preset)) for finding, sighted in witnesses.of_all(findings)
    ]
    noted = witnesses.noted(findings)
    chosen = [one for one in judged if one[2].promoted and one[0].id not in noted]
    drafts = [
        _draft(finding, verdict, sighted, witnesses.voices.of(finding)) for finding, sighted, verdict in chosen
    ]
    results = _taken(drafts, way.take) if drafts else []
    for finding in (finding for finding, _, verdict in judged if verdict.promoted and finding.id in noted):
        witnesses.link(finding, noted[finding.id])
    for (finding, sighted, _), added in zip(chosen, results, strict=True):
        if added is not None and added.id is not None:
            kill_points.passed(kill_points.PROMOTE)
            witnesses.link(finding, added.id)
            if added.created and ACCEPTED in finding.signals and witnesses.voices.of(finding) == USER:
                witnesses.confirm(added.id)
            if sighted.disputes:
                witnesses.dispute(sighted.disputes, added.id, way.now)
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
        self.voices = Voices(store, page)
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
        amended = self._amended.get(finding.id, NOTHING_AMENDED)
        return Sightings(
            sessions=len({self._root(one.session) for one in said}),
            agents=len({session.agent for one in said if (session := self._session(one.session))}),
            remembered=memory is not None and memory.trust == USER,
            pinned=memory is not None and memory.status == PINNED,
            repeated=any(self._root(one.session) != here for one in self._demands.like(finding)),
            amends=amended.replaces,
            disputes=amended.disputes,
        )

    def noted(self, findings: Sequence[Finding]) -> dict[str, str]:
        """Return, by finding, the memory that an agent's note made of the same words."""
        return spoken_for(self._store, findings)

    def confirm(self, memory_id: str) -> None:
        """Let a memory count as confirmed whose words are an agent's and whose yes is a person's."""
        for memory in self._store.memories.get([memory_id]):
            if memory.status == CANDIDATE:
                self._store.memories.replace(replace(memory, status=CONFIRMED))

    def dispute(self, standing: str, memory_id: str, now: int) -> None:
        """Let a memory and what it may change be told together, until a person says which holds."""
        if standing != memory_id:
            conflict = Conflict(id=new_id(now), first=standing, second=memory_id, kind=SUPERSEDED, detected_at=now)
            self._store.conflicts.record([conflict])

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
            self._sessions[session_id] = self._store.sessions.peek(session_id)
        return self._sessions[session_id]


def _draft(finding: Finding, verdict: Judgement, sighted: Sightings, voice: str) -> Draft:
    """Make a memory of a finding: a person's words are a person's, what a person took over is confirmed.

    Only a person's words take the place of what is known.
    """
    leg = None if voice == TOOL else by_a_person(finding, sighted)
    trust = TOOL if voice == TOOL else USER if leg and leg != ACCEPTED and voice == USER else AGENT
    signals = [*verdict.signals, *([leg] if leg else [])]
    return Draft(
        content=finding.content,
        kind=finding.kind,
        files=finding.files,
        importance=max(finding.importance, KEPT_IMPORTANCE) if leg else finding.importance,
        confidence=finding.confidence,
        source=PROMOTED,
        trust=trust,
        supersedes=sighted.amends if trust == USER else None,
        session=finding.session,
        metadata={"finding": finding.id, "signals": signals, "points": verdict.points},
        at=finding.created_at,
    )
