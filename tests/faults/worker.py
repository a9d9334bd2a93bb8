"""Programs that the fault tests start, watch and kill. Each prints a line for every write it was promised.

Started as `python -m tests.faults.worker ROLE PROJECT …`.
"""

import json
import sys
from pathlib import Path

from holdfast import Holdfast
from holdfast.embedding.hashing import Hashing
from holdfast.model.search import Filters
from holdfast.stores.sqlite.connection import SCHEMA_VERSION
from holdfast.stores.sqlite.migrate import migrations
from holdfast.stores.sqlite.store import Care, SqliteStore
from tests.faults.processes import told_to_stop

LEAST_ROUNDS = 5
"""What a reader does at least, however soon the writers have ended."""

SECOND_STEP = (
    SCHEMA_VERSION + 1,
    "CREATE TABLE slow (n INTEGER PRIMARY KEY, t TEXT);"
    "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000) "
    "INSERT INTO slow SELECT n, hex(randomblob(50)) FROM numbers;"
    "ALTER TABLE memory ADD COLUMN extra TEXT NOT NULL DEFAULT 'x';",
)
"""A made-up second version of the schema: it takes a moment, and changes two things that must change together."""


def write_count(project: Path, name: str, count: int) -> None:
    """Add so many entries."""
    with Holdfast.open(project) as memory:
        for number in range(count):
            print(
                memory.add(f"Writer {name} notes fact number {number} about the queue", kind="fact").id, flush=True
            )


def write_forever(project: Path, name: str) -> None:
    """Add entries, some in bulk, some replacing others, until killed."""
    number = 0
    with Holdfast.open(project) as memory:
        before = None
        while True:
            text = f"Process {name} settled rule {number} for moduleNumber{number % 7}"
            if number % 5 == 4:
                items = [{"content": f"{text} in bulk, item {item}"} for item in range(20)]
                ids = [added.id for added in memory.add_many(items)]
            else:
                ids = [memory.add(text, supersedes=before, kind="decision").id]
                before = ids[0] if number % 2 else None
            print(" ".join(str(one) for one in ids), flush=True)
            number += 1


def hold_session(project: Path) -> None:
    """Hold one long session, all of it, going on where an earlier run was killed; say so when it has ended."""
    with Holdfast.open(project) as memory:
        session = memory.start_session(ref="run")
        for place, (role, text) in enumerate(long_chat()):
            print(session.record(role, text, at=1_700_000_000_000 + place, ref=str(place)).id, flush=True)
        session.end()
        print("ended", flush=True)


def long_chat() -> list[tuple[str, str]]:
    """Return the labelled chats of the tests as one conversation."""
    lines = (Path(__file__).parents[1] / "data" / "chats.jsonl").read_text(encoding="utf-8").splitlines()
    return [(role, text) for line in lines for role, text in json.loads(line)["turns"]][:70]


def churn(project: Path, name: str, count: int) -> None:
    """Add so many entries, change some and forget some."""
    with Holdfast.open(project) as memory:
        mine: list[str] = []
        for number in range(count):
            added = memory.add(
                f"{name} zeta{name}x{number} settled omega{number * 7}q{name} for module{number % 5}"
            )
            mine.append(str(added.id))
            if number % 4 == 3:
                memory.update(mine[-2], content=f"{name} anew kappa{number}v{name} about module{number % 5}")
            if number % 9 == 8:
                memory.forget(mine.pop(0))
            print(added.id, flush=True)


def compare_nearest(project: Path) -> None:
    """Compare what is near with what is there, in one transaction, until told to stop; print how often."""
    rounds = checked = 0
    store = SqliteStore.open(project / ".holdfast" / "memory.db", project="x", now=1)
    embedder = Hashing()
    while rounds < LEAST_ROUNDS or not told_to_stop(project):
        with store.reading():
            rows = {memory.id: memory for memory in store.memories.newest(Filters(), 40)}
            waiting = {one.id for one in store.vectors.unembedded("memory", 100_000)}
            for memory in rows.values():
                vector = embedder.embed_query(memory.content)
                near = {one.id: one.cosine for one in store.vectors.nearest("memory", vector, Filters(), 5)}
                if memory.id not in waiting and near.get(memory.id, 0) < 0.99:
                    raise SystemExit(f"missed {memory.content!r}: {near}")
                if missing := set(near) - {one.id for one in store.memories.get(list(near))}:
                    raise SystemExit(f"found what is gone: {missing}")
                checked += memory.id not in waiting
        rounds += 1
    store.close()
    print(rounds, checked, flush=True)


def read(project: Path) -> None:
    """Search, list and read until told to stop; print how often."""
    rounds = 0
    with Holdfast.open(project) as memory:
        while rounds < LEAST_ROUNDS or not told_to_stop(project):
            hits = memory.search("fact number queue", limit=5)
            memory.get([hit.id for hit in hits])
            memory.list(limit=5)
            rounds += 1
    print(rounds, flush=True)


def migrate(project: Path) -> None:
    """Open the store with a migration that takes its time; print the version it then has."""
    store = bring_up(project, Care(migrations=[*migrations(), SECOND_STEP]))
    print(store.state().schema, flush=True)
    store.close()


def bring_up(project: Path, care: Care) -> SqliteStore:
    """Open a project's store with the made-up step."""
    return SqliteStore.open(project / ".holdfast" / "memory.db", project="p", now=1, care=care)


def main() -> None:
    """Play the role named on the command line."""
    role, project, *rest = sys.argv[1:]
    match role:
        case "write_count":
            write_count(Path(project), rest[0], int(rest[1]))
        case "write_forever":
            write_forever(Path(project), rest[0])
        case "hold_session":
            hold_session(Path(project))
        case "churn":
            churn(Path(project), rest[0], int(rest[1]))
        case "compare_nearest":
            compare_nearest(Path(project))
        case "read":
            read(Path(project))
        case "migrate":
            migrate(Path(project))
        case _:
            raise SystemExit(f"no role {role!r}")


if __name__ == "__main__":
    main()
