"""Speed of briefs in CPU time of a warm process: `python -m benchmarks briefs`.

10,000 memories and 100,000 turns of made-up talk in the words of our own chats, as often as those use them, and
among them the chats themselves (`tests/data/amended.json`), whose prompts are asked, no prompt twice in the same
words. Words repeat more than in a real project, so more is found than there. A prompt's vector comes from the
bundled model, and its time counts; those of the talk are vectors of the chats with noise, so that they lie as near
to a prompt as real ones.
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.decisions import own
from benchmarks.speed import cpu, settle_heap
from holdfast import Brief, Holdfast
from holdfast.embedding.minilm import MiniLM
from holdfast.model.ids import new_id
from holdfast.model.session import Session, Turn
from holdfast.ports import Store
from holdfast.storage.open import open_service
from tests.embedded import service_behind

MEMORIES, TURNS = 10_000, 100_000
IN_A_SESSION = 40
BATCH = 2_000
ROUNDS = 3
NOISE = 0.5
DAY = 86_400_000
FIRST = 1_760_000_000_000
AIM_MS = 60.0

Floats = NDArray[np.float32]
Figures = dict[str, float]


class Noisy:
    """The bundled model for questions and for the texts it is told; other texts get one of theirs, with noise."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._real = MiniLM()
        self.model, self.dimensions = self._real.model, self._real.dimensions
        self._known = dict(zip(texts, self._real.embed(texts), strict=True))
        self._bases = np.stack(list(self._known.values()))
        self._luck = np.random.default_rng(4)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return vectors of length 1."""
        bases = self._bases[self._luck.integers(len(self._bases), size=len(texts))]
        rows = bases + NOISE * self._luck.standard_normal(bases.shape) / np.sqrt(self.dimensions)
        for place, text in enumerate(texts):
            if text in self._known:
                rows[place] = self._known[text]
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def embed_query(self, text: str) -> Floats:
        """Return the vector of a question."""
        return self._real.embed_query(text)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.briefs", description=__doc__)
    parser.add_argument("--memories", type=int, default=MEMORIES)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    figures = run(arguments.memories, arguments.turns)
    for name, value in figures.items():
        sys.stdout.write(f"  {name:<66} {value:9.4f}\n")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def run(memories: int = MEMORIES, turns: int = TURNS) -> Figures:
    """Fill a store and ask it for briefs."""
    chats = [[turn["text"] for turn in chat] for task in own() for chat in task.chats]
    prompts = [task.prompt for task in own()]
    with tempfile.TemporaryDirectory() as place:
        os.environ["HOLDFAST_DATA_HOME"] = os.environ["HOLDFAST_CONFIG_HOME"] = str(Path(place) / "home")
        project = Path(place) / "project"
        project.mkdir()
        embedder = Noisy([text for chat in chats for text in chat])
        service = open_service(project, actor="bench", embed_on_add=False, embedder=embedder)
        with Holdfast(service) as memory:
            _fill(memory, chats, memories, turns)
            memory.flush()
            settle_heap()
            return _measured(memory, prompts)


def _measured(memory: Holdfast, prompts: Sequence[str]) -> Figures:
    for prompt in prompts[:10]:
        memory.context(prompt)
    spent: list[float] = []
    made: list[Brief] = []
    for asked in (f"{prompt} ({number})" for number in range(ROUNDS) for prompt in prompts):
        spent.append(cpu(lambda: made.append(memory.context(asked))) * 1000)  # noqa: B023 - called at once
    starting = [cpu(memory.context) * 1000 for _ in range(50)]
    return {
        "a brief for a prompt, CPU ms p50": statistics.median(spent),
        f"a brief for a prompt, CPU ms p95 (at most {AIM_MS:.0f})": statistics.quantiles(spent, n=20)[-1],
        "a brief for the start of a session, CPU ms p95": statistics.quantiles(starting, n=20)[-1],
        "share of prompts that something was told for": sum(bool(one.items) for one in made) / len(made),
        "share of briefs that the time limit cut": sum(one.cut for one in made) / len(made),
    }


def _fill(memory: Holdfast, chats: Sequence[Sequence[str]], memories: int, turns: int) -> None:
    talk = _talk(chats)
    memory.add_many([{"content": next(talk), "trust": "user"} for _ in range(memories)])
    said = sum(map(len, chats))
    sessions = [
        *chats,
        *([next(talk) for _ in range(IN_A_SESSION)] for _ in range((turns - said) // IN_A_SESSION)),
    ]
    store = service_behind(memory)._scopes.project
    for start in range(0, len(sessions), BATCH // IN_A_SESSION):
        with store.writing():
            for number, texts in enumerate(sessions[start : start + BATCH // IN_A_SESSION], start):
                _insert(store, texts, FIRST + number * DAY // 20)


def _insert(store: Store, texts: Sequence[str], at: int) -> None:
    """Put a session into the store as it is after its end; to record and read it is measured elsewhere."""
    session = new_id(at)
    store.sessions.insert(
        Session(
            id=session,
            project=store.state().project,
            tenant="local",
            user="bench",
            agent="codex",
            status="completed",
            started_at=at,
            ended_at=at + len(texts) * 1_000,
        )
    )
    store.turns.insert(
        [
            Turn(
                id=new_id(at + place),
                session=session,
                role=("user", "assistant")[place % 2],
                text=text,
                at=at + place * 1_000,
            )
            for place, text in enumerate(texts)
        ]
    )


def _talk(chats: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield sentences of the chats' words, as often as they use them."""
    luck = random.Random(5)
    words = [word for chat in chats for text in chat for word in text.split()]
    while True:
        yield " ".join(luck.choices(words, k=luck.randint(8, 50)))


if __name__ == "__main__":
    main()
