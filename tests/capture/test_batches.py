"""Many at once or one after the other: the same becomes of each."""

import json
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from holdfast.capture.prepare import WriteContext, prepare
from holdfast.capture.reconcile import MOST, Incoming, remember
from holdfast.model.memory import Added, Memory, Origin
from holdfast.model.requests import Draft
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, PROJECT

DESK = WriteContext(origin=Origin(project=PROJECT, tenant="local", user="ada"), now=NOW)
RULES = [
    f"{opening} {subject} {end}"
    for opening in ("Always retry", "Never retry", "From now on we no longer retry", "We retry")
    for subject in ("the payment upload", "failed payment uploads")
    for end in ("3 times.", "5 times.", "in production.", "instead of the queue. It is slow. It is costly.")
]
LABELLED = [
    json.loads(line)["text"]
    for line in (Path(__file__).resolve().parents[1] / "data" / "classification.jsonl")
    .read_text("utf-8")
    .splitlines()
]
texts_of_a_batch = st.lists(st.sampled_from([*RULES, *LABELLED[:40]]), min_size=1, max_size=MOST)

Outcome = tuple[str, str | None, list[str], int]


def outcomes(store: SqliteStore, results: Sequence[Added]) -> list[Outcome]:
    """Say what became of each, by what it says: ids differ from one store to the next."""
    said = {memory.id: memory.content for memory in store.memories.walk(None, 999)}
    return [
        (
            "created" if result.created else "duplicate" if result.duplicate else str(result.rejected),
            said.get(result.id or ""),
            sorted(said[similar] for similar in result.similar_to),
            len(result.conflicts),
        )
        for result in results
    ]


def standing(store: SqliteStore) -> list[tuple[str, str]]:
    """Say what each text was superseded by."""
    memories = store.memories.walk(None, 999)
    said = {memory.id: memory.content for memory in memories}
    return sorted((memory.content, said.get(memory.superseded_by or "", "")) for memory in memories)


def prepared(texts: Sequence[str], trust: str) -> list[Memory]:
    """Prepare drafts, each said a moment after the one before it."""
    memories = [prepare(Draft(content=text, trust=trust), DESK) for text in texts]
    return [replace(memory, valid_from=NOW + place) for place, memory in enumerate(memories) if memory]


def taken_in(memories: Sequence[Memory], size: int) -> tuple[list[Outcome], list[tuple[str, str]]]:
    """Remember in parts of so many."""
    store, results = SqliteStore.in_memory(), []
    for start in range(0, len(memories), size):
        results += remember(store, [Incoming(memory) for memory in memories[start : start + size]], DESK)
    return outcomes(store, results), standing(store)


@given(texts_of_a_batch, st.sampled_from(["user", "imported"]))
def test_a_batch_ends_as_one_by_one(texts: list[str], trust: str) -> None:
    """Duplicates, conflicts, revisions and what is similar; of a batch no longer than what is compared."""
    memories = prepared(texts, trust)
    assert taken_in(memories, len(memories)) == taken_in(memories, 1)
