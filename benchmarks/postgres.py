"""A server with a hundred tenants: recall, its CPU, writers of one tenant: `python -m benchmarks postgres`.

The server is real, started here from the package that the tests use, with fsync on. CPU time is that of the
server's own process for the connection that asks.
"""

import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np
import psutil
import psycopg
from numpy.typing import NDArray

from benchmarks.texts import notes, questions
from holdfast.model.records import Event
from holdfast.model.search import Filters
from holdfast.model.vectors import VectorModel
from holdfast.stores.postgres.care import build_graphs
from holdfast.stores.postgres.store import PostgresStore
from holdfast.text.words import terms_of
from tests.contract.builders import NOW, a_memory
from tests.postgres.server import running

SIZES = {"large": (1, 50_000), "middle": (9, 4_000), "small": (90, 500)}
MODEL = VectorModel("benchmark", 384)
QUERIES = 100
WRITERS, WRITE_S = 8, 12.0
NEAR = 10

Figures = dict[str, float]
Floats = NDArray[np.float32]


def run() -> Figures:
    """Measure everything on one server."""
    with running({"fsync": "on", "full_page_writes": "on", "shared_buffers": "512MB"}) as server:
        return {**search(server.dsn), **writers(server.dsn)}


def search(dsn: str) -> Figures:
    """Fill the tenants, then ask."""
    luck = np.random.default_rng(7)
    filled = [(size, *_fill(dsn, f"{size}{number}", rows, luck)) for size, number, rows in _tenants()]
    build_graphs(dsn)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    figures: Figures = {}
    for size in SIZES:
        recalls = [_recall(store, ids, vectors) for one, store, ids, vectors in filled if one == size]
        figures[f"{size} tenants: recall@10 of vector search, least"] = min(recalls)
    [(largest, vectors)] = [(store, vectors) for size, store, _, vectors in filled if size == "large"]
    asked = [terms_of(question) for question in questions(QUERIES)]
    current = Filters(current_at=NOW)
    figures["largest: keyword, server CPU ms p50"] = _server_cpu(
        largest, lambda place: largest.memories.match(asked[place], current, 60)
    )
    figures["largest: vector, server CPU ms p50"] = _server_cpu(
        largest, lambda place: largest.vectors.nearest("memory", vectors[place], current, 60)
    )
    figures["largest: hybrid, server CPU ms p50"] = _server_cpu(
        largest,
        lambda place: (
            largest.memories.match(asked[place], current, 60),
            largest.vectors.nearest("memory", vectors[place], current, 60),
        ),
    )
    for _, store, _, _ in filled:
        store.close()
    return figures


def writers(dsn: str) -> Figures:
    """Let one, then eight processes add to one tenant as fast as they can, and watch for waiting."""
    PostgresStore.open(dsn, tenant="busy", project="shop", now=NOW).close()
    alone, _ = _write(dsn, 1)
    together, waited = _write(dsn, WRITERS)
    return {
        "one writer: memories a second": alone,
        f"{WRITERS} writers of one tenant: memories a second": together,
        "ratio": together / alone,
        "samples in which a backend waited for a row or an advisory lock": waited,
    }


def _tenants() -> Iterator[tuple[str, int, int]]:
    for size, (count, rows) in SIZES.items():
        for number in range(count):
            yield size, number, rows


def _fill(dsn: str, tenant: str, rows: int, luck: np.random.Generator) -> tuple[PostgresStore, list[str], Floats]:
    store = PostgresStore.open(dsn, tenant=tenant, project="shop", now=NOW)
    memories = [a_memory(content=text, created_at=NOW - 1) for text in notes(rows, seed=rows)]
    centres = luck.standard_normal((max(4, rows // 100), 384))
    vectors = centres[luck.integers(0, len(centres), rows)] + 0.7 * luck.standard_normal((rows, 384))
    units: Floats = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    with store.writing():
        store.vectors.switch(MODEL)
    for start in range(0, rows, 500):
        page = memories[start : start + 500]
        with store.writing():
            store.memories.insert(page)
            made = {one.id: units[start + place : start + place + 1] for place, one in enumerate(page)}
            store.vectors.put("memory", MODEL, made, None)
    return store, [memory.id for memory in memories], units


def _recall(store: PostgresStore, ids: list[str], vectors: Floats) -> float:
    halves = vectors.astype(np.float16).astype(np.float32)
    shares = []
    for query in halves[:: max(1, len(halves) // 20)]:
        best = {ids[place] for place in np.argsort(-(halves @ query), kind="stable")[:NEAR]}
        found = store.vectors.nearest("memory", query, Filters(current_at=NOW), NEAR)
        shares.append(len(best & {near.id for near in found}) / NEAR)
    return statistics.mean(shares)


def _server_cpu(store: PostgresStore, ask: Callable[[int], object]) -> float:
    """Return the median CPU time of the backend for one question, in milliseconds.

    The kernel counts it in hundredths of a second, so questions are measured ten at a time.
    """
    with store.reading(), store._database.raw() as connection:
        backend = psutil.Process(connection.info.backend_pid)
        spent = []
        for start in range(0, QUERIES, 10):
            before = _spent(backend)
            for place in range(start, start + 10):
                ask(place)
            spent.append((_spent(backend) - before) * 100)
    return statistics.median(spent)


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _write(dsn: str, count: int) -> tuple[float, int]:
    methods = multiprocessing.get_context("spawn")
    with methods.Pool(count) as pool:
        going = pool.starmap_async(_add_many, [(dsn, 100 * count + number) for number in range(count)])
        waited = _watch(dsn, going.ready)
        return sum(going.get()) / WRITE_S, waited


def _add_many(dsn: str, writer: int) -> int:
    store = PostgresStore.open(dsn, tenant="busy", project="shop", now=NOW)
    texts = notes(100_000, seed=writer)
    done, until = 0, time.monotonic() + WRITE_S
    while time.monotonic() < until:
        memory = a_memory(content=f"{writer} {done} {next(texts)}", id=_an_id(writer, done))
        with store.writing():
            store.audit.record(Event(action="add", actor="benchmark", at=NOW, ids=(memory.id,)))
            store.memories.insert([memory])
        done += 1
    store.close()
    return done


def _an_id(writer: int, number: int) -> str:
    return f"01a31600-0000-7000-8{writer:03d}-{number:012x}"


def _watch(dsn: str, over: Callable[[], bool]) -> int:
    waited = 0
    with psycopg.connect(dsn, autocommit=True) as connection:
        while not over():
            rows = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                "AND wait_event IN ('transactionid', 'tuple', 'advisory')"
            ).fetchone()
            waited += bool(rows and rows[0])
            time.sleep(0.02)
    return waited
