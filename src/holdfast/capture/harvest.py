"""Read the turns of a session that nobody read yet, and keep what they say as findings.

Where reading stopped is stored in the transaction that keeps the findings: a process that dies in between has read
nothing, and the next one goes on from there with the same result.
"""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.capture.findings.extract import CONTEXT, KNOWN, extract
from holdfast.model.finding import Finding
from holdfast.model.session import Session, Turn
from holdfast.ports import Store

SLICE = 100
"""Turns read in one transaction: it stays short, and memory bounded, however long a session is."""


def harvest(store: Store, session_id: str) -> None:
    """Read every unread turn of a session."""
    while _harvest_some(store, session_id):
        pass


def skip(session: Session, turn: Turn) -> Session:
    """Return a session that passed over its new turn; what waited before it still waits."""
    if session.turns_read != session.turns:
        return session
    return replace(session, read_to=turn.id, turns_read=session.turns_read + 1)


def _harvest_some(store: Store, session_id: str) -> bool:
    """Read the next slice; return whether there was one. The reading itself is done outside the transaction."""
    session = store.sessions.get(session_id)
    turns = store.turns.following(session_id, session.read_to, SLICE) if session else []
    if not session or not turns:
        return False
    step = extract(turns, _context(store, session), store.findings.latest(session_id, KNOWN))
    with store.writing():
        now = store.sessions.get(session_id)
        if now is None or now.read_to != session.read_to:
            return True  # somebody else has read on meanwhile
        store.findings.put([*step.changed, *_unforgotten(store, step.new)])
        read = replace(now, read_to=turns[-1].id, turns_read=now.turns_read + len(turns))
        store.sessions.replace(read)
    return True


def _context(store: Store, session: Session) -> list[Turn]:
    """Return the turns just before the unread ones; a fork goes on where its parent was."""
    own = store.turns.leading(session.id, session.read_to, CONTEXT) if session.read_to else []
    wanted = CONTEXT - len(own)
    if wanted and session.parent and session.forked_at:
        return [*store.turns.leading(session.parent, session.forked_at, wanted), *own]
    return own


def _unforgotten(store: Store, findings: Sequence[Finding]) -> list[Finding]:
    """Leave out what a person had removed."""
    forgotten = store.tombstones.standing([finding.fingerprint for finding in findings])
    return [finding for finding in findings if finding.fingerprint not in forgotten]
