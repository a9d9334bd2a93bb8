"""Whether somebody may do something to an entry: the one home of what is a person's to change.

A person may do everything. An agent may change what agents wrote, but vouches for nothing: what a person said,
confirmed or pinned, and every pin and confirmation, becomes a proposal, which is kept once, within bounds,
journalled, and the agent is told so. What would reach past single entries is refused.

A person's yes is bound to what they saw: a proposal knows how its memories looked when it was made. An agent may
change what it wrote itself at any time, also after it proposed to let it take the place of a rule; only a person's
own look binds a proposal anew.
"""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, TypeVar

from msgspec.structs import replace

from holdfast.capture.precedence import is_persons
from holdfast.errors import InvalidInput, PersonNeeded, Proposed
from holdfast.model.actor import Actor
from holdfast.model.ids import digest, new_id
from holdfast.model.inbox import CONFIRM, DROPPED, GUARD, PIN, Proposal
from holdfast.model.kinds import AGENT, PINNED, USER
from holdfast.model.memory import Memory, line, shorten
from holdfast.model.records import Event
from holdfast.ports import Store
from holdfast.stores.retry import again

VOUCHING = (PIN, CONFIRM)
"""Verbs that say of an entry that it can be relied on."""

SAID_BY_PERSON = "a person said it"
IS_PINNED = "it is pinned"
IS_CONFIRMED = "a person confirmed it"
VOUCHES = "only a person can vouch for it"
GUARDS = "only a person sets or loosens a guard"
IS_ABOUT_SOMETHING_ELSE = "what the user said now is about something else"
HOLDS_PERSONS_WORDS = "it holds what a person said in a session"

SHOWN_CHARS = 1_000
"""Characters that are shown of what changed."""

P = ParamSpec("P")
T = TypeVar("T")

MOST_WAITING = 200
"""Proposals that can wait at a time: an agent gone wrong shall not bury what matters."""


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
    if verb == GUARD:
        return GUARDS
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
    from holdfast.text.words import topic  # few notes come with a quote

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


def looks_of(*memories: Memory) -> dict[str, str]:
    """Return a digest of everything of each memory that a person reads or that an agent is told."""
    return {memory.id: digest(json.dumps(_shown_fields(memory), ensure_ascii=False)) for memory in memories}


def _shown_fields(memory: Memory) -> Sequence[object]:
    texts = (memory.content, memory.title, memory.context, memory.kind)
    return [*texts, list(memory.tags), list(memory.files), memory.expires]


def changed_since(store: Store, proposal: Proposal) -> list[Memory]:
    """Return the memories of a proposal that do not look as they did; what was not noted is taken as it is."""
    memories = store.memories.get(list(proposal.seen))
    return [memory for memory in memories if looks_of(memory)[memory.id] != proposal.seen[memory.id]]


def bound_anew(proposal: Proposal, changed_memories: Sequence[Memory]) -> Proposal:
    """Return a proposal about its memories as they look now, which a person is about to be shown."""
    return replace(proposal, seen={**proposal.seen, **looks_of(*changed_memories)})


def refusal(proposal: Proposal, changed_memories: Sequence[Memory]) -> InvalidInput:
    """Return what tells a person that something else waits than what they saw, and what it is."""
    texts = "; ".join(f"{memory.id[-8:]} now says: {_shown_text(memory)}" for memory in changed_memories)
    advice = f"Nothing was done. Accept {proposal.id[-8:]} again if that is what you want, or drop it."
    return InvalidInput(field="proposal", problem=f"is not what it was when it was made. {texts}. {advice}")


def _shown_text(memory: Memory) -> str:
    text = line(memory.content)
    rest = len(text) - SHOWN_CHARS
    more = f" ({rest:,} more characters: `holdfast get {memory.id[-8:]}`)" if rest > 0 else ""
    return f'"{shorten(text, SHOWN_CHARS)}"{more}'


def proposing(act: Callable[P, T]) -> Callable[P, T]:
    """Let a verb that an agent may not do on its own leave a proposal, and raise `Proposed`."""

    @functools.wraps(act)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return act(*args, **kwargs)
        except Denial as denial:
            proposal = propose(denial.store, denial.proposal)
        raise Proposed(
            proposal=proposal.id[-8:],
            verb=proposal.verb,
            id=proposal.memory[-8:],
            why=proposal.why,
            proposal_id=proposal.id,
        )

    return asked


@again
def propose(store: Store, proposal: Proposal) -> Proposal:
    """Keep a proposal and return it; one that asks for the same and waits already is returned instead.

    What a person dropped before is not asked again.
    """
    with store.writing():
        for earlier_proposal in reversed(store.proposals.about(proposal.memory)):
            if earlier_proposal.asks_the_same(proposal) and earlier_proposal.waits:
                return earlier_proposal
            if earlier_proposal.asks_the_same(proposal) and earlier_proposal.outcome == DROPPED:
                action = f"{proposal.verb} of {proposal.memory[-8:]}, which the user declined before,"
                raise PersonNeeded(what=action)
        if len(store.proposals.waiting()) >= MOST_WAITING:
            raise PersonNeeded(what=f"one more than {MOST_WAITING} waiting proposals")
        ids = (proposal.id, proposal.memory, *([proposal.other] if proposal.other else []))
        detail = {"verb": proposal.verb}
        store.audit.record(Event(action="propose", actor=proposal.actor, at=proposal.at, ids=ids, detail=detail))
        store.proposals.put([proposal])
    return proposal
