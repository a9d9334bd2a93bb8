"""The summary of a session from what is stored of it now; made again after something of it was forgotten."""

from holdfast.model.session import Session
from holdfast.ports import Store

FINDINGS = 400
"""Findings that a summary is made of, the latest."""

OPENING, CLOSING = 5, 3
"""Turns that a summary looks at for the goal and for what is open."""


def sum_up(store: Store, session: Session) -> str:
    """Say in a few lines what a session came to."""
    from holdfast.capture.sessions.findings.summary import summarise  # only who ends or forgets reads sentences

    first = store.turns.following(session.id, None, OPENING)
    last = store.turns.leading(session.id, session.read_to, CLOSING) if session.read_to else []
    return summarise(first, last, store.findings.latest(session.id, FINDINGS))
