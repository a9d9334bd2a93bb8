"""Whether a decision that only the history holds is found again, and what reading a history costs.

    python -m benchmarks.history [--show]

- *History tasks* (HOLDFAST_BENCH_DATA, decisions/tasks_*.json): for each, a repository is made whose log holds 150
  real commits, the commit of the decision, 150 more, and the misleading one that broke it. After `ingest git` the
  bug report is asked, of a search and of a brief. A brief tells the decision when it shows its subject.
- *Cost*: CPU seconds for 5,000 commits without embedding, and for the second run.

The real commits come from the repository in HOLDFAST_BENCH_HISTORY (any clone will do), else from this one; where
it has fewer, they come again.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from benchmarks.data import ROOT, missing, part
from holdfast.ingest.git import Commit, commit_ids, commits
from holdfast.ingest.history import Bounds, History
from holdfast.model.ingest import GitIngested
from holdfast.model.requests import BriefRequest, SearchRequest
from holdfast.service.service import Service
from holdfast.storage.open import open_service

AROUND = 150
MANY = 5_000
BRIEF = 5
HOUR_MS = 3_600_000
START = 1_700_000_000_000

Task = dict[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """Where the decision stood among what was found, and whether the brief told it."""

    task: str
    rank: int | None
    briefed: bool


def main() -> None:
    """Print the figures."""
    for name, figure in run(show="--show" in sys.argv[1:]).items():
        print(f"{name:<40} {figure:8.2f}")


def run(*, show: bool = False) -> dict[str, float]:
    """Measure everything there is data for."""
    figures = {}
    answers = list(tasks())
    for one in answers if show else ():
        print(f"{one.task:<44} {one.rank or '-':>2} {'in the brief' if one.briefed else 'not in the brief'}")
    for within in (1, 3, BRIEF) if answers else ():
        found = sum(one.rank is not None and one.rank <= within for one in answers)
        figures[f"history tasks ({len(answers)}), decision within {within}"] = float(found)
    if answers:
        figures[f"history tasks ({len(answers)}), decision in the brief"] = float(
            sum(one.briefed for one in answers)
        )
    else:
        print(missing("decisions"))
    return figures | cost()


def tasks() -> Iterator[Answer]:
    """Ask each history task of a repository of its own."""
    place = part("decisions")
    real = real_commits(2 * AROUND)
    for file in sorted(place.glob("tasks_*.json")) if place else ():
        for task in json.loads(file.read_text(encoding="utf-8")):
            if task.get("decision_subject"):
                yield asked(task, real)


def asked(task: Task, real: list[Commit]) -> Answer:
    """Ingest a task's repository and ask for its decision."""
    decision = told(task["decision_subject"], task["decision_rationale"], task["module"])
    broken = told(task["cause_subject"], "", task["module"])
    with repository([*real[:AROUND], decision, *real[AROUND:], broken]) as folder, memory_of(folder) as service:
        ingest(service, folder)
        service.flush()
        hits = service.search(SearchRequest(query=task["bug_report"], limit=20))
        titles = [hit.title for hit in hits]
        subject = next((title for title in titles if title[:60] == task["decision_subject"][:60]), None)
        brief = " ".join(service.context(BriefRequest(prompt=task["bug_report"])).text.split())
        briefed = " ".join(task["decision_subject"].split())[:60] in brief
        return Answer(task["task_id"], titles.index(subject) + 1 if subject else None, briefed)


def cost() -> dict[str, float]:
    """Measure the CPU time of reading many commits, twice."""
    with repository(real_commits(MANY)) as folder, memory_of(folder) as service:
        figures = {}
        for name in (f"CPU s, {MANY:,} commits", "CPU s, second run"):
            before = time.process_time()
            done = ingest(service, folder)
            figures[name] = time.process_time() - before
        figures["new in the second run"] = done.evidence + done.memories
    return figures


def ingest(service: Service, folder: Path) -> GitIngested:
    """Read a repository's history, as the command does."""
    history = History(service, folder, "main")
    ids, known = history.unread(Bounds())
    return history.ingest(ids, known, lambda done: None)


def real_commits(number: int) -> list[Commit]:
    """Return commits that people made, the same ones again where there are too few."""
    source = Path(os.environ.get("HOLDFAST_BENCH_HISTORY", ROOT))
    found = list(commits(source, commit_ids(source, number, None)))
    again = itertools.islice(itertools.cycle(found), number)
    return [one if place < len(found) else repeated(one, place) for place, one in enumerate(again)]


def repeated(commit: Commit, number: int) -> Commit:
    """Return a commit that says nearly the same."""
    return replace(commit, message=f"{commit.subject} (again, {number})\n\n{commit.body}")


def told(subject: str, body: str, file: str) -> Commit:
    """Make a commit of a task."""
    return Commit(
        id="", at=0, author="Ada <ada@example.com>", message=f"{subject}\n\n{body}".strip(), files=(file,)
    )


@contextmanager
def repository(made: Iterable[Commit]) -> Iterator[Path]:
    """Make a repository with these commits, an hour apart."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        folder = Path(place)
        subprocess.run(["git", "init", "-q", "-b", "main", place], check=True)
        stream = b"".join(_written(commit, number) for number, commit in enumerate(made))
        subprocess.run(["git", "-C", place, "fast-import", "--quiet"], input=stream, check=True)
        yield folder


def _written(commit: Commit, number: int) -> bytes:
    """Write a commit as fast-import reads it."""
    at = (START + number * HOUR_MS) // 1000
    message = commit.message.encode()
    lines = [b"commit refs/heads/main", b"committer %s %d +0000" % (commit.author.encode(), at)]
    lines += [b"data %d" % len(message), message]
    for file in commit.files[:20] or ("notes.txt",):
        body = f"{number}\n".encode()
        lines += [b"M 100644 inline " + json.dumps(file).encode(), b"data %d" % len(body), body]
    return b"\n".join(lines) + b"\n"


@contextmanager
def memory_of(folder: Path) -> Iterator[Service]:
    """Open a project's memory, with the user's own kept out."""
    os.environ["HOLDFAST_DATA_HOME"] = str(folder / ".data")
    service = open_service(folder, actor="bench", embed_on_add=False)
    try:
        yield service
    finally:
        service.close()


if __name__ == "__main__":
    main()
