"""How much one machine serves: many clients at once over real sockets, four reads for every write.

The load comes from this process, which shares the machine with the server; what the server itself needs is told by
its CPU time a request. Run as `python -m benchmarks.server`; `--soak` holds a load for ten minutes, `--postgres`
keeps memory in a database, started here from the package that the tests use, with fsync on.
"""

import argparse
import asyncio
import contextlib
import functools
import itertools
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

import holdfast.embedding.minilm
from holdfast.model.actor import LOCAL
from holdfast.model.requests import Draft
from holdfast.model.search import Filters
from holdfast.storage import postgres
from holdfast.storage.open import open_service
from holdfast.storage.tenancy import own_tenant, tokens
from tests.postgres.server import running

MEMORIES, CLIENTS, SECONDS = 50_000, 100, 30
SOAK_SECONDS = 600
WARM_SECONDS = 8
CHUNK = 2_000
MIX = (("search", 40), ("get", 15), ("list", 15), ("brief", 10), ("add", 17), ("update", 3))
"""What is asked, in percent: 80 reads, 20 writes."""

_TICKS = os.sysconf("SC_CLK_TCK")
_WORDS = re.compile(r"[a-z]{4,9}")


@functools.cache  # a hundred clients read it once: what the machine does before the load is no part of it
def words() -> list[str]:
    """Return ordinary English words: those that the bundled model has as a whole."""
    file = Path(holdfast.embedding.minilm.__file__).parent / "tokenizer.json"
    vocabulary = json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]
    return [word for word in vocabulary if _WORDS.fullmatch(word)][:8_000]


class Talk:
    """What clients say: notes and questions whose words are as frequent as in real texts."""

    def __init__(self, seed: int) -> None:
        self._luck = random.Random(seed)
        self._words = words()
        self._weights = list(itertools.accumulate(1 / (rank + 20) for rank in range(len(self._words))))

    def text(self, least: int, most: int) -> str:
        """Return some words."""
        return " ".join(
            self._luck.choices(self._words, cum_weights=self._weights, k=self._luck.randint(least, most))
        )

    def operation(self) -> str:
        """Return what to ask next."""
        names, shares = zip(*MIX, strict=True)
        return str(self._luck.choices(names, weights=shares)[0])

    def part_of(self, seconds: float) -> float:
        """Return some of a time."""
        return self._luck.random() * seconds

    def one_of(self, ids: Sequence[str]) -> str:
        """Return one of some ids."""
        return self._luck.choice(ids)


def fill(directory: Path, count: int) -> list[str]:
    """Fill a project's memory; return the ids of some of it."""
    service, talk = open_service(directory, actor="benchmark", embed_on_add=False), Talk(1)
    try:
        there = service.stats().counts.memories
        while there < count:
            drafts = [Draft(content=talk.text(8, 16), kind="fact") for _ in range(min(CHUNK, count - there))]
            service.add_many(drafts)
            there += len(drafts)
            print(f"\rfilling: {there:,} of {count:,}", end="", file=sys.stderr, flush=True)
        service.flush(lambda done: None)
        print(file=sys.stderr)
        return [memory.id for memory in service.list(Filters(), 2_000)]
    finally:
        service.close()


# ── the load ─────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class Tally:
    """What came of the requests."""

    took: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)

    def note(self, operation: str, status: int, seconds: float) -> None:
        """Count one answer."""
        self.took.setdefault(operation, []).append(seconds)
        self.statuses[status] += 1


class Client:
    """One client with one connection, as light as it can be: the machine is the server's."""

    def __init__(self, port: int, token: str, seed: int, ids: Sequence[str]) -> None:
        self._head = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        self._port = port
        self._talk = Talk(seed)
        self._ids = list(ids)

    async def run(self, tally: Tally, until: float, pause: float) -> None:
        """Ask one thing after another until a moment, with a pause between; not all clients at the same moment."""
        await asyncio.sleep(self._talk.part_of(pause))
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        while time.monotonic() < until:
            operation = self._talk.operation()
            began = time.monotonic()
            writer.write(self._request(operation))
            status = await _answered(reader)
            tally.note(operation, status, time.monotonic() - began)
            if pause:
                await asyncio.sleep(max(0.0, pause - (time.monotonic() - began)))
        writer.close()

    def _request(self, operation: str) -> bytes:
        talk, some = self._talk, self._talk.one_of(self._ids)
        match operation:
            case "search":
                return self._post("/api/search", {"query": talk.text(3, 7)})
            case "brief":
                return self._post("/api/context", {"prompt": talk.text(6, 12), "budget": 1_000})
            case "add":
                return self._post("/api/memories", {"content": talk.text(8, 16)})
            case "update":
                return self._write("PATCH", f"/api/memories/{some}", {"tags": [talk.text(1, 1)]})
            case "list":
                return self._write("GET", "/api/memories?limit=20", None)
            case _:
                return self._write("GET", f"/api/memories/{some}", None)

    def _post(self, path: str, body: dict[str, object]) -> bytes:
        return self._write("POST", path, body)

    def _write(self, method: str, path: str, body: dict[str, object] | None) -> bytes:
        text = json.dumps(body) if body is not None else ""
        kind = f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n" if text else ""
        return f"{method} {path} HTTP/1.1\r\n{self._head}{kind}\r\n{text}".encode()


async def _answered(reader: asyncio.StreamReader) -> int:
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    if length:
        await reader.readexactly(int(length[1]))
    return int(head.split(b" ", 2)[1])


async def load(port: int, held: Sequence[str], ids: Sequence[str], seconds: float, pause: float = 0.0) -> Tally:
    """Let every client ask for so long."""
    tally = Tally()
    clients = [Client(port, token, 100 + place, ids) for place, token in enumerate(held)]
    until = time.monotonic() + seconds
    await asyncio.gather(*(client.run(tally, until, pause) for client in clients))
    return tally


async def load_beside_a_greedy_one(
    port: int, held: Sequence[str], ids: Sequence[str], seconds: float, connections: int
) -> Tally:
    """The same while one more token asks over so many connections; what came of that is printed apart."""
    greedy = [_token(LOCAL)] * connections
    tally, greedy_tally = await asyncio.gather(load(port, held, ids, seconds), load(port, greedy, ids, seconds))
    count = sum(map(len, greedy_tally.took.values()))
    print(f"  one token over {connections} connections: {count / seconds:.1f}/s {dict(greedy_tally.statuses)}")
    print(f"  each of {len(held)} others: {sum(map(len, tally.took.values())) / seconds / len(held):.1f}/s")
    return tally


# ── the server ───────────────────────────────────────────────────────────────────────────────────────────────────


class Server:
    """`holdfast serve` as a process of its own."""

    def __init__(self, directory: Path, database: int | None = None) -> None:
        program = Path(sys.executable).with_name("holdfast")
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the server
        self._directory = directory
        self._database = psutil.Process(database) if database else None
        self.process = subprocess.Popen(
            [program, "serve", "--port", "0"],
            cwd=directory,
            stderr=self._log,
            env={**os.environ, "HOLDFAST_SERVER_CONCURRENCY": "10000"},
        )
        self.port = self._address()

    async def ready(self, held: Sequence[str], ids: Sequence[str]) -> None:
        """Ask until it has loaded what it needs."""
        await load(self.port, held, ids, WARM_SECONDS)

    def _address(self) -> int:
        for _ in range(600):
            self._log.seek(0)
            found = re.search(r"http://127\.0\.0\.1:(\d+)", self._log.read())
            if found:
                return int(found[1])
            time.sleep(0.1)
        raise RuntimeError("the server did not start")

    def processes(self) -> list[int]:
        """Return the processes of the server."""
        own = self.process.pid
        parents = {int(path.parent.name): _stat(path)[1] for path in Path("/proc").glob("[0-9]*/stat")}
        return [own, *(pid for pid, parent in parents.items() if int(parent) == own)]

    def usage(self) -> dict[str, float]:
        """Return CPU seconds, memory, descriptors and the size of the write-ahead log."""
        pids = self.processes()
        ticks = [sum(map(int, _stat(Path(f"/proc/{pid}/stat"))[11:13])) for pid in pids]
        resident = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids]
        wal = self._directory / ".holdfast" / "memory.db-wal"
        return {
            "cpu": sum(ticks) / _TICKS,
            "database": self._database_cpu(),
            "rss": sum(resident) * os.sysconf("SC_PAGE_SIZE") / 1_048_576,
            "descriptors": sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in pids),
            "wal": wal.stat().st_size / 1_048_576 if wal.exists() else 0.0,
        }

    def _database_cpu(self) -> float:
        """Return the CPU seconds of the database's processes, those that ended included."""
        if self._database is None:
            return 0.0
        ended = self._database.cpu_times()
        alive = [ended.user, ended.system, ended.children_user, ended.children_system]
        for process in self._database.children():
            with contextlib.suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                alive += [times.user, times.system]
        return float(sum(alive))

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(30)
        self._log.close()


def _stat(path: Path) -> list[str]:
    try:
        return path.read_text().rpartition(")")[2].split()
    except OSError:
        return ["", "0", *["0"] * 20]


# ── the table ────────────────────────────────────────────────────────────────────────────────────────────────────


def show(tally: Tally, seconds: float, before: dict[str, float], after: dict[str, float]) -> None:
    """Print what came of it."""
    every = sorted(itertools.chain.from_iterable(tally.took.values()))
    print(f"{len(every) / seconds:8.0f} requests/s   load average {os.getloadavg()[0]:.1f}")
    for name, took in [("all", every), *((name, sorted(one)) for name, one in sorted(tally.took.items()))]:
        marks = " ".join(f"p{mark} {_share(took, mark) * 1000:7.1f} ms" for mark in (50, 95, 99))
        print(f"  {name:7} {len(took):7,}  {marks}  mean {statistics.fmean(took) * 1000:7.1f} ms")
    print(f"  statuses {dict(tally.statuses)}")
    print(f"  server CPU {(after['cpu'] - before['cpu']) / max(1, len(every)) * 1000:.2f} ms a request")
    if after["database"]:
        spent = (after["database"] - before["database"]) / max(1, len(every))
        print(f"  database CPU {spent * 1000:.2f} ms a request")
    for name in ("rss", "descriptors", "wal"):
        print(f"  {name}: {before[name]:.0f} -> {after[name]:.0f}")


def _share(took: Sequence[float], percent: int) -> float:
    return took[min(len(took) - 1, len(took) * percent // 100)]


def soak(server: Server, held: Sequence[str], ids: Sequence[str], seconds: float, rate: float) -> None:
    """Hold a load and tell every minute what the server uses."""
    pause = len(held) / rate
    for minute in _minutes(seconds):
        before = server.usage()
        tally = asyncio.run(load(server.port, held, ids, minute, pause))
        show(tally, minute, before, server.usage())


def _minutes(seconds: float) -> Iterator[float]:
    while seconds > 0:
        yield min(60.0, seconds)
        seconds -= 60.0


def main() -> None:
    """Fill a store, serve it, ask it, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.server", description=__doc__)
    parser.add_argument("--memories", type=int, default=MEMORIES)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--seconds", type=float, help="how long (default: 30, or ten minutes of soaking)")
    parser.add_argument("--place", type=Path, help="a folder to fill once and use again")
    parser.add_argument(
        "--soak", type=float, metavar="RATE", help="hold this many requests a second, and tell each minute"
    )
    parser.add_argument("--greedy", type=int, metavar="CONNECTIONS", help="let one more token ask over so many")
    parser.add_argument("--postgres", action="store_true", help="keep memory in a database")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as fresh, contextlib.ExitStack() as stack:
        place = asked.place or Path(fresh)
        os.environ["HOLDFAST_DATA_HOME"] = os.environ["HOLDFAST_CONFIG_HOME"] = str(place / "data")
        project = place / "project"
        project.mkdir(parents=True, exist_ok=True)
        database = None
        if asked.postgres:
            started = stack.enter_context(running({"fsync": "on", "shared_buffers": "512MB"}))
            os.environ |= {"HOLDFAST_STORE_URL": started.dsn, "HOLDFAST_STORE_TENANT": "acme"}
            database = started.pid
        ids = fill(project, asked.memories)
        if asked.postgres:
            postgres.build_graphs(started.dsn)  # as `holdfast prune --all-tenants` does from a timer
        held = [_token(own_tenant(project)) for _ in range(asked.clients)]
        server = Server(project, database)
        stack.callback(server.stop)
        asyncio.run(server.ready(held, ids))
        if asked.soak:
            soak(server, held, ids, asked.seconds or SOAK_SECONDS, asked.soak)
            return
        before = server.usage()
        seconds = asked.seconds or SECONDS
        if asked.greedy:
            crowd = load_beside_a_greedy_one(server.port, held, ids, seconds, asked.greedy)
        else:
            crowd = load(server.port, held, ids, seconds)
        tally = asyncio.run(crowd)
        show(tally, seconds, before, server.usage())


def _token(tenant: str) -> str:
    return tokens().create(name="load", tenant=tenant, scope="write", project=None, expires=None, now=0)[1]


if __name__ == "__main__":
    main()
