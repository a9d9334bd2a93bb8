"""Starting the workers of the fault tests, and looking at a store's file from outside holdfast."""

import subprocess
import sys
from pathlib import Path

import apsw

from tests.hooking import HUNG_S

ROOT = Path(__file__).resolve().parents[2]

STOP = "stop"


def start(role: str, project: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start a worker; its promises are read from its standard output."""
    command = [sys.executable, "-m", "tests.faults.worker", role, str(project), *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(worker: subprocess.Popen[str], timeout: float = HUNG_S) -> list[str]:
    """Wait for a worker to end well; return the words it printed."""
    out, err = worker.communicate(timeout=timeout)
    assert worker.returncode == 0, err
    return out.split()


def tell_to_stop(project: Path) -> None:
    """Let the workers that go on until they are told end after their round."""
    (project / STOP).touch()


def told_to_stop(project: Path) -> bool:
    """Say whether a test wants its workers to end."""
    return (project / STOP).exists()


def database(project: Path) -> Path:
    """Return the path of a project's store."""
    return project / ".holdfast" / "memory.db"


def raw_bytes(project: Path) -> bytes:
    """Return every byte of a store's directory."""
    return b"".join(path.read_bytes() for path in sorted(database(project).parent.iterdir()) if path.is_file())


def inconsistencies(project: Path) -> list[str]:
    """Return what does not fit together in a store's file: pages, rows against index, rows against changes."""
    connection = apsw.Connection(str(database(project)))
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
    for table in ("memory", "turn"):
        check = f"INSERT INTO {table}_fts ({table}_fts, rank) VALUES ('integrity-check', 1)"
        try:
            list(connection.execute(check))
        except apsw.CorruptError as error:
            found.append(f"{table}_fts: {error}")
        rows = f"SELECT seq FROM {table}"
        logged = f"SELECT row FROM change WHERE target = '{table}' AND action != 'delete'"
        for one, other in ((rows, logged), (logged, rows)):
            missing = list(connection.execute(f"{one} EXCEPT {other}"))
            found.extend(f"{table} {row[0]}: row and change log differ" for row in missing)
    connection.close()
    return found


def stored_ids(project: Path) -> set[str]:
    """Return the ids of all memories in a store's file."""
    connection = apsw.Connection(str(database(project)))
    ids = {str(row[0]) for row in connection.execute("SELECT id FROM memory")}
    connection.close()
    return ids
