"""holdfast as a memory system of sde-bench (vectorize-io/agent-memory-benchmark): ingest, and recall.

The runner asks a memory system for two things: take in what is known of projects (commits with a rationale,
written conventions, past conversations), and return the entries for a query. Here both go through the public API:
conversations are recorded and ended as sessions, commits and conventions are added as imported, and the brief of
`context` is recalled. One store holds all projects, so that the right one must be found among the others.
"""

import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from holdfast import Holdfast

BUDGET = 1_500
DAY = 86_400_000

Conversation = Sequence[Mapping[str, str]]


class HoldfastMemory:
    """What the runner calls: `ingest` once a project, `recall` once a task."""

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", home], check=True)
        self._home = home

    def ingest(self, repository: Path | None, conversations: Iterable[Conversation], name: str) -> None:
        """Take in a project: its conversations, oldest first, its history and its conventions."""
        with Holdfast.open(self._home) as memory:
            talks = list(conversations)
            for number, talk in enumerate(talks):
                _record(memory, talk, f"{name}/{number}", days_ago=len(talks) - number)
            for text in _rationales(repository) if repository else ():
                memory.add(text, kind="decision", source="git", trust="imported")
            for text in _conventions(repository) if repository else ():
                memory.add(text, kind="preference", source="conventions", trust="imported")
            memory.flush()

    def recall(self, query: str) -> str:
        """Return what an agent is told about a task; empty where nothing applies."""
        with Holdfast.open(self._home) as memory:
            return memory.context(query, budget=BUDGET, agent="claude-code").text


def _record(memory: Holdfast, talk: Conversation, ref: str, *, days_ago: int) -> None:
    at = time.time_ns() // 1_000_000 - days_ago * DAY
    with memory.start_session(agent="sde-bench", at=at, ref=ref) as session:
        for place, turn in enumerate(talk):
            session.record(turn["role"], turn["text"], at=at + place * 60_000, ref=f"{ref}:{place}")


def _rationales(repository: Path) -> list[str]:
    """Return the commits that say why."""
    log = ["git", "-C", str(repository), "log", "--format=%s%x1f%b%x1e"]
    done = subprocess.run(log, capture_output=True, text=True, check=True)
    commits = [chunk.strip().partition("\x1f") for chunk in done.stdout.split("\x1e")]
    return [f"{subject.strip()}: {' '.join(body.split())}" for subject, _, body in commits if body.strip()]


def _conventions(repository: Path) -> list[str]:
    """Return the sections of the written conventions."""
    path = repository / "CONVENTIONS.md"
    text = path.read_text("utf-8") if path.is_file() else ""
    return [" ".join(section.split()) for section in text.split("\n## ")[1:]]
