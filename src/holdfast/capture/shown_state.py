"""Binding a person's yes to what they saw: a proposal knows how its memories looked when it was made.

An agent may change what it wrote itself at any time, also after it proposed to let it take the place of a rule.
Only a person's own look binds a proposal anew.
"""

import json
from collections.abc import Sequence

from holdfast.errors import InvalidInput
from holdfast.model.display import line, shorten
from holdfast.model.ids import digest
from holdfast.model.inbox import Proposal
from holdfast.model.memory import Memory
from holdfast.model.value import replace
from holdfast.ports import Store

SHOWN_CHARS = 1_000
"""Characters that are shown of what changed."""


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
