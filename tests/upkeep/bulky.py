"""A store that is too big: sessions with turns, memories of every standing, and what must survive in it."""

import random
from dataclasses import dataclass

import numpy as np

from holdfast.model.finding import Evidence
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Memory
from holdfast.model.records import Access
from holdfast.model.session import Turn
from holdfast.model.vectors import MEMORY, TURN, VectorModel
from holdfast.ports import Store
from tests.contract.builders import NOW, a_finding, a_memory, a_session, a_turn

MODEL = VectorModel("random", 384)
TURNS = 40
"""Of each session."""

MEMORIES = 10
"""For each session."""


@dataclass(slots=True)
class Precious:
    """The ids of what upkeep may not take."""

    memories: set[str]
    turns: set[str]


def fill(store: Store, size: int, turn_chars: int = 2_000, seed: int = 1) -> Precious:
    """Fill a store until it uses so many bytes; return what has to survive."""
    luck = random.Random(seed)
    words = [f"{luck.choice('bcdfghklmnprst')}{luck.choice('aeiou')}{number:x}" for number in range(30_000)]
    precious = Precious(set(), set())
    with store.writing():
        store.vectors.switch(MODEL)
        _keep_protected(store, precious)
    number = 0
    while store.upkeep.used() < size:
        with store.writing():
            for _ in range(5):
                _keep_session(store, luck, words, precious, number, turn_chars)
                number += 1
    return precious


def _text(luck: random.Random, words: list[str], chars: int) -> str:
    picked: list[str] = []
    while sum(map(len, picked)) + len(picked) < chars:
        picked += [words[int(len(words) * luck.random() ** 3)] for _ in range(40)]
    return " ".join(picked)[:chars]


def _keep_protected(store: Store, precious: Precious) -> None:
    """What is protected by name: pinned, an active session's, read lately."""
    active = a_session(started_at=NOW - 1, heard_at=NOW)
    said = [a_turn(active, f"still talking about {number}") for number in range(20)]
    store.sessions.insert(active)
    store.turns.insert(said)
    memories = [
        a_memory(content="The one thing that is pinned", status="pinned", created_at=NOW - 999 * DAY_MS),
        a_memory(content="What the active session said", session=active.id, created_at=NOW - 999 * DAY_MS),
        a_memory(content="Read an hour ago", accessed_at=NOW - 3_600_000, created_at=NOW - 999 * DAY_MS),
    ]
    store.memories.insert(memories)
    precious.memories.update(memory.id for memory in memories)
    precious.turns.update(turn.id for turn in said)


def _keep_session(
    store: Store, luck: random.Random, words: list[str], precious: Precious, number: int, chars: int
) -> None:
    at = NOW - 400 * DAY_MS + number * 60_000
    session = a_session(status="completed", started_at=at, ended_at=at + 1, heard_at=at)
    turns = [
        a_turn(session, _text(luck, words, chars), at=at, role=("user", "assistant")[place % 2])
        for place in range(TURNS)
    ]
    memories = [_memory(luck, words, at, place) for place in range(MEMORIES)]
    store.sessions.insert(session)
    store.turns.insert(turns)
    store.memories.insert(memories)
    decision = memories[0]
    place = Evidence(turn=turns[3].id, start=0, end=20)
    store.findings.put([a_finding(session, memory=decision.id, evidence=(place,)), a_finding(session)])
    store.accesses.record([Access(memory=decision.id, action="search", at=at, query="what was it")])
    _embed(store, luck, turns, memories)
    precious.memories.add(decision.id)
    precious.turns.add(turns[3].id)


def _memory(luck: random.Random, words: list[str], at: int, place: int) -> Memory:
    return a_memory(
        content=_text(luck, words, 300),
        kind="decision" if place == 0 else "fact",
        trust="imported" if place % 2 else "agent",
        created_at=at,
    )


def _embed(store: Store, luck: random.Random, turns: list[Turn], memories: list[Memory]) -> None:
    numbers = np.random.default_rng(luck.randrange(1 << 30))

    def units(count: int) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
        rows = numbers.standard_normal((count, MODEL.dimensions)).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)  # type: ignore[no-any-return]  # numpy's stubs

    store.vectors.put(TURN, MODEL, {turn.id: units(1) for turn in turns}, None)
    store.vectors.put(MEMORY, MODEL, {memory.id: units(1) for memory in memories}, None)


def surviving(store: Store, precious: Precious) -> tuple[int, int]:
    """Return how many of the memories and turns that had to survive are gone."""
    memories, turns = sorted(precious.memories), sorted(precious.turns)
    return len(memories) - len(store.memories.get(memories)), len(turns) - len(store.turns.get(turns))
