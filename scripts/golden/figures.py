"""Figures of the checkout's own benchmarks on part of the data: talk, decisions and search quality."""

import json
from pathlib import Path

from scripts.golden.answers import Plain
from scripts.golden.checkout import Checkout, environment, run

TALK = ("odyash",)
NOTES = "40"
QUESTIONS = "60"


def answers(checkout: Checkout, place: Path, data: Path) -> dict[str, Plain]:
    """Run each benchmark in the checkout; return what it prints or writes."""
    variables = environment(place) | {"HOLDFAST_BENCH_DATA": str(data)}
    python = [checkout.python, "-m"]
    recorded: dict[str, Plain] = {}
    told = run([*python, "benchmarks.talk", *TALK], variables, checkout.folder, check=True)
    recorded |= _table("talk", told.out)
    target = place / "decisions.json"
    words = [*python, "benchmarks.decisions", "--questions", QUESTIONS, "--json", str(target)]
    run(words, variables, checkout.folder, check=True)
    recorded |= {f"decisions, {name}": value for name, value in json.loads(target.read_text()).items()}
    target = place / "quality.json"
    words = [*python, "benchmarks.quality", "--sets", "cosqa", "--modes", "keyword", "--json", str(target)]
    run(words, variables | {"HOLDFAST_EMBEDDING_MODEL": "none"}, checkout.folder, check=True)
    recorded |= {f"quality, {name}": value for name, value in json.loads(target.read_text()).items()}
    return recorded


def _table(name: str, text: str) -> dict[str, Plain]:
    """Read a table of a benchmark: a line for each set, and indented lines with a measure and its figure."""
    figures: dict[str, Plain] = {}
    part = ""
    for line in text.splitlines():
        if line.startswith("  "):
            measure, _, figure = line.strip().rpartition(" ")
            figures[f"{name}, {part}, {measure.strip()}"] = _number(figure)
        else:
            part = line.strip()
    return figures


def _number(figure: str) -> Plain:
    try:
        return float(figure)
    except ValueError:
        return figure
