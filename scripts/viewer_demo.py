"""A small shop's memory, some weeks old, for the pictures and the tests of the viewer: by the public API alone."""

import subprocess
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast import Holdfast

STORY: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
HOUR = 3_600_000
DAY = 24 * HOUR
BETWEEN_TURNS = HOUR // 20


def make_project(directory: Path) -> None:
    """Make a checkout with a few files, so that memories can be about them."""
    for name, text in STORY["files"].items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _git(directory, "init", "--quiet", "--initial-branch", "main")
    _git(directory, "remote", "add", "origin", "https://git.example/acme/shop.git")
    _git(directory, "add", ".")
    _git(directory, "commit", "--quiet", "--message", "The shop")


def fill(directory: Path) -> None:
    """Fill its memory: weeks of notes, sessions of three agents, what they were told; then a file changes."""
    now = time.time_ns() // 1_000_000
    with Holdfast.open(directory) as memory:
        for entry in STORY["memory"]:
            _remember(memory, entry, now)
        for session in STORY["session"]:
            _talk(memory, session, now)
        _use(memory)
        memory.flush()
    (directory / "src/queue.py").write_text("def enqueue(job, priority): ...\n", encoding="utf-8")


def _remember(memory: Holdfast, entry: Mapping[str, Any], now: int) -> None:
    fields = {name: entry[name] for name in ("content", "kind", "files", "tags", "importance") if name in entry}
    whose = {"trust": "agent", "source": entry["by"]} if "by" in entry else {"trust": "user"}
    memory.add(**fields, **whose, at=now - int(entry["days"] * DAY))


def _talk(memory: Holdfast, told: Mapping[str, Any], now: int) -> None:
    began = now - int(told["hours"] * HOUR)
    session = memory.start_session(told["agent"], at=began)
    memory.context(agent=told["agent"], session=session.id)
    memory.context(told["prompt"], agent=told["agent"], session=session.id)
    for number, (role, text) in enumerate(told["turns"]):
        session.record(role, text, at=began + number * BETWEEN_TURNS, tool="Bash" if role == "tool" else None)
    if "fork" in told:
        session.checkpoint()
        session.fork().record("user", told["fork"])
    else:
        session.end()


def _use(memory: Holdfast) -> None:
    """Say what a decision is about and that it is current, fetch it as an agent does, and pin another."""
    [queue, *_] = memory.search("job queue Postgres channel per priority", within="memories")
    [change] = [conflict for conflict in memory.conflicts() if conflict.second == queue.id]
    memory.resolve(change.id, keep=queue.id)
    memory.update(queue.id, files=["src/queue.py"], tags=["queue"], trust="user")
    [money, *_] = memory.search("money is an integer in cents", within="memories")
    memory.get([queue.id, money.id])
    memory.pin(money.id)


def _git(directory: Path, *words: str) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    subprocess.run(["git", *identity, *words], cwd=directory, check=True, capture_output=True)
