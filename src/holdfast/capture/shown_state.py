"""Binding a person's yes to what they saw: a proposal knows how its memories looked when it was made.

An agent may change what it wrote itself at any time, also after it proposed to let it take the place of a rule.
Only a person's own look binds a proposal anew.
"""

import json
from collections.abc import Sequence

from holdfast.errors import InvalidInput
from holdfast.model.digest import digest
from holdfast.model.memory import Memory
from holdfast.model.proposal import Proposal
from holdfast.model.title import shorten
from holdfast.model.value import replace
from holdfast.model.visible import line
from holdfast.ports import Store

SHOWN = 1_000
"""Characters that are shown of what changed."""


def looks_of(*memories: Memory) -> dict[str, str]:
    """Return a digest of everything of each memory that a person reads or that an agent is told."""
    return {one.id: digest(json.dumps(_shown(one), ensure_ascii=False)) for one in memories}


def _shown(memory: Memory) -> Sequence[object]:
    said = (memory.content, memory.title, memory.context, memory.kind)
    return [*said, list(memory.tags), list(memory.files), memory.expires]


def changed_since(store: Store, proposal: Proposal) -> list[Memory]:
    """Return the memories of a proposal that do not look as they did; what was not noted is taken as it is."""
    memories = store.memories.get(list(proposal.seen))
    return [one for one in memories if looks_of(one)[one.id] != proposal.seen[one.id]]


def bound_anew(proposal: Proposal, changed: Sequence[Memory]) -> Proposal:
    """Return a proposal about its memories as they look now, which a person is about to be shown."""
    return replace(proposal, seen={**proposal.seen, **looks_of(*changed)})


def refusal(proposal: Proposal, changed: Sequence[Memory]) -> InvalidInput:
    """Return what tells a person that something else waits than what they saw, and what it is."""
    texts = "; ".join(f"{one.id[-8:]} now says: {_told(one)}" for one in changed)
    advice = f"Nothing was done. Accept {proposal.id[-8:]} again if that is what you want, or drop it."
    return InvalidInput(field="proposal", problem=f"is not what it was when it was made. {texts}. {advice}")


def _told(memory: Memory) -> str:
    text = line(memory.content)
    rest = len(text) - SHOWN
    more = f" ({rest:,} more characters: `holdfast get {memory.id[-8:]}`)" if rest > 0 else ""
    return f'"{shorten(text, SHOWN)}"{more}'
