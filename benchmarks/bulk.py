"""What taking in many texts costs, as real commands: before vectors, and for their vectors, by sort of text.

    python -m benchmarks.bulk

Each sort of text is a file of its own: functions (CoSQA), messages of talk (LoCoMo), long messages (LongMemEval);
without that data (HOLDFAST_BENCH_DATA) made-up notes stand in for all. Every figure is of whole processes in fresh
projects: `holdfast import FILE --no-embed` less what an import of one entry takes; `holdfast reindex --pending` on
every core and on one, its model's loading included; a Python process that calls `add_many`, less one that adds a
single text; `holdfast ingest files --no-embed`, an entry being a section. Runs of the sorts take turns, and the
cheaper of two counts.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks import data
from benchmarks.texts import notes
from holdfast.embedding.minilm import FILES

ENTRIES = 2_000
EMBEDDED = 300
ROUNDS = 2
PROGRAM = str(Path(sys.executable).with_name("holdfast"))
ADDING = (
    "import json, sys; from holdfast import Holdfast\n"
    "texts = [json.loads(line)['content'] for line in open(sys.argv[1], encoding='utf-8')]\n"
    "with Holdfast.open('.') as memory: memory.add_many([{'content': text} for text in texts])\n"
)
"""More texts than an add embeds at once: they wait."""


class Cost(NamedTuple):
    """Milliseconds of a process."""

    cpu: float
    wall: float

    def an_entry(self, count: int, less: "Cost | None" = None) -> "Cost":
        """Share the cost out, but for what is paid once."""
        once = less or Cost(0, 0)
        return Cost((self.cpu - once.cpu) / count, (self.wall - once.wall) / count)


def main() -> None:
    """Print the figures."""
    for name, figure in run().items():
        print(f"{name:<66} {figure:9.3f}")


def run() -> dict[str, float]:
    """Measure every sort of text."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        sorts = {name: _file(Path(place), name, texts) for name, texts in sorts_of_text().items()}
        single = _file(Path(place), "single", ["One entry."])
        for name, file in sorts.items():
            figures[f"{name}: tokens an entry (median)"] = _tokens(file)
        costs: dict[str, list[Cost]] = {}
        for _ in range(ROUNDS):
            once = _imported(single), _added(single)
            for name, file in sorts.items():
                for what, cost in _measure(file, *once):
                    costs.setdefault(f"{name}: {what}", []).append(cost)
    for name, measured in costs.items():
        figures[f"{name}, ms CPU an entry"] = min(cost.cpu for cost in measured)
        figures[f"{name}, ms wall an entry"] = min(cost.wall for cost in measured)
    return figures


def sorts_of_text() -> dict[str, list[str]]:
    """Return the texts of each sort."""
    place = data.folder()
    if place is None:
        return {"notes": list(notes(ENTRIES))}
    talk = [said.text for corpus in data.locomo(place) for session in corpus.talks for said in session.turns]
    long = [said.text for session in data.longmemeval(place).talks for said in session.turns]
    sorts = {"functions": [code for _, code in data.cosqa(place).notes], "talk": talk, "long messages": long}
    return {name: list(dict.fromkeys(filter(str.strip, texts)))[:ENTRIES] for name, texts in sorts.items()}


def _measure(file: Path, import_once: Cost, add_once: Cost) -> Iterator[tuple[str, Cost]]:
    lines = file.read_text(encoding="utf-8").splitlines()
    yield "before vectors, import", _imported(file).an_entry(len(lines), import_once)
    yield "before vectors, add_many", _added(file).an_entry(len(lines), add_once)
    yield "before vectors, ingest files", _ingested([json.loads(line)["content"] for line in lines])
    few = file.with_suffix(".few.jsonl")
    few.write_text("\n".join(lines[:EMBEDDED]), encoding="utf-8")
    cores = sorted(os.sched_getaffinity(0))
    yield f"vectors, {len(cores)} cores", _embedded(few, cores).an_entry(EMBEDDED)
    yield "vectors, one core", _embedded(few, cores[:1]).an_entry(EMBEDDED)


def _imported(file: Path) -> Cost:
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        return _run(place, [PROGRAM, "import", str(file), "--no-embed"])


def _added(file: Path) -> Cost:
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        return _run(place, [sys.executable, "-c", ADDING, str(file)])


def _ingested(texts: Sequence[str]) -> Cost:
    """Read documents of 20 sections each, less what one costs that says nothing."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        once = _run(place, [PROGRAM, "ingest", "files", "--no-embed"])
        for start in range(0, len(texts), 20):
            sections = [
                f"# Section {start + place}\n\n{text}" for place, text in enumerate(texts[start : start + 20])
            ]
            Path(place, f"part{start}.md").write_text("\n\n".join(sections), encoding="utf-8")
        return _run(place, [PROGRAM, "ingest", "files", "--no-embed"]).an_entry(len(texts), once)


def _embedded(file: Path, cores: Sequence[int]) -> Cost:
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        _run(place, [PROGRAM, "import", str(file), "--no-embed"])
        return _run(place, [PROGRAM, "reindex", "--pending"], cores)


def _run(place: str, command: Sequence[str], cores: Sequence[int] = ()) -> Cost:
    """Run a command in a project of its own, without helpers in the background, and say what it cost."""
    homes = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"), f"{place}/.home")
    environment = {**os.environ, **homes, "HOLDFAST_EMBEDDING_BACKGROUND": "false"}
    Path(place, ".git").mkdir(exist_ok=True)
    before, begun = os.times(), time.perf_counter()
    done = subprocess.run(
        command,
        cwd=place,
        env=environment,
        capture_output=True,
        check=False,
        preexec_fn=(lambda: os.sched_setaffinity(0, cores)) if cores else None,
    )
    wall, after = time.perf_counter() - begun, os.times()
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.decode()}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(cpu * 1_000, wall * 1_000)


def _file(place: Path, name: str, texts: Sequence[str]) -> Path:
    file = place / f"{name.replace(' ', '-')}.jsonl"
    file.write_text("".join(json.dumps({"content": text}) + "\n" for text in texts), encoding="utf-8")
    return file


def _tokens(file: Path) -> float:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(FILES / "tokenizer.json"))
    lines = file.read_text(encoding="utf-8").splitlines()
    return median(len(row.ids) for row in tokenizer.encode_batch([json.loads(line)["content"] for line in lines]))


if __name__ == "__main__":
    main()
