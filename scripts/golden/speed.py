"""CPU time of whole processes over a bare interpreter's, on a store with 9,000 memories.

Every round runs each command once and the bare interpreter before each, of all checkouts in turn, so that a busy
machine slows all alike. A command's figure is the difference of medians, and beside it that of the quickest runs.
The real clock and real random bytes are used here; time limits are those of a user.
"""

import json
import os
import random
import statistics
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from scripts.golden.answers import Plain
from scripts.golden.checkout import Checkout, environment, run

MEMORIES, ROUNDS = 9_000, 15
TOLERANCE_MS = 10.0
COMMANDS = ("--version", "search", "add", "status", "recording hook", "brief hook")
_FILL = """
import json, sys
from holdfast import Holdfast
items = json.load(open(sys.argv[2]))
with Holdfast.open(sys.argv[1]) as memory:
    memory.add_many(items)
    memory.flush()
"""
_SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo zu shi tra".split()

Figures = dict[str, dict[str, float]]


def answers(checkout: Checkout, place: Path, rounds: int = ROUNDS) -> dict[str, Plain]:
    """Measure one checkout; return milliseconds by command."""
    [figures] = measure([checkout], place, rounds)
    return {name: {**values} for name, values in figures.items()}


def measure(
    checkouts: Sequence[Checkout], place: Path, rounds: int = ROUNDS, memories: int = MEMORIES
) -> list[Figures]:
    """Measure some checkouts in turn, each on a store that it made itself."""
    homes = [place / f"checkout-{number}" for number in range(len(checkouts))]
    for checkout, home in zip(checkouts, homes, strict=True):
        fill(checkout, home, memories)
    spent: list[dict[str, list[float]]] = [{name: [] for name in (*COMMANDS, "bare")} for _ in checkouts]
    turn = list(zip(checkouts, homes, spent, strict=True))
    for number in range(-2, rounds):  # the first two fill caches
        turn.reverse()
        for name in COMMANDS:
            for checkout, home, taken in turn:
                bare = _cpu_ms([checkout.python, "-c", "pass"], home, "")
                words, typed = command(checkout, home, name, number)
                took = _cpu_ms(words, home, typed)
                if number >= 0:
                    taken["bare"].append(bare)
                    taken[name].append(took)
    return [{name: _over_bare(taken[name], taken["bare"]) for name in COMMANDS} for taken in spent]


def fill(checkout: Checkout, home: Path, memories: int) -> None:
    """Make a store with vectors of the bundled model, and run each command once."""
    project = home / "project"
    project.mkdir(parents=True)
    (home / "home").mkdir()
    variables = _variables(home)
    subprocess.run(["git", "init", "-q", str(project)], check=True, env=variables)
    items = home / "items.json"
    items.write_text(json.dumps([{"content": text, "kind": "fact"} for text in notes(memories)]), encoding="utf-8")
    run([checkout.python, "-c", _FILL, str(project), str(items)], variables, project, check=True)
    for name in COMMANDS:
        words, typed = command(checkout, home, name, -3)
        run(words, variables, project, typed, check=True)


def command(checkout: Checkout, home: Path, name: str, number: int) -> tuple[list[str], str]:
    """Return the words of a command and what it reads from standard input."""
    program, hook = checkout.program("holdfast"), checkout.program("holdfast-hook")
    project = str(home / "project")
    where: dict[str, str] = {"session_id": f"session-{number}", "cwd": project, "prompt_id": f"prompt-{number}"}
    match name:
        case "search":
            return [program, "search", " ".join(questions(1)), "--project", project], ""
        case "add":
            text = f"The gateway bans clients that ask {number} times"
            return [program, "add", text, "--project", project], ""
        case "status":
            return [program, "status", "--project", project], ""
        case "recording hook":
            said = {"hook_event_name": "Stop", "last_assistant_message": next(iter(notes(1, seed=5)))}
            return [hook, "claude", "Stop"], json.dumps(where | said)
        case "brief hook":
            asked = f"What did we decide about {' '.join(next(iter(notes(1))).split()[:6])}"
            said = {"hook_event_name": "UserPromptSubmit", "prompt": asked}
            return [hook, "claude", "UserPromptSubmit"], json.dumps(where | said)
        case _:
            return [program, name], ""


def compare(old: Mapping[str, Plain], new: Mapping[str, Plain]) -> list[str]:
    """Return a line for each command that is slower than before by more than the tolerance."""
    lines = []
    for name in COMMANDS:
        before, after = old.get(name), new.get(name)
        if not isinstance(before, dict) or not isinstance(after, dict):
            lines.append(f"{name}: not measured in both")
            continue
        least = {moment: float(str(values["least"])) for moment, values in (("old", before), ("new", after))}
        if least["new"] > least["old"] + TOLERANCE_MS:
            lines.append(f"{name}: {least['old']:.1f} ms, now {least['new']:.1f} ms over bare Python")
    return lines


def notes(count: int, seed: int = 2) -> Iterable[str]:
    """Yield texts of 8 to 20 made-up words, frequent ones far more often than rare ones."""
    luck = random.Random(seed)
    words = _vocabulary()
    weights = [1 / (rank + 3) for rank in range(len(words))]
    total = list(_sums(weights))
    for _ in range(count):
        yield " ".join(luck.choices(words, cum_weights=total, k=luck.randint(8, 20)))


def questions(count: int, seed: int = 3) -> Iterable[str]:
    """Yield queries of six to eight ordinary words."""
    luck = random.Random(seed)
    ordinary = _vocabulary()[100:3_000]
    for _ in range(count):
        yield " ".join(luck.sample(ordinary, luck.randint(6, 8)))


def _sums(weights: Iterable[float]) -> Iterable[float]:
    total = 0.0
    for weight in weights:
        total += weight
        yield total


def _vocabulary() -> list[str]:
    luck = random.Random(1)
    words: dict[str, None] = {}
    while len(words) < 20_000:
        words["".join(luck.choices(_SYLLABLES, k=luck.randint(2, 4)))] = None
    return list(words)


def _over_bare(taken: Sequence[float], bare: Sequence[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(taken) - statistics.median(bare), 1),
        "least": round(min(taken) - min(bare), 1),
    }


def _variables(home: Path) -> dict[str, str]:
    variables = environment(home, shim=False)
    variables.pop("HOLDFAST_HOOK_PACE")
    return variables


def _cpu_ms(words: Sequence[str], home: Path, typed: str) -> float:
    """Run a process to its end; return the CPU milliseconds that it took, user and system."""
    typed_at = home / "typed"
    typed_at.write_text(typed, encoding="utf-8")
    with typed_at.open("rb") as source:
        process = subprocess.Popen(
            words,
            stdin=source,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_variables(home),
            cwd=home / "project",
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1_000
