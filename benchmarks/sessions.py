"""What a session costs while it grows: time a turn, and memory of the process.

    python -m benchmarks sessions
    python -m benchmarks.sessions [TURNS]

One session, its turns taken from the project's own labelled chats and numbered, so that no two are the same; every
tenth is a tool call. Reported for the first and for the last tenth; checkpoints are part of it, and the end of the
session is timed by itself.
"""

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.data import ROOT
from holdfast import Holdfast

TURNS = 20_000

Figures = dict[str, float]


def main() -> None:
    """Print the figures."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    for name, figure in run(turns).items():
        print(f"{name:<60} {figure:10.3f}")


def run(turns: int = TURNS) -> Figures:
    """Record so many turns in one session."""
    os.environ["HOLDFAST_EMBEDDING_MODEL"] = "none"
    chats = (ROOT / "tests" / "data" / "chats.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [(role, text) for line in chats for role, text in json.loads(line)["turns"]]
    with tempfile.TemporaryDirectory() as place:
        os.environ["HOLDFAST_DATA_HOME"] = str(Path(place) / "data")
        project = Path(place) / "project"
        project.mkdir()
        with Holdfast.open(project) as memory:
            return _measure(memory, texts, turns)


def _measure(memory: Holdfast, texts: list[tuple[str, str]], turns: int) -> Figures:
    session = memory.start_session(agent="bench")
    tenth = turns // 10
    costs: list[float] = []
    waits: list[float] = []
    sizes: list[int] = []
    for number in range(10):
        started, busy = time.perf_counter(), time.process_time()
        for place in range(number * tenth, (number + 1) * tenth):
            role, text = texts[place % len(texts)]
            if place % 10 == 9:
                session.record("tool", f"run {place}: ok", tool="Edit", files=[f"src/file{place}.py"])
            else:
                session.record(role, f"{text} ({place})")
        costs.append((time.process_time() - busy) * 1000 / tenth)
        waits.append((time.perf_counter() - started) * 1000 / tenth)
        sizes.append(_resident())
    started = time.perf_counter()
    session.end()
    ended = time.perf_counter() - started
    return {
        "turns": float(turns),
        "CPU ms a turn, first tenth": costs[0],
        "CPU ms a turn, median tenth": sorted(costs)[5],
        "CPU ms a turn, last tenth": costs[-1],
        "ms a turn on the clock, median tenth": sorted(waits)[5],
        "resident MB after the first tenth": sizes[0] / 1024,
        "resident MB after the last tenth": sizes[-1] / 1024,
        "resident MB at the most, end included": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "seconds to end the session": ended,
        "memories promoted": float(len(memory.list(100_000))),
    }


def _resident() -> int:
    """Return the resident size of this process in KB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


if __name__ == "__main__":
    main()
