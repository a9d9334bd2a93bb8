"""Upkeep in full size: run by `make soak`. The small versions are in test_limits and test_survival."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.model.ids import new_id
from holdfast.model.search import Filters
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, a_memory, keep
from tests.upkeep.bulky import Precious, fill, surviving
from tests.upkeep.survival import assert_everything_survives

MB = 1_048_576
PEAK_MB = 256

PROGRAM = """
import json, re, sys
from pathlib import Path
from holdfast.model.upkeep import StoreLimits
from holdfast.service.scopes import Scopes
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.service.upkeep import UpkeepOptions, UpkeepRunner

class Clock:
    def now(self):
        return int(sys.argv[2])

store = SqliteStore.open(Path(sys.argv[1]), project="soak", now=int(sys.argv[2]))
options = UpkeepOptions(StoreLimits(max_bytes=int(sys.argv[3])), "soak")
done = UpkeepRunner(Scopes(store), Clock(), options).cleanup()
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
print(json.dumps({"turns": done.turns, "gone": len(done.gone), "used": done.bytes_after, "peak": peak}))
store.close()
"""


def built(path: Path) -> Precious:
    """Make the store."""
    store = SqliteStore.open(path, project="soak", now=NOW)
    precious = fill(store, 520 * MB)
    store.close()
    return precious


def traffic(path: Path, act: Callable[[SqliteStore, int], None], stop: threading.Event) -> list[float]:
    """Do something over and over on a connection of its own until told to stop; return how long each took."""
    store = SqliteStore.open(path, project="soak", now=NOW)
    took: list[float] = []
    while not stop.is_set():
        began = time.monotonic()
        act(store, len(took))
        took.append(time.monotonic() - began)
        stop.wait(0.05)
    store.close()
    return took


def read(store: SqliteStore, number: int) -> None:
    from holdfast.text.words import terms_of

    with store.reading():
        store.turns.match(terms_of("ba1 co2 du3"), Filters(), 20)
        store.memories.newest(Filters(current_at=NOW), 20)


def write(store: SqliteStore, number: int) -> None:
    keep(
        store,
        a_memory(id=new_id(NOW), content=f"said meanwhile {number} {threading.get_ident()}", kind="decision"),
    )


@pytest.mark.soak
def test_520_megabytes_end_below_425_while_others_read_and_write(tmp_path: Path) -> None:
    """Decisions, pinned, the active session and evidence stay; memory is bounded; nobody waits for seconds."""
    path = tmp_path / "memory.db"
    precious = built(path)
    stop = threading.Event()
    took: dict[str, list[float]] = {}

    def go(name: str, act: Callable[[SqliteStore, int], None]) -> None:
        took[name] = traffic(path, act, stop)

    others = [threading.Thread(target=go, args=one) for one in (("read", read), ("write", write))]
    for one in others:
        one.start()
    began = time.monotonic()
    command = [sys.executable, "-c", PROGRAM, str(path), str(NOW), str(500 * MB)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1_800)
    lasted = time.monotonic() - began
    stop.set()
    for one in others:
        one.join()
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    after = SqliteStore.open(path, project="soak", now=NOW)
    figures = {
        "seconds": round(lasted),
        **told,
        "file": os.path.getsize(path) / MB,
        **{f"{name}s": len(each) for name, each in took.items()},
        **{f"slowest {name}": round(max(each), 2) for name, each in took.items()},
    }
    print(figures)
    assert after.upkeep.used() < 425 * MB
    assert surviving(after, precious) == (0, 0)
    assert len(after.memories.newest(Filters(contains="said meanwhile"), 100_000)) == len(took["write"])
    health = after.upkeep.health()
    assert health.indexed == health.rows
    after.close()
    assert os.path.getsize(path) < 430 * MB
    assert told["peak"] < PEAK_MB
    assert max(took["write"]) < 5
    assert min(map(len, took.values())) > 100


@pytest.mark.soak
def test_imports_in_full_size_survive_upkeep_under_defaults(project: Path) -> None:
    assert_everything_survives(project, functions=6_267, commits=5_000, notes=100_000)
