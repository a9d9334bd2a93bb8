"""The database of claude-mem is read by project, and nothing in it is run."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import apsw
import pytest

from holdfast.errors import StoreDamaged, UnusableFile
from holdfast.ingest.bundle import ImportLimits, Part, on_disk
from holdfast.ingest.import_entries import format_of
from holdfast.ingest.other_tools import read_claude_mem
from holdfast.model.requests import Draft
from holdfast.storage.ingest import read_table
from tests.ingest.imports.readers import a_part, drafts, left

AT = 1_760_000_000_000
SCHEMA = """
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, project TEXT);
CREATE TABLE observations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT, project TEXT NOT NULL, text TEXT, type TEXT,
  title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
  created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE session_summaries (
  id INTEGER PRIMARY KEY AUTOINCREMENT, project TEXT NOT NULL, request TEXT, investigated TEXT, learned TEXT,
  completed TEXT, next_steps TEXT, notes TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE directives (
  id INTEGER PRIMARY KEY AUTOINCREMENT, project TEXT, content TEXT NOT NULL, status TEXT NOT NULL,
  created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
"""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[apsw.Connection]:
    """A database of that tool, with two projects in it."""
    connection = apsw.Connection(str(tmp_path / "claude-mem.db"))
    connection.execute(SCHEMA)
    observed: dict[str, str | int] = {
        "project": "shop",
        "type": "decision",
        "title": "Queue on Postgres",
        "subtitle": "instead of Redis",
        "narrative": "Jobs are queued in Postgres.",
        "facts": json.dumps(["LISTEN/NOTIFY wakes workers", "Jobs are queued in Postgres."]),
        "concepts": '["trade-off"]',
        "files_read": '["a.py", "b.py"]',
        "files_modified": '["b.py"]',
        "created_at": "x",
        "created_at_epoch": AT,
    }
    insert(connection, "observations", observed)
    insert(connection, "observations", {**observed, "project": "other", "narrative": "Other things"})
    insert(connection, "observations", {**observed, "type": "gotcha", "facts": "not json", "narrative": "Old row"})
    insert(
        connection,
        "session_summaries",
        {
            "project": "shop",
            "request": "Fix login",
            "learned": "It was the cookie",
            "next_steps": "Deploy",
            "created_at": "x",
            "created_at_epoch": AT // 1000,
        },
    )
    for status in ("active", "archived"):
        rule = {"content": f"Be brief ({status})", "status": status, "created_at": "x", "created_at_epoch": AT}
        insert(connection, "directives", rule)
    yield connection
    connection.close()


def insert(connection: apsw.Connection, table: str, row: Mapping[str, str | int]) -> None:
    """Put one row into a table."""
    names = ", ".join(row)
    connection.execute(
        f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})",
        tuple(row.values()),
    )


@pytest.fixture
def part(database: apsw.Connection, tmp_path: Path) -> Part:
    return on_disk(tmp_path / "claude-mem.db", "claude-mem.db", ImportLimits())


def test_observations_summaries_and_active_directives_of_the_project_are_read(part: Part) -> None:
    assert format_of(part) == "claude-mem"
    first, second, summary, rule = drafts(read_claude_mem(part, read_table, "shop"))
    assert first == Draft(
        content="Jobs are queued in Postgres.\n- LISTEN/NOTIFY wakes workers",
        kind="decision",
        title="Queue on Postgres",
        context="instead of Redis",
        tags=("trade-off",),
        files=("b.py", "a.py"),
        source="import:claude-mem.db",
        metadata={"claude_mem": {"observation": 1}},
        at=AT,
    )
    assert (second.kind, second.content) == (None, "Old row")
    assert summary.content == "Request: Fix login\nLearned: It was the cookie\nNext steps: Deploy"
    assert (summary.kind, summary.at) == ("observation", AT)
    assert (rule.kind, rule.content) == ("preference", "Be brief (active)")
    assert left(read_claude_mem(part, read_table, "shop")) == {"not active there": 1}


def test_another_project_or_all_of_them_can_be_chosen(part: Part) -> None:
    contents = [one.content for one in drafts(read_claude_mem(part, read_table, "shop", only="other"))]
    assert contents[0].startswith("Other things")
    assert len(drafts(read_claude_mem(part, read_table, "shop", only="*"))) == 5


def test_a_project_that_is_not_there_is_asked_about(part: Part) -> None:
    with pytest.raises(UnusableFile, match=r"has nothing on 'elsewhere'. Choose with --only: other, shop"):
        list(read_claude_mem(part, read_table, "elsewhere"))


def test_the_only_project_there_is_needs_no_choosing(database: apsw.Connection, part: Part) -> None:
    database.execute("DELETE FROM observations WHERE project = 'other'")
    assert len(drafts(read_claude_mem(part, read_table, "elsewhere"))) == 4


def test_a_view_in_place_of_a_table_is_refused(database: apsw.Connection, part: Part) -> None:
    """Reading it would run what its maker wrote."""
    database.execute("DROP TABLE directives; CREATE VIEW directives AS SELECT 1 AS id, 'x' AS content")
    with pytest.raises(StoreDamaged, match="directives is a view"):
        list(read_claude_mem(part, read_table, "shop"))


def test_a_database_inside_an_archive_is_refused() -> None:
    with pytest.raises(UnusableFile, match="Unpack it first"):
        list(read_claude_mem(a_part("x.db", b"SQLite format 3\x00"), read_table, "shop"))
