"""Findings become memories: those that pass `promotion`, through the same write path as everything else.

Judging is pure and lives in `promotion`; here are the sightings it needs, the drafts, and the link from a finding
to what it became. The link is kept with the memory, a page in one transaction: a process that dies in between has
promoted whole pages, and the next one goes on with the rest.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from holdfast.capture.promotion import Judgement, Preset, Sightings, judge
from holdfast.model.finding import Finding
from holdfast.model.kinds import AGENT, PROMOTED
from holdfast.model.memory import Added, Draft
from holdfast.model.session import Session
from holdfast.ports import Store

Take = Callable[[Sequence[Draft]], list[Added]]
"""The write path: drafts in, what became of each out."""

Told = Callable[[tuple[str, ...]], None]

PAGE = 200
"""Findings judged in one transaction."""

MOST_ANCESTORS = 1_000


def promote(store: Store, session: Session, preset: Preset, take: Take, told: Told) -> None:
    """Remember what a session found and what deserves it; `told` hears of the memories of each page."""
    last: str | None = None
    while page := store.findings.of(session.id, last, PAGE):
        last = page[-1].id
        with store.writing():
            waiting = [one for one in store.findings.get([one.id for one in page]) if one.memory is None]
            promoted = _promote_some(store, waiting, preset, take)
            if promoted:
                told(promoted)


def _promote_some(store: Store, findings: Sequence[Finding], preset: Preset, take: Take) -> tuple[str, ...]:
    witnesses = _Witnesses(store, findings)
    judged = [(finding, judge(finding, witnesses.of(finding), preset)) for finding in findings]
    chosen = [(finding, verdict) for finding, verdict in judged if verdict.promoted]
    results = take([_draft(finding, verdict) for finding, verdict in chosen]) if chosen else []
    for (finding, _), added in zip(chosen, results, strict=True):
        if added.id is not None:
            same = [one for one in witnesses.saying(finding) if one.memory is None]
            store.findings.put([replace(one, memory=added.id) for one in same])
    return tuple(dict.fromkeys(added.id for added in results if added.id is not None))


class _Witnesses:
    """Who else found the same: findings with the same fingerprint, by session and agent."""

    def __init__(self, store: Store, page: Sequence[Finding]) -> None:
        self._store = store
        self._sessions: dict[str, Session | None] = {}
        self._said: dict[str, list[Finding]] = {}
        for finding in store.findings.saying([one.fingerprint for one in page]):
            self._said.setdefault(finding.fingerprint, []).append(finding)

    def saying(self, finding: Finding) -> list[Finding]:
        """Return every finding that says the same, this one included."""
        return self._said.get(finding.fingerprint, [])

    def of(self, finding: Finding) -> Sightings:
        """Count sessions and agents; a fork says nothing that its parent has not said."""
        sessions = [self._root(one.session) for one in self.saying(finding)]
        agents = {session.agent for one in self.saying(finding) if (session := self._session(one.session))}
        return Sightings(sessions=len(set(sessions)), agents=len(agents))

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


def _draft(finding: Finding, verdict: Judgement) -> Draft:
    return Draft(
        content=finding.content,
        kind=finding.kind,
        files=finding.files,
        importance=finding.importance,
        confidence=finding.confidence,
        source=PROMOTED,
        trust=AGENT,
        session=finding.session,
        metadata={"finding": finding.id, "signals": list(verdict.signals), "points": verdict.points},
        at=finding.created_at,
    )
