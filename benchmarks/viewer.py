"""What the viewer's pages cost the server, over a store of 100,000 memories: CPU time and bytes of each answer.

A real `holdfast serve` is asked over a socket; its CPU time is what the system counts for its process, so that
other load on the machine does not show. Texts and vectors are made up. Run as `python -m benchmarks.viewer`;
`--keep DIR` fills a store there once, and measures it again the next time.
"""

import argparse
import contextlib
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TextIO

import httpx2
import numpy as np
import psutil

from benchmarks.texts import notes
from holdfast.model.brief import Receipt, ReceiptItem
from holdfast.model.ids import fingerprint, new_id
from holdfast.model.kinds import KINDS
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Memory, title_of
from holdfast.model.session import Session, Turn
from holdfast.model.vectors import MEMORY, TURN, VectorModel
from holdfast.ports import Store
from holdfast.storage.open import open_service
from holdfast.storage.tenancy import tokens

MEMORIES, SESSIONS, TURNS, RECEIPTS = 100_000, 2_000, 10, 300
AGENTS, BRANCHES = ("claude-code", "codex", "gemini"), ("main", "feature/queue", "fix/cache")
AT_ONCE = 2_000
ROUNDS = 20
PAGE_MS, TYPED_MS, MOST_BYTES = 300.0, 100.0, 1_000_000
"""What a first page, a search while typing and any answer may take."""


class Figure(NamedTuple):
    """What one kind of request costs."""

    name: str
    cpu_ms: float
    slowest_ms: float
    size: int
    aim_ms: float


def run(memories: int = MEMORIES, kept_folder: Path | None = None) -> list[Figure]:
    """Fill a store, serve it, and ask for every page."""
    with contextlib.ExitStack() as stack:
        folder = kept_folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="holdfast-viewer-")))
        os.environ["HOLDFAST_DATA_HOME"] = str(folder / "data")
        project = folder / "project"
        if not project.exists():
            project.mkdir(parents=True)
            fill(project, memories)
        _, token = tokens().create(
            name="bench",
            tenant="local",
            scope="admin",
            project=None,
            expires=None,
            now=time.time_ns() // 1_000_000,
        )
        with _served(project) as (process, address):
            headers = {"Authorization": f"Bearer {token}"}
            with httpx2.Client(base_url=address, headers=headers, timeout=60, trust_env=False) as client:
                return measure(client, process)


def fill(project: Path, memories: int) -> None:
    """Put memories, sessions and receipts into a new store, as they are after years of work."""
    service = open_service(project, actor="bench")
    store = service._scopes.project
    luck, now = random.Random(3), time.time_ns() // 1_000_000
    name = store.state().project
    sessions = [_session(name, now - number * DAY_MS // 4) for number in range(SESSIONS)]
    _put_sessions(store, sessions)
    texts = enumerate(notes(memories))
    ids: list[str] = []
    while batch := [_memory(name, text, number, sessions, luck, now) for number, text in islice(texts, AT_ONCE)]:
        with store.writing():
            store.memories.insert(batch)
        ids += [memory.id for memory in batch]
    _put_receipts(store, ids, sessions, luck, now)
    assert service._embeddings.model
    _embed(store, service._embeddings.model)
    service.close()


def measure(client: httpx2.Client, process: psutil.Process) -> list[Figure]:
    """Ask for every page, as a person who looks around does."""
    first = client.get("/viewer/api/timeline", params={"limit": 50}).json()
    memory = next(item["id"] for item in first["items"] if item["type"] == "memory")
    today = client.get("/viewer/api/today").json()
    session = today["sessions"][0]["session"]["id"]
    words = next(notes(1, seed=9)).split()
    typed = [words[0][:length] for length in (3, 4, 5)] + [f"{words[1]} {words[2][:3]}", f"{words[3]} {words[4]}"]
    pages: Sequence[tuple[str, str, float]] = (
        ("today", "/viewer/api/today", PAGE_MS),
        ("timeline", "/viewer/api/timeline", PAGE_MS),
        ("timeline, next page", f"/viewer/api/timeline?cursor={first['next']}", PAGE_MS),
        ("timeline of a branch and a kind", "/viewer/api/timeline?branch=fix/cache&kind=decision", PAGE_MS),
        ("timeline of a file nobody has", "/viewer/api/timeline?file=nowhere.py&history=true", PAGE_MS),
        ("memory", f"/viewer/api/memories/{memory}", PAGE_MS),
        ("session", f"/viewer/api/sessions/{session}", PAGE_MS),
        ("turns", f"/viewer/api/sessions/{session}/turns", PAGE_MS),
        ("inbox", "/viewer/api/inbox", PAGE_MS),
        ("me", "/viewer/api/me", PAGE_MS),
        ("health", "/viewer/api/health", PAGE_MS),
        *(
            (f"memories while typing, “{text}”", f"/viewer/api/search?within=memories&q={text}", TYPED_MS)
            for text in typed
        ),
        *((f"with what was said, “{text}”", f"/viewer/api/search?q={text}", PAGE_MS) for text in typed[3:]),
    )
    return [_figure(client, process, *page) for page in pages]


def show(figures: Sequence[Figure], out: TextIO) -> None:
    """Print the figures beside the aims."""
    out.write(f"{MEMORIES:,} memories; CPU milliseconds of the server, mean and slowest of {ROUNDS}; kB\n")
    for figure in figures:
        size = figure.size / 1000
        times = f"{figure.cpu_ms:7.1f} {figure.slowest_ms:7.1f}  aim {figure.aim_ms:4.0f}"
        out.write(f"  {figure.name:<44} {times} {size:8.1f} kB\n")
    out.write(f"  the longest answer: {max(figure.size for figure in figures):,} bytes, aim {MOST_BYTES:,}\n")


def _figure(client: httpx2.Client, process: psutil.Process, name: str, path: str, aim_ms: float) -> Figure:
    client.get(path).raise_for_status()
    spent, size = [], 0
    for _ in range(ROUNDS):
        before = _cpu(process)
        size = len(client.get(path).raise_for_status().content)
        spent.append((_cpu(process) - before) * 1000)
    return Figure(name, statistics.fmean(spent), max(spent), size, aim_ms)


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


@contextlib.contextmanager
def _served(project: Path) -> Iterator[tuple[psutil.Process, str]]:
    script = "from holdfast.interfaces.cli.entry import main; main()"
    program = [sys.executable, "-c", script, "serve", "--port", "0"]
    with subprocess.Popen(program, cwd=project, stderr=subprocess.PIPE, text=True) as served:
        assert served.stderr
        address = next(match[0] for line in served.stderr if (match := re.search(r"http://[\d.:]+\d", line)))
        reader = threading.Thread(target=served.stderr.read)  # else its log fills the pipe, and it waits
        reader.start()
        try:
            yield psutil.Process(served.pid), address
        finally:
            served.terminate()
            reader.join()


def _session(project: str, at: int) -> Session:
    return Session(
        id=new_id(at),
        project=project,
        tenant="local",
        user="bench",
        agent=AGENTS[at % len(AGENTS)],
        status="completed",
        started_at=at,
        ended_at=at + 60_000,
        summary="What was done, and what is left to do.",
    )


def _put_sessions(store: Store, sessions: Sequence[Session]) -> None:
    said = notes(SESSIONS * TURNS, seed=7)
    with store.writing():
        for session in sessions:
            store.sessions.insert(session)
            at = session.started_at
            rows = enumerate(islice(said, TURNS))
            store.turns.insert([_turn(session, place, text, at + place * 1_000) for place, text in rows])


def _turn(session: Session, place: int, text: str, at: int) -> Turn:
    return Turn(id=new_id(at), session=session.id, role=("user", "assistant")[place % 2], text=text, at=at)


def _memory(
    project: str, text: str, number: int, sessions: Sequence[Session], luck: random.Random, now: int
) -> Memory:
    at = now - (MEMORIES - number) * 300_000
    return Memory(
        id=new_id(at),
        project=project,
        tenant="local",
        user="bench",
        kind=KINDS[number % len(KINDS)],
        title=title_of(text),
        content=text,
        files=(f"src/part{number % 500}/file{number % 7}.py",) if number % 3 == 0 else (),
        status="candidate" if number % 8 == 1 else "confirmed",
        trust=("user", "agent", "agent", "imported")[number % 4],
        sources=("manual",),
        session=luck.choice(sessions).id if number % 2 else None,
        agent=luck.choice(AGENTS),
        branch=luck.choice(BRANCHES),
        created_at=at,
        updated_at=at,
        renewed_at=at,
        valid_from=at,
        valid_until=at + 1 if number % 10 == 0 else None,
        fades=now + luck.randrange(365) * DAY_MS if number % 5 == 0 else None,
        fingerprint=fingerprint(text),
    )


def _put_receipts(
    store: Store, ids: Sequence[str], sessions: Sequence[Session], luck: random.Random, now: int
) -> None:
    for number in range(RECEIPTS):
        items = tuple(
            ReceiptItem(id=memory_id, kind="fact", tier="retrieval", score=0.5, why={"relevance": 0.5})
            for memory_id in luck.sample(ids, 12)
        )
        receipt = Receipt(
            id=new_id(now),
            at=now - (RECEIPTS - number) * 60_000,
            agent="codex",
            session=sessions[number % 20].id,
            prompted=True,
            budget=1_500,
            tokens=1_200,
            took_ms=luck.randrange(20, 90),
            cut=False,
            degraded=False,
            items=items,
        )
        with store.writing():
            store.receipts.record(receipt, " ".join(notes(12, seed=number)))


def _embed(store: Store, model: VectorModel) -> None:
    """Give every row a vector of unit length, always the same."""
    luck = np.random.default_rng(11)
    with store.writing():
        store.vectors.switch(model)
    for target in (MEMORY, TURN):
        while rows := store.vectors.unembedded(target, AT_ONCE):
            vectors = luck.standard_normal((len(rows), 1, model.dimensions), np.float32)
            vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
            with store.writing():
                by_id = {row.id: vector for row, vector in zip(rows, vectors, strict=True)}
                store.vectors.put(target, model, by_id, {row.id: row.mark for row in rows})
    store.vectors.settle()


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=MEMORIES)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    show(run(options.memories, options.keep), sys.stdout)


if __name__ == "__main__":
    main()
