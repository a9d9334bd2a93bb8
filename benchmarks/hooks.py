"""What an agent waits for: whole hook processes beside a bare interpreter's, with 10,000 memories, 100,000 turns.

Wall time; every hook runs in turn with `python -I -S -c pass`, so that a noisy machine slows both. Bytecode is
cached and warm, as after an installation. Each figure is the difference between the percentiles of the hook and
of the bare interpreter. On a busy machine wall time is mostly waiting for others, so beside it stand the quickest
run, against the quickest of the bare interpreter, and CPU time. Every memory and every turn has a vector, of the
bundled model's shape: what a brief does with them takes as long whatever they mean.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np

from benchmarks.texts import notes, questions
from holdfast.agents import spool
from holdfast.embedding.static import SPACE
from holdfast.model.ids import new_id
from holdfast.model.requests import Draft
from holdfast.model.session import Turn
from holdfast.model.vectors import MEMORY, TURN, VectorModel
from holdfast.ports import Store
from holdfast.storage.open import open_for_spool

MEMORIES, TURNS, SESSION = 10_000, 100_000, 100
ROUNDS, PINNED = 200, 3
DIMENSIONS, EMBEDDED_AT_ONCE = 384, 5_000
ROLES = ("user", "assistant")
AIMS = {"capture": (40.0, 80.0), "brief": (120.0, 250.0)}
"""Milliseconds over the bare interpreter: half of all runs, and 95 of 100."""

Figures = dict[str, float]
Spent = tuple[float, float]
WALL, CPU = 0, 1
PROGRAM = str(Path(sys.executable).with_name("holdfast-hook"))


def run(rounds: int = ROUNDS, memories: int = MEMORIES, turns: int = TURNS) -> Figures:
    """Measure capture and brief."""
    with tempfile.TemporaryDirectory() as place:
        for name in ("HOLDFAST_DATA_HOME", "HOLDFAST_CONFIG_HOME"):
            os.environ[name] = str(Path(place) / "own")
        os.environ["HOLDFAST_EMBEDDING_MODEL"] = "none"  # vectors are put in as they are
        os.environ["HOLDFAST_CAPTURE_AUTO"] = "false"  # filling the store is not what is measured
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        project = Path(place) / "project"
        project.mkdir()
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        _remember(project, memories, turns)
        return _measure(project, rounds)


def show(figures: Figures, out: TextIO) -> None:
    """Print the figures beside the aims."""
    out.write(f"{MEMORIES:,} memories, {TURNS:,} turns; milliseconds of wall time over `python -I -S -c pass`\n")
    for name, value in figures.items():
        aim = AIMS.get(name.partition(",")[0])
        wanted = "" if aim is None else f"  aim {aim[name.endswith('p95')]:5.0f}"
        out.write(f"  {name:<48} {value:8.1f}{wanted}\n")


def _remember(project: Path, memories: int, turns: int) -> None:
    service, store = open_for_spool(project)
    added = service.add_many([Draft(content=text, kind="fact") for text in notes(memories)])
    for one in added[:PINNED]:
        service.pin(str(one.id))
    said = notes(turns, seed=7)
    at = time.time_ns() // 1_000_000
    for number in range(turns // SESSION):
        session = service.start_session(agent="bench", ref=f"bench:{number}")
        with store.writing():
            store.turns.insert(
                [
                    Turn(id=new_id(at), session=session.id, role=ROLES[place % 2], text=text, at=at)
                    for place, text in enumerate(islice(said, SESSION))
                ]
            )
    _embed(store)
    service.close()


def _embed(store: Store) -> None:
    """Give every row a vector of unit length, always the same."""
    model = VectorModel(name=SPACE, dimensions=DIMENSIONS)
    luck = np.random.default_rng(11)
    with store.writing():
        store.vectors.switch(model)
    for target in (MEMORY, TURN):
        while rows := store.vectors.unembedded(target, EMBEDDED_AT_ONCE):
            vectors = luck.standard_normal((len(rows), 1, DIMENSIONS), np.float32)
            vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
            with store.writing():
                ids = {row.id: vector for row, vector in zip(rows, vectors, strict=True)}
                store.vectors.put(target, model, ids, {row.id: row.mark for row in rows})
    store.vectors.settle()


def _measure(project: Path, rounds: int) -> Figures:
    bare: list[Spent] = []
    spent: dict[str, list[Spent]] = {}
    commands = list(_commands(project, rounds))
    for number in range(-3, rounds):  # the first ones fill caches
        _drained(project)
        for name, event, payload in commands:
            begun = _timed([sys.executable, "-I", "-S", "-c", "pass"], b"")
            took = _timed([PROGRAM, "claude", event], _filled(payload, number))
            if number >= 0:
                bare.append(begun)
                spent.setdefault(name, []).append(took)
    figures = {f"bare python p{share}": _percentile(bare, WALL, share) for share in (50, 95)}
    figures["bare python, quickest"] = min(bare)[WALL]
    for name, times in spent.items():
        for share in (50, 95):
            over = _percentile(times, WALL, share) - _percentile(bare, WALL, share)
            figures[f"{name}, over bare p{share}"] = over
        figures[f"{name}, quickest over quickest"] = min(times)[WALL] - min(bare)[WALL]
        for share in (50, 95):
            over = _percentile(times, CPU, share) - _percentile(bare, CPU, share)
            figures[f"CPU of {name}, over bare p{share}"] = over
    return figures


def _drained(project: Path) -> None:
    """Remove what waits: nobody leaves hundreds of sessions undrained."""
    for path in Path(spool.folder_of(str(project))).glob("*.open"):
        path.unlink()


def _commands(project: Path, rounds: int) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield what is measured: a name, the event, and a payload."""
    where: dict[str, object] = {"session_id": "session-N", "cwd": str(project), "prompt_id": "prompt-N"}
    output = "\n".join(islice(notes(200, seed=3), 40))
    call = {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "call-N"}
    known = " ".join(next(notes(1)).split()[:6])
    yield "capture, a reply", "Stop", where | {"last_assistant_message": next(notes(1, seed=5))}
    yield "capture, a tool's 10 KB", "PostToolUse", where | call | {"tool_response": {"stdout": output}}
    later = where | {"session_id": "one", "prompt": next(questions(1))}
    yield "capture, a later prompt", "UserPromptSubmit", later
    yield "brief, a session's start", "SessionStart", where | {"source": "startup"}
    yield "brief, a first prompt", "UserPromptSubmit", where | {"prompt": f"What did we decide about {known}"}


def _filled(payload: dict[str, object], number: int) -> bytes:
    """Give every run a session, a prompt and a call of its own."""
    return json.dumps(payload).replace("-N", f"-{number}").encode()


def _timed(command: list[str], payload: bytes) -> Spent:
    """Run a process and return the milliseconds it took: on the clock, and of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    subprocess.run(command, input=payload, stdout=subprocess.DEVNULL, check=True)
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1_000, (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1_000


def _percentile(times: list[Spent], part: int, share: int) -> float:
    return statistics.quantiles([one[part] for one in times], n=100, method="inclusive")[share - 1]


if __name__ == "__main__":
    show(run(), sys.stdout)
