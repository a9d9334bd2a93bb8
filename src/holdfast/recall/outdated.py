"""What was said and became a memory, beside that memory: the same is told once, and what holds now comes first.

A rule that was given up leaves default search as a memory. Its words are still there as a turn, and would answer
"which style do we use?" with the old one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import replace
from holdfast.recall.snippets import GAP

if TYPE_CHECKING:
    from holdfast.model.memory import Memory
    from holdfast.model.search import Hit
    from holdfast.ports import Store

BEHIND = 0.001
"""How far an outdated turn stays behind what took its place."""

LONGEST_CHAIN = 20
"""Memories that took each other's place, one after another, that are followed."""


def beside_memories(turns: Sequence[Hit], memories: Sequence[Hit], store: Store) -> list[Hit]:
    """Return the turns that say something beside these memories, best first.

    A turn whose words a memory has is left out. One all of whose memories were superseded comes after what took
    their place; where that was not found either, the question is about neither, and it is left out.
    """
    made_of = _memories_of(turns, store)
    hits_by_id = {hit.id: hit for hit in memories}
    placed_turns = [_placed(hit, made_of.get(hit.id, ()), hits_by_id, store) for hit in turns]
    return sorted((hit for hit in placed_turns if hit), key=lambda hit: -hit.score)


def _memories_of(turns: Sequence[Hit], store: Store) -> Mapping[str, list[Memory]]:
    """Return the memories that were made of each turn."""
    findings = [finding for finding in store.findings.from_turns([hit.id for hit in turns]) if finding.memory]
    memories = {
        memory.id: memory for memory in store.memories.get(list({finding.memory or "" for finding in findings}))
    }
    made_of: dict[str, list[Memory]] = {}
    for finding in findings:
        if memory := memories.get(finding.memory or ""):
            made_of.setdefault(finding.turn, []).append(memory)
    return made_of


def _placed(turn: Hit, made_of: Sequence[Memory], hits_by_id: Mapping[str, Hit], store: Store) -> Hit | None:
    if any(_same_words(turn, hits_by_id.get(memory.id)) for memory in made_of):
        return None
    if not made_of or not all(memory.superseded_by for memory in made_of):
        return turn
    successors = [
        hits_by_id[memory_id]
        for memory_id in (_current(memory, store) for memory in made_of)
        if memory_id in hits_by_id
    ]
    if not successors:
        return None
    return _behind(turn, min(hit.score for hit in successors) - BEHIND)


def _same_words(turn: Hit, memory: Hit | None) -> bool:
    """Say whether a memory shows all that a turn says; a longer one may say more."""
    return memory is not None and memory.snippet == turn.snippet and GAP not in turn.snippet


def _current(memory: Memory, store: Store) -> str:
    """Return the id of what holds in a memory's place."""
    for _ in range(LONGEST_CHAIN):
        following = store.memories.get([memory.superseded_by]) if memory.superseded_by else []
        if not following:
            break
        [memory] = following
    return memory.id


def _behind(turn: Hit, most: float) -> Hit:
    """Return a turn that scores no more than this; `why` says what it lost."""
    if turn.score <= most:
        return turn
    return replace(turn, score=most, why={**turn.why, "outdated": most - turn.score})
