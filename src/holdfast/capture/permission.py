"""Whether somebody may do something to an entry: the one home of what is a person's to change.

A person may do everything. An agent may change what agents wrote, but vouches for nothing: what a person said,
confirmed or pinned, and every pin and confirmation, becomes a proposal. What would reach past single entries is
refused.
"""

from collections.abc import Mapping

from holdfast.capture.precedence import is_persons
from holdfast.errors import PersonNeeded
from holdfast.model.actor import Actor
from holdfast.model.ids import new_id
from holdfast.model.inbox import CONFIRM, PIN, Proposal
from holdfast.model.kinds import AGENT, PINNED, USER
from holdfast.model.memory import Memory
from holdfast.ports import Store

VOUCHING = (PIN, CONFIRM)
"""Verbs that say of an entry that it can be relied on."""

SAID_BY_PERSON = "a person said it"
IS_PINNED = "it is pinned"
IS_CONFIRMED = "a person confirmed it"
VOUCHES = "only a person can vouch for it"
IS_ABOUT_SOMETHING_ELSE = "what the user said now is about something else"
HOLDS_PERSONS_WORDS = "it holds what a person said in a session"


class Denial(Exception):
    """Raised inside the transaction of a verb, which it ends: what was asked for becomes a proposal."""

    def __init__(self, store: Store, proposal: Proposal) -> None:
        super().__init__(proposal.why)
        self.store = store
        self.proposal = proposal


def objection(actor: Actor, verb: str, *memories: Memory) -> str | None:
    """Say why an actor may not do this to these memories; None when they may."""
    if actor.person:
        return None
    if verb in VOUCHING:
        return VOUCHES
    persons_memories = [memory for memory in memories if is_persons(memory)]
    if not persons_memories:
        return None
    if any(memory.trust == USER for memory in persons_memories):
        return SAID_BY_PERSON
    return IS_PINNED if any(memory.status == PINNED for memory in persons_memories) else IS_CONFIRMED


def objection_to_quoted(new: Memory, old: Memory) -> str | None:
    """Say why the user's own words, passed on by an agent, may not take the place of a memory; None when they may.

    They change what they are about. What is pinned, only the user's own hand lets go.
    """
    if old.status == PINNED:
        return IS_PINNED
    from holdfast.capture.sessions.findings.reading import topic  # few notes come with a quote

    return None if topic(new.content) & topic(old.content) else IS_ABOUT_SOMETHING_ELSE


def ask(
    actor: Actor,
    verb: str,
    memory: Memory,
    *,
    at: int,
    store: Store,
    other: Memory | None = None,
    touched: bool = True,
    arguments: Mapping[str, object] | None = None,
) -> None:
    """Go on where the actor may do this to a memory; else raise what becomes of it.

    `other` is the second memory that it is about; it counts, too, unless it is only named and not touched.
    """
    reason = objection(actor, verb, memory, *([other] if other and touched else []))
    if reason is not None:
        raise denial(actor, verb, memory, reason, at=at, store=store, other=other, arguments=arguments)


def denial(
    actor: Actor,
    verb: str,
    memory: Memory,
    why: str,
    *,
    at: int,
    store: Store,
    other: Memory | None = None,
    arguments: Mapping[str, object] | None = None,
) -> Denial:
    """Return what ends a verb that an actor may not do, with the proposal that comes of it."""
    from holdfast.capture.shown_state import looks_of  # seldom

    proposal = Proposal(
        id=new_id(at),
        verb=verb,
        memory=memory.id,
        other=other.id if other else None,
        arguments=arguments or {},
        actor=actor.name,
        agent=actor.agent,
        at=at,
        why=why,
        seen=looks_of(memory, *([other] if other else [])),
    )
    return Denial(store, proposal)


def check_person(actor: Actor, action: str) -> None:
    """Refuse what is for persons only."""
    if not actor.person:
        raise PersonNeeded(what=action)


def believed_trust(actor: Actor, trust: str) -> str:
    """Return the trust that an actor's words have: nobody but a person speaks for one."""
    return AGENT if trust == USER and not actor.person else trust
