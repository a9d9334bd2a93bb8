"""What a command costs from start to end: CPU time of whole processes over a bare interpreter's.

Each command runs in turn with `python -c pass`, so that a noisy machine slows both. Bytecode is cached and warm,
as it is for a person's second command.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TextIO

from benchmarks.texts import notes, questions
from holdfast.interfaces.python import Holdfast

ENTRIES = 10_000
ROUNDS = 31

Figures = dict[str, float]
Command = tuple[str, list[str]]


def run() -> Figures:
    """Measure every command."""
    with tempfile.TemporaryDirectory() as place:
        os.environ["HOLDFAST_DATA_HOME"] = os.environ["HOLDFAST_CONFIG_HOME"] = place
        project = Path(place) / "project"
        project.mkdir()
        with Holdfast.open(project) as memory:
            memory.add_many([{"content": text, "kind": "fact"} for text in notes(ENTRIES)])
        return measure(commands(project))


def commands(project: Path) -> list[Command]:
    """Return what is measured, by name."""
    program = str(Path(sys.executable).with_name("holdfast"))
    where = ["--project", str(project)]
    question = next(questions(1))
    return [
        ("bare python", [sys.executable, "-c", "pass"]),
        ("holdfast --version", [program, "--version"]),
        ("holdfast --help", [program, "--help"]),
        ("holdfast config get", [program, "config", "get", "search.floor", *where]),
        ("holdfast list", [program, "list", *where]),
        ("holdfast search, 6-8 words", [program, "search", question, *where]),
        ("holdfast add", [program, "add", "The gateway bans clients that ask {number} times", *where]),
        ("holdfast status", [program, "status", *where]),
    ]


def measure(named: list[Command]) -> Figures:
    """Run all commands in turn, many times; return the CPU milliseconds of each over the bare interpreter."""
    spent: dict[str, list[float]] = {name: [] for name, _ in named}
    for number in range(ROUNDS + 1):
        for name, words in named:
            taken = cpu([word.format(number=number) for word in words])
            if number:  # the first round warms the caches
                spent[name].append(taken)
    bare = spent.pop("bare python")
    figures = {"bare python: ms CPU, median": statistics.median(bare) * 1000}
    for name, values in spent.items():
        over = [value - base for value, base in zip(values, bare, strict=True)]
        figures[f"{name}: ms CPU over bare, median"] = statistics.median(over) * 1000
        figures[f"{name}: ms CPU over bare, least"] = (min(values) - min(bare)) * 1000
    return figures


def cpu(words: list[str]) -> float:
    """Run a process to its end; return the CPU seconds it took."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return usage.ru_utime + usage.ru_stime


def show(figures: Figures, out: TextIO) -> None:
    """Print the figures."""
    out.write(f"whole processes on {ENTRIES:,} entries, {ROUNDS} rounds, in turn with a bare interpreter\n")
    for name, value in figures.items():
        out.write(f"  {name:<60} {value:8.1f}\n")
