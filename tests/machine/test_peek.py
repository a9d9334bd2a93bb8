"""A look into a store's file lets go of no lock that a connection of the same process has."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.machine import disk
from tests.hooking import HUNG_S

OTHER_PROGRAM = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
for (title,) in connection.execute("SELECT title FROM memory ORDER BY seq").fetchall():
    print(title)
connection.close()
"""


def locked(database: Path) -> bool:
    """Say whether this process has a lock on a file."""
    file = f":{database.stat().st_ino} "
    lines = Path("/proc/locks").read_text().splitlines()
    return any(file in line and f" {os.getpid()} " in line for line in lines)


def titles_for_another(database: Path) -> list[str]:
    """Return what another program reads in a store, with the SQLite that Python has."""
    command = [sys.executable, "-c", OTHER_PROGRAM, str(database)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=HUNG_S)
    return done.stdout.splitlines()


def open_handles(database: Path) -> int:
    """Count the handles that this process has of a file."""
    return sum(
        os.path.samefile(entry, database) for entry in Path("/proc/self/fd").iterdir() if os.path.exists(entry)
    )


def test_who_opens_a_store_twice_keeps_the_locks_of_the_first(project: Path) -> None:
    database = project / ".holdfast" / "memory.db"
    with Holdfast.open(project) as first:
        first.add("Deploy on Tuesdays")
        with Holdfast.open(project):
            pass
        assert locked(database)
        first.add("Never on Fridays")
    assert open_handles(database) == 0


def test_another_program_with_an_old_sqlite_takes_no_log_away_that_is_written_to(project: Path) -> None:
    """Python's own may be such a one: it closes as the last, unless it sees the locks of others."""
    database = project / ".holdfast" / "memory.db"
    with Holdfast.open(project) as first:
        first.add("Deploy on Tuesdays")
        with Holdfast.open(project):
            pass
        assert titles_for_another(database) == ["Deploy on Tuesdays"]
        first.add("Never on Fridays")
        assert titles_for_another(database) == ["Deploy on Tuesdays", "Never on Fridays"]


def test_a_mark_is_found_wherever_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "_CHUNK", 4)
    file = tmp_path / "file"
    for before in range(9):
        file.write_bytes(b"." * before + b"mark" + b"." * 3)
        assert disk.holds_bytes(file, b"mark")
        assert disk.holds_bytes(file, b"mark", most=before + 3) is False
        assert not disk.holds_bytes(file, b"other")
    file.write_bytes(b"")
    assert not disk.holds_bytes(file, b"mark")
