"""One question to every project of this user."""

from pathlib import Path

import pytest

from tests.ingest.git.repositories import Repository
from tests.interfaces.cli.shell import Shell


@pytest.fixture
def other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    place = tmp_path / "other"
    Repository(place)
    return Shell(place, capsys)


def test_memories_of_all_projects_are_found_and_say_where_they_are_from(shell: Shell, other: Shell) -> None:
    shell.add("The rate limiter here is nginx.")
    other.add("The rate limiter is a token bucket in Redis.")
    other.add("Prefer rate limiters that count seconds", "--user")
    assert len(shell.json("search", "rate limiter")) == 2
    hits = shell.json("search", "rate limiter", "--all-projects")
    assert {hit["title"]: hit["place"] for hit in hits} == {
        "The rate limiter here is nginx": str(shell.project),
        "The rate limiter is a token bucket in Redis": str(other.project),
        "Prefer rate limiters that count seconds": None,
    }
    assert str(other.project) in shell("search", "token bucket", "--all-projects")
    assert "holdfast get ID --project DIR" in shell.err
    assert all("place" not in hit for hit in shell.json("search", "rate limiter"))


def test_a_project_without_memory_of_its_own_can_ask(shell: Shell, other: Shell) -> None:
    other.add("The rate limiter is a token bucket in Redis.")
    assert len(shell.json("search", "rate limiter", "--all-projects")) == 1
    assert not (shell.project / ".holdfast").exists()


def test_turns_and_sessions_are_found_too(shell: Shell, other: Shell) -> None:
    from holdfast import Holdfast

    with Holdfast.open(other.project) as memory:
        session = memory.start_session()
        session.record("user", "Why is the limiter a token bucket?")
        session.end()
    for within in ("turns", "sessions", "all"):
        hits = shell.json("search", "token bucket", "--within", within, "--all-projects")
        assert {hit["place"] for hit in hits} == {str(other.project)}
        assert shell.json("search", "token bucket", "--within", within) == []


def test_looking_changes_nothing_there(shell: Shell, other: Shell) -> None:
    other.add("The rate limiter is a token bucket in Redis.")
    folder = other.project / ".holdfast"
    before = {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}
    shell("search", "rate limiter", "--all-projects", "--mode", "hybrid")
    after = {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file() and "-" not in one.name}
    assert after == {name: raw for name, raw in before.items() if "-" not in name}
    assert other.json("stats")["counts"]["accesses"] == 0


def test_projects_that_are_gone_switched_off_or_not_this_users_are_left_out(
    shell: Shell, other: Shell, tmp_path: Path
) -> None:
    other.add("The rate limiter is a token bucket in Redis.")
    database = other.project / ".holdfast" / "memory.db"
    other("config", "set", "project.enabled", "false")
    assert shell.json("search", "rate limiter", "--all-projects") == []
    other("config", "set", "project.enabled", "true")
    assert len(shell.json("search", "rate limiter", "--all-projects")) == 1
    copy = tmp_path / "copy.db"
    copy.write_bytes(database.read_bytes())
    copy.replace(database)  # another file in the same place: anybody's
    assert shell.json("search", "rate limiter", "--all-projects") == []
    database.unlink()
    assert shell.json("search", "rate limiter", "--all-projects") == []


def test_one_scope_at_a_time(shell: Shell) -> None:
    shell("search", "x", "--user", "--all-projects", code=2)
    assert "--all-projects" in shell.err
