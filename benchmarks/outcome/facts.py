"""Share of the facts in the brief that a task's hidden tests need: `python -m benchmarks.outcome.facts`.

Each task of the decisions data names the policy that its hidden tests hold, as facts between semicolons. Its chats
are recorded among chats without any rule, and the real hook of a new session is asked with the bug report. A fact
is in the brief when its numbers and most of its content words are.

facts     share of all facts
complete  share of tasks of which every fact is there
"""

import json
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import data, decisions, hooked

MOST_WORDS = 0.6
"""The share of a fact's words that say it."""

_NUMBER = re.compile(r"\d+")


def main() -> None:
    """Print the figures."""
    place = data.folder()
    if place is None:
        sys.exit("No data: set HOLDFAST_BENCH_DATA to its directory (docs/benchmarks.md).")
    for name, value in run(place / "decisions", sys.stderr.write).items():
        sys.stdout.write(f"{name:<12}{value:8.3f}\n")


def run(place: Path, miss: Callable[[str], object] = lambda line: None) -> dict[str, float]:
    """Record the chats, ask for each task, and count facts."""
    policies = {
        str(one["task_id"]): facts_of(str(one["policy"]))
        for one in json.loads((place / "tasks_dev.json").read_text("utf-8"))
        if one.get("policy")
    }
    decoys = [one["turns"] for one in json.loads((place / "decoys_dev.json").read_text("utf-8"))]
    shares: list[float] = []
    counts = [0, 0]
    for name, group in zip(("plain", "amended"), decisions.tasks(place), strict=True):
        with tempfile.TemporaryDirectory() as folder, decisions.workplace(Path(folder)) as home:
            decisions.fill(home / name, name, group, decoys)
            for task in group:
                facts = policies.get(task.id, [])
                brief = hooked.on_prompt(home / name, task.prompt)
                told = [fact for fact in facts if is_told(fact, brief)]
                counts = [counts[0] + len(told), counts[1] + len(facts)]
                shares.append(len(told) / len(facts) if facts else 1.0)
                if len(told) < len(facts):
                    miss(f"{task.id}: not told: {[fact for fact in facts if fact not in told]}\n")
    return {
        "facts": counts[0] / counts[1] if counts[1] else 0.0,
        "complete": sum(share == 1 for share in shares) / len(shares) if shares else 0.0,
    }


def facts_of(policy: str) -> list[str]:
    """Return the facts of a policy."""
    return [part.strip() for part in policy.split(";") if part.strip()]


def is_told(fact: str, brief: str) -> bool:
    """Return whether a brief says a fact: all its numbers, and most of its words."""
    numbers: Sequence[str] = _NUMBER.findall(fact)
    has_numbers = all(number in _NUMBER.findall(brief) for number in numbers)
    return has_numbers and decisions.covered(fact, brief) >= MOST_WORDS


if __name__ == "__main__":
    main()
