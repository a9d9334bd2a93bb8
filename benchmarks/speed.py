"""Speed of the embedded store in CPU time: bulk add, single add, keyword search, opening.

Plain FTS5 in a bare table runs interleaved with ours in the same process, so that a noisy machine slows both.
"""

import gc
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import apsw

from benchmarks.texts import notes, questions
from holdfast.capture.prepare import WriteContext, prepare
from holdfast.capture.reconcile import Incoming, remember
from holdfast.interfaces.python import Holdfast
from holdfast.model.actor import Actor
from holdfast.model.limits import BATCH
from holdfast.model.memory import Origin
from holdfast.model.requests import Draft
from holdfast.stores.sqlite.store import SqliteStore

ENTRIES = 10_000
QUERIES = 200
ORIGIN = Origin(project="bench", tenant="local", user="bench")

Figures = dict[str, float]


def run() -> Figures:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as place:
        os.environ["HOLDFAST_DATA_HOME"] = os.environ["HOLDFAST_CONFIG_HOME"] = place
        os.environ["HOLDFAST_EMBEDDING_MODEL"] = "none"  # vectors have a benchmark of their own
        texts = list(notes(ENTRIES))
        return {
            **bulk_add(Path(place), texts),
            **api_bulk_add(Path(place) / "api", texts),
            **search(Path(place)),
            **single_add(Path(place)),
        }


def show(figures: Figures, out: TextIO) -> None:
    """Print the figures."""
    out.write(f"{ENTRIES:,} entries of 20-60 words, CPU time of this process\n")
    for name, value in figures.items():
        out.write(f"  {name:<44} {value:8.3f}\n")


def bulk_add(place: Path, texts: list[str]) -> Figures:
    """Write prepared entries in batches, beside the same rows in a bare FTS5 table."""
    store = SqliteStore.open(place / "memory.db", project="bench", now=1)
    plain = apsw.Connection(str(place / "plain.db"))
    list(
        plain.execute(
            "PRAGMA journal_mode=WAL; CREATE VIRTUAL TABLE note USING fts5(text, tokenize='porter unicode61')"
        )
    )
    drafts = [Draft(content=text, kind="fact") for text in texts]
    desk = WriteContext(origin=ORIGIN, now=1, actor=Actor("bench"))
    incoming = [Incoming(memory) for draft in drafts if (memory := prepare(draft, desk))]
    ours = bare = 0.0
    for start in range(0, ENTRIES, BATCH):
        batch = incoming[start : start + BATCH]
        ours += cpu(lambda: remember(store, batch, desk))  # noqa: B023 - called at once
        bare += cpu(lambda: _plain_add(plain, batch))  # noqa: B023 - called at once
    store.close()
    plain.close()
    return {
        "bulk add, store level: ms an entry": ours / ENTRIES * 1000,
        "the same rows in bare FTS5: ms an entry": bare / ENTRIES * 1000,
    }


def api_bulk_add(place: Path, texts: list[str]) -> Figures:
    """Write through the public API: checks, titles and fingerprints included."""
    place.mkdir()
    with Holdfast.open(place) as memory:
        spent = cpu(lambda: memory.add_many([{"content": text, "kind": "fact"} for text in texts]))
    return {"bulk add, Python API: ms an entry": spent / ENTRIES * 1000}


def search(place: Path) -> Figures:
    """Search by keyword through the public API, beside the same query on bare FTS5."""
    ours, bare = [], []
    settle_heap()
    plain = apsw.Connection(str(place / "plain.db"))
    with Holdfast.open(place / "api") as memory:
        memory.search("warm up")
        for question in questions(QUERIES):
            ours.append(cpu(lambda: memory.search(question, mode="keyword")))  # noqa: B023 - called at once
            bare.append(cpu(lambda: _plain_search(plain, question)))  # noqa: B023 - called at once
    plain.close()
    return {
        "keyword search, 6-8 words: ms p50": statistics.median(ours) * 1000,
        "keyword search, 6-8 words: ms p95": statistics.quantiles(ours, n=20)[-1] * 1000,
        "the same on bare FTS5: ms p50": statistics.median(bare) * 1000,
    }


def single_add(place: Path) -> Figures:
    """Add one at a time, and open the store anew."""
    with Holdfast.open(place / "api") as memory:
        spent = [cpu(lambda: memory.add(text)) for text in notes(200, seed=9)]  # noqa: B023 - called at once
    opened = [cpu(lambda: Holdfast.open(place / "api").close()) for _ in range(20)]
    return {
        "add one: ms p50": statistics.median(spent) * 1000,
        "open and close: ms p50": statistics.median(opened) * 1000,
    }


def settle_heap() -> None:
    """Keep the garbage collector off what only the benchmark has in memory."""
    gc.collect()
    gc.freeze()


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds that some work takes."""
    before = time.process_time()
    work()
    return time.process_time() - before


def _plain_add(connection: apsw.Connection, batch: list[Incoming]) -> None:
    with connection:
        connection.executemany("INSERT INTO note (text) VALUES (?)", [(item.memory.content,) for item in batch])


def _plain_search(connection: apsw.Connection, question: str) -> None:
    match = " OR ".join(f'"{word}"' for word in question.split())
    list(connection.execute("SELECT rowid FROM note WHERE note MATCH ? ORDER BY rank LIMIT 10", (match,)))
