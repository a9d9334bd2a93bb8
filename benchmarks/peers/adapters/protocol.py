"""What every adapter speaks: a JSON object a line on standard input, one back on standard output.

    {"do": "open", "place": "DIR"}                       a folder of its own, which may hold what was added before
    {"do": "add", "entries": [{"id": …, "text": …}]}     turns also have a session, a speaker and a time
    {"do": "settle"}                                     come back when all that was added is found in every way
    {"do": "search", "query": "…", "limit": 10}          → "ids", the best first
    {"do": "sessions", "query": "…", "limit": 10}        → "ids" of sessions, or null where there is no such search
    {"do": "texts"}                                      → "texts", all that is there
    {"do": "close"}                                      the last one

Every answer has the seconds that it took ("wall", "cpu"), those of the process so far ("total_cpu") and its memory
in bytes ("resident", "peak"). An "error" takes the place of a result. Runs in a peer's environment: nothing is
imported here that Python does not bring. What a peer prints goes to standard error.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

Result = dict[str, object]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to keep. What was said in a session also has its speaker and its time, in milliseconds."""

    id: str
    text: str
    session: str = ""
    speaker: str = ""
    at: int = 0

    @property
    def line(self) -> str:
        """What a memory without speakers keeps."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


class PeerMemory(Protocol):
    """A memory, as the benchmark uses it."""

    def open(self, place: Path) -> None:
        """Import what is needed and open the store in a folder."""

    def add(self, entries: Sequence[Entry]) -> None:
        """Keep entries."""

    def settle(self) -> None:
        """Wait until everything that was added is found in every way."""

    def search(self, query: str, limit: int) -> list[str]:
        """Return the ids of the entries that answer best."""

    def sessions(self, query: str, limit: int) -> list[str] | None:
        """Return the ids of the sessions that answer best, where the memory searches those itself."""

    def texts(self) -> list[str]:
        """Return everything that is kept."""

    def close(self) -> None:
        """Let go of the store."""


class WithoutSessions:
    """What a memory does that knows rows alone, and is ready when `add` returns."""

    def settle(self) -> None:
        """Nothing is left to be done."""

    def sessions(self, query: str, limit: int) -> list[str] | None:
        """Have none."""
        return None


def serve(memory: PeerMemory) -> None:
    """Answer line by line until the memory is closed, or nobody asks any more."""
    answers = _own_output()
    for line in sys.stdin:
        request = json.loads(line)
        answers.write(json.dumps(_answer(memory, request)) + "\n")
        answers.flush()
        if request["do"] == "close":
            return


def _own_output() -> TextIO:
    """Keep standard output for answers, and let everything else that prints have standard error."""
    sys.stdout.flush()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _answer(memory: PeerMemory, request: Mapping[str, object]) -> Result:
    wall, cpu = time.perf_counter(), _cpu()
    try:
        result = _result(memory, request)
    except Exception as problem:  # whatever a peer raises is its result
        result = {"error": f"{type(problem).__name__}: {problem}"}
    result |= {"wall": time.perf_counter() - wall, "cpu": _cpu() - cpu}
    return result | {"total_cpu": _cpu()} | _sizes()


def _result(memory: PeerMemory, request: Mapping[str, object]) -> Result:
    match request["do"]:
        case "open":
            memory.open(Path(str(request["place"])))
        case "add":
            memory.add(_entries(request["entries"]))
        case "settle":
            memory.settle()
        case "search":
            return {"ids": memory.search(*_question(request))}
        case "sessions":
            return {"ids": memory.sessions(*_question(request))}
        case "texts":
            return {"texts": memory.texts()}
        case "close":
            memory.close()
        case unknown:
            return {"error": f"nobody knows how to do {unknown!r}"}
    return {}


def _entries(rows: object) -> list[Entry]:
    return [Entry(**row) for row in rows] if isinstance(rows, list) else []


def _question(request: Mapping[str, object]) -> tuple[str, int]:
    return str(request["query"]), int(str(request["limit"]))


def _cpu() -> float:
    """Return the CPU seconds of this process and of those it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _sizes() -> dict[str, int]:
    """Return the memory that the process has and had at most; what it has only where the system says so.

    The system's own count of the most goes on from the program that started this one, hence /proc first.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        unit = 1 if sys.platform == "darwin" else 1024
        return {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit}
    lines = dict(line.split(":", 1) for line in status.read_text("ascii").splitlines())
    return {
        name: int(lines[field].split()[0]) * 1024 for name, field in (("peak", "VmHWM"), ("resident", "VmRSS"))
    }
