"""What other sessions said that no store has yet: hooks write to a spool, and a worker takes it from there.

A session that starts right after another must know what the person just said there. Only sentences that settle
something count: a person's, or an agent's that say back what was settled. Must not live here: which of them belong
into a brief (`notes`).
"""

from holdfast.agents import spool
from holdfast.model.ids import digest
from holdfast.model.kinds import AGENT, PERSON_ROLES, SPEAKING_AGENTS, TOOL_ROLE, USER
from holdfast.recall.brief.deciding import recaps, statement
from holdfast.recall.brief.notes import BriefNote
from holdfast.recall.brief.statements import statements

LEAST_SETTLING = 0.5
"""How much a sentence must settle by itself."""

MOST = 5


def overheard(root: str, but: str | None) -> list[BriefNote]:
    """Return what was said in other sessions of a project and is not in its store yet, newest first."""
    notes = []
    for entry in spool.waiting_entries(root, without=TOOL_ROLE):
        role, text, at = str(entry.get("role", "")), entry.get("text"), entry.get("at")
        own = but is not None and but == f"{entry.get('client')}:{entry.get('session')}"
        if own or not isinstance(text, str) or not isinstance(at, int):
            continue
        person = role.lower() in PERSON_ROLES
        if not person and not recaps(text):
            continue
        ref = f"{entry.get('client')}:{entry.get('session')}:{entry.get('ref', '')}:{at}"
        notes += [
            BriefNote(
                id=digest(f"{ref}:{place}")[:32],
                kind="turn",
                text=sentence.text,
                at=at,
                trust=USER if person else AGENT,
            )
            for place, sentence in enumerate(statements(text, by_agent=not person))
            if statement(sentence.text) >= LEAST_SETTLING
        ]
    return sorted(notes, key=lambda note: -note.at)[:MOST]


def last_reply(root: str, session_ref: str) -> str:
    """Return what the agent said last in a session, as far as it waits in the spool."""
    for entry in reversed(spool.waiting_entries(root, without=TOOL_ROLE)):
        own = session_ref == f"{entry.get('client')}:{entry.get('session')}"
        if own and str(entry.get("role", "")).lower() in SPEAKING_AGENTS and isinstance(entry.get("text"), str):
            return str(entry["text"])
    return ""
