"""Speed and exactness of vector search: `python -m benchmarks.vectors`. CPU time of this process, p50.

The vectors are made up, but lie in clusters as those of texts do; rows are real rows in a real store, found
through the same code as a search. `hybrid` is a whole search through the public API, the question's vector known.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed import cpu, settle_heap
from benchmarks.texts import notes, questions
from holdfast.embedding.minilm import MiniLM
from holdfast.interfaces.python import Holdfast
from holdfast.model.search import Filters
from holdfast.model.vectors import VectorModel
from holdfast.storage.open import open_service
from holdfast.stores.sqlite.graph import Graph
from holdfast.stores.sqlite.store import SqliteStore

DIMENSIONS = 384
MODEL = VectorModel("benchmark", DIMENSIONS)
QUERIES = 200
NOW = 2_000_000_000_000

Floats = NDArray[np.float32]
Figures = dict[str, float]


class Known:
    """An embedder that has every question's vector already, so that only the search is measured."""

    model = MODEL.name
    dimensions = DIMENSIONS

    def __init__(self, vectors: dict[str, Floats]) -> None:
        self._vectors = vectors

    def embed(self, texts: list[str]) -> Floats:
        return np.stack([self._vectors[text] for text in texts])

    def embed_query(self, text: str) -> Floats:
        return self._vectors[text]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vectors", description=__doc__)
    parser.add_argument("--sizes", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--hnsw", action="store_true", help="also build a graph of the largest size (minutes)")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    figures = run(arguments.sizes, arguments.hnsw)
    show(figures, sys.stdout)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def show(figures: Figures, out: TextIO) -> None:
    """Print the figures."""
    out.write("vectors of 384 numbers, CPU time of this process\n")
    for name, value in figures.items():
        out.write(f"  {name:<52} {value:9.3f}\n")


def run(sizes: list[int], hnsw: bool) -> Figures:
    """Measure everything."""
    figures = embedding()
    for size in sizes:
        with tempfile.TemporaryDirectory() as place:
            os.environ["HOLDFAST_DATA_HOME"] = os.environ["HOLDFAST_CONFIG_HOME"] = place
            figures |= searching(Path(place), size)
    return figures | (graph(max(sizes)) if hnsw else {})


def embedding() -> Figures:
    """Measure the bundled model: getting ready, and a question of twenty tokens."""
    program = (
        "import time; from holdfast.embedding.minilm import MiniLM; MiniLM().load(); print(time.process_time())"
    )
    plain = "import time; print(time.process_time())"
    ready = [_python(program) - _python(plain) for _ in range(3)]
    model = MiniLM()
    text = "how do we open the database without losing a write when two processes add at once"
    model.embed([text])
    spent = [cpu(lambda: model.embed([text])) for _ in range(50)]
    return {
        "model ready: ms": statistics.median(ready) * 1000,
        "question of 20 tokens: ms p50": statistics.median(spent) * 1000,
    }


def searching(place: Path, size: int) -> Figures:
    """Measure the exact path at one size: store level, whole searches, and the first search of a process."""
    rows = clustered(size)
    asked = clustered(QUERIES, seed=7)
    texts = list(questions(QUERIES))
    known = Known(dict(zip(texts, asked, strict=True)))
    _fill(place, size, rows)
    truth = np.argsort(-(asked @ rows.T), axis=1)[:, :10]
    settle_heap()
    figures = _store_level(place, size, asked, truth)
    service = open_service(place, actor="python", embedder=known)  # type: ignore[arg-type]  # a list is a sequence
    memory = Holdfast(service)
    memory.search(texts[0])
    spent = [cpu(lambda: memory.search(text)) for text in texts]  # noqa: B023 - called at once
    memory.close()
    return figures | {f"{size:,}: hybrid search: ms p50": statistics.median(spent) * 1000}


def graph(size: int) -> Figures:
    """Measure the graph alone: building, asking, and how much of the truth it finds."""
    rows, asked = clustered(size), clustered(QUERIES, seed=7)
    halves = {number: row.astype(np.float16).tobytes() for number, row in enumerate(rows)}
    made = Graph("unused")
    build = cpu(lambda: made.build(halves, DIMENSIONS, 0))
    truth = np.argsort(-(asked @ rows.T), axis=1)[:, :10]
    spent, hit = [], 0
    for query, right in zip(asked, truth, strict=True):
        before = time.process_time()
        found = made.nearest(query, 10)
        spent.append(time.process_time() - before)
        best = sorted(found, key=lambda row: -float(rows[row] @ query))[:10]
        hit += len(set(best) & set(right.tolist()))
    return {
        f"{size:,}: graph built: s": build,
        f"{size:,}: graph asked: ms p50": statistics.median(spent) * 1000,
        f"{size:,}: graph recall@10": hit / QUERIES / 10,
    }


def clustered(count: int, seed: int = 1) -> Floats:
    """Return unit vectors around a thousand centres, some nearer to theirs than others."""
    centres = np.random.default_rng(0).standard_normal((1_000, DIMENSIONS)).astype(np.float32)
    luck = np.random.default_rng(seed)
    spread = luck.uniform(0.5, 1.5, (count, 1)).astype(np.float32)
    rows = centres[luck.integers(0, 1_000, count)] + spread * luck.standard_normal((count, DIMENSIONS)).astype(
        np.float32
    )
    unit: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def _store_level(place: Path, size: int, asked: Floats, truth: NDArray[np.intp]) -> Figures:
    store = SqliteStore.open(place / ".holdfast" / "memory.db", project="bench", now=1)
    ids = {memory.id: int(memory.tags[0]) for memory in store.memories.newest(Filters(), size)}
    filters = Filters(current_at=NOW)
    first = cpu(lambda: store.vectors.nearest("memory", asked[0], filters, 10))
    spent, hit = [], 0
    for query, right in zip(asked, truth, strict=True):
        before = time.process_time()
        near = store.vectors.nearest("memory", query, filters, 10)
        spent.append(time.process_time() - before)
        hit += len({ids[one.id] for one in near} & set(right.tolist()))
    store.close()
    return {
        f"{size:,}: vector search: ms p50": statistics.median(spent) * 1000,
        f"{size:,}: vector search: ms p95": statistics.quantiles(spent, n=20)[-1] * 1000,
        f"{size:,}: first of a process, from the sidecar: ms": first * 1000,
        f"{size:,}: exact recall@10": hit / QUERIES / 10,
    }


def _fill(place: Path, size: int, rows: Floats) -> None:
    """Put notes and their vectors into a store, and its sidecar beside it."""
    os.environ["HOLDFAST_EMBEDDING_MODEL"] = "none"
    with Holdfast.open(place) as memory:
        items = [{"content": text, "kind": "fact", "tags": [str(n)]} for n, text in enumerate(notes(size))]
        added = [one.id or "" for one in memory.add_many(items)]
    store = SqliteStore.open(place / ".holdfast" / "memory.db", project="bench", now=1)
    with store.writing():
        store.vectors.switch(MODEL)
        for start in range(0, size, 5_000):
            part = {added[at]: rows[at : at + 1] for at in range(start, min(size, start + 5_000))}
            store.vectors.put("memory", MODEL, part, None)
    store.vectors.settle()
    store.close()


def _python(program: str) -> float:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return float(done.stdout)


if __name__ == "__main__":
    main()
