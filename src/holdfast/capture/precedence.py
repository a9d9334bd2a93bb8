"""Who says it decides how far it is believed: trust, and the status that trust begins with.

The one place for these rules. Nothing that comes from an agent raises trust.
"""

from holdfast.model.kinds import (
    AGENT,
    CANDIDATE,
    CONFIRMED,
    IMPORTED,
    PINNED,
    PROMOTED,
    READ_BY_PERSON,
    STATUSES,
    TOOL,
    USER,
)
from holdfast.model.limits import QUARANTINE_MS
from holdfast.model.memory import Memory
from holdfast.model.value import replace

TRUST_RANK = (TOOL, IMPORTED, AGENT, USER)
"""From the least believed to the most."""


def first_status(trust: str) -> str:
    """Return the status a new memory starts with: only a person's word is confirmed at once."""
    return CONFIRMED if trust == USER else CANDIDATE


def said_again(memory: Memory, incoming: Memory) -> tuple[str, str]:
    """Return the trust and status of a memory that was said again: only a person's word raises them."""
    if incoming.trust != USER:
        return memory.trust, memory.status
    return USER, max(memory.status, CONFIRMED, key=STATUSES.index)


def may_supersede(new: Memory, old: Memory) -> bool:
    """Say whether a detected revision may hide what was there: never a pin, never something better founded.

    What was read out of talk hides nothing that a person wrote down, unless it says so plainly (`amendment`).
    """
    trust_suffices = TRUST_RANK.index(new.trust) >= TRUST_RANK.index(old.trust)
    status_suffices = STATUSES.index(new.status) >= STATUSES.index(old.status)
    overheard = new.source == PROMOTED and is_by_hand(old)
    return old.status != PINNED and trust_suffices and status_suffices and not overheard


def is_by_hand(memory: Memory) -> bool:
    """Say whether a person wrote a memory down; what was only read out of talk may have been misread."""
    return memory.trust == USER and any(source != PROMOTED for source in memory.sources)


def is_persons(memory: Memory) -> bool:
    """Say whether a memory is a person's to change: a person said it, confirmed it or pinned it."""
    return memory.trust == USER or memory.status != CANDIDATE


def may_enrich(memory: Memory, incoming: Memory) -> bool:
    """Say whether what is said again may add tags and files, or move an expiry: a person's only by a person."""
    return incoming.trust == USER or not is_persons(memory)


def rewritten_by(memory: Memory, trust: str) -> tuple[str, str]:
    """Return the trust and status of a memory whose words or expiry somebody changed: never more than theirs."""
    if trust == USER:
        return USER, max(memory.status, CONFIRMED, key=STATUSES.index)
    return (trust if memory.trust == USER else memory.trust), CANDIDATE


def after_read(memory: Memory, now: int) -> Memory:
    """Return the memory as a person's read leaves it: what an agent said is confirmed once it has stood for a day.

    Of what was promoted by itself an earlier read is noted: it is judged when its first day is over.
    """
    has_waited = now - memory.renewed_at >= QUARANTINE_MS
    if memory.status == CANDIDATE and memory.trust == AGENT and has_waited:
        return replace(memory, status=CONFIRMED)
    if memory.status == CANDIDATE and memory.source == PROMOTED and READ_BY_PERSON not in memory.metadata:
        return replace(memory, metadata={**memory.metadata, READ_BY_PERSON: True})
    return memory


def may_return(trust: str) -> bool:
    """Say whether something forgotten may be remembered again: only when a person says so."""
    return trust == USER
