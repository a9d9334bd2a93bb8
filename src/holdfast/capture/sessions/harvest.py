"""Read the turns of a session that nobody read yet, and keep what they say as findings.

Where reading stopped is stored in the transaction that keeps the findings: a process that dies in between has read
nothing, and the next one goes on from there with the same result.
"""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.capture.sessions.demote import demote
from holdfast.capture.sessions.findings.extract import CONTEXT, KNOWN_FINDINGS, extract
from holdfast.model.finding import AT_ONCE, Finding
from holdfast.model.session import Session, Turn
from holdfast.ports import Store
from holdfast.stores.retry import again

SLICE = 100
"""Turns read in one transaction: it stays short, and memory bounded, however long a session is."""


def harvest(store: Store, session_id: str, actor: str, now: int) -> list[str]:
    """Read every unread turn of a session; what is taken back in it is no memory any more.

    Returns the findings that were asked for in so many words, and are to be remembered at once.
    """
    asked_ids: list[str] = []
    while (slice_asked := _harvest_some(store, session_id, actor, now)) is not None:
        asked_ids += slice_asked
    return asked_ids


def skip(session: Session, turn: Turn) -> Session:
    """Return a session that passed over its new turn, and over all that may still wait before it."""
    return replace(session, read_to=turn.id, turns_read=session.turns + 1)


@again
def _harvest_some(store: Store, session_id: str, actor: str, now: int) -> list[str] | None:
    """Read the next slice; return what was asked for in it, None where there was none.

    The reading itself is done outside the transaction.
    """
    session = store.sessions.get(session_id)
    turns = store.turns.following(session_id, session.read_to, SLICE) if session else []
    if not session or not turns:
        return None
    context, known_findings = _context(store, session), store.findings.latest(session_id, KNOWN_FINDINGS)
    step = extract(turns, context, known_findings)
    with store.writing():
        latest = store.sessions.get(session_id)
        if (
            latest is None
            or latest.read_to != session.read_to
            or _has_changed(store, [*context, *turns], known_findings)
        ):
            return []  # somebody else has read on, or had something forgotten, meanwhile
        new = _new(store, step.new)
        store.findings.put([*step.changed, *new])
        demote(store, step.changed, actor, now)
        store.sessions.replace(replace(latest, read_to=turns[-1].id, turns_read=latest.turns_read + len(turns)))
    return [finding.id for finding in new if AT_ONCE in finding.signals]


def _has_changed(store: Store, turns: Sequence[Turn], known_findings: Sequence[Finding]) -> bool:
    """Say whether the turns and findings that were read are no longer what is stored."""
    return store.turns.get([turn.id for turn in turns]) != list(turns) or store.findings.get(
        [finding.id for finding in known_findings]
    ) != list(known_findings)


def _context(store: Store, session: Session) -> list[Turn]:
    """Return the turns just before the unread ones; a fork goes on where its parent was, and that one's."""
    context_turns = store.turns.leading(session.id, session.read_to, CONTEXT) if session.read_to else []
    place: Session | None = session
    while place and place.parent and place.forked_at and len(context_turns) < CONTEXT:
        context_turns = [
            *store.turns.leading(place.parent, place.forked_at, CONTEXT - len(context_turns)),
            *context_turns,
        ]
        place = store.sessions.get(place.parent)
    return context_turns


def _new(store: Store, findings: Sequence[Finding]) -> list[Finding]:
    """Leave out what a person had removed, and what was found before, too long ago to be among the known."""
    forgotten_fingerprints = store.tombstones.standing([finding.fingerprint for finding in findings])
    known_ids = {finding.id for finding in store.findings.get([finding.id for finding in findings])}
    return [
        finding
        for finding in findings
        if finding.fingerprint not in forgotten_fingerprints and finding.id not in known_ids
    ]
