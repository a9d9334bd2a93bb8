"""Pausing on the command line; what switches memory off at all is tested with `switch`."""

from pathlib import Path

import pytest

from tests.interfaces.cli.shell import Shell


def test_a_pause_stops_writing_and_not_reading(shell: Shell) -> None:
    short = shell.add("Kept from before")
    assert shell("pause") == "Memory is off: it is paused for this project. `holdfast pause off` goes on.\n"
    for words in (("add", "x"), ("init",), ("pin", short), ("forget", short, "--yes"), ("session", "start")):
        assert shell(*words, code=7) == ""
        assert "`holdfast pause off` goes on" in shell.err
    assert short in shell("search", "kept")
    assert shell("pause", "off") == "Memory is on.\n"
    shell.add("x")


def test_a_pause_everywhere_is_named_as_such(shell: Shell) -> None:
    state = shell.json("pause", "--all")
    assert state == {
        "root": str(shell.project),
        "off": True,
        "reason": "it is paused everywhere. `holdfast pause off --all` goes on.",
    }
    assert "paused everywhere" in shell("pause", "off")
    assert shell("pause", "off", "--all") == "Memory is on.\n"


def test_init_makes_no_store_while_memory_is_off(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_DISABLE", "1")
    shell("init", code=7)
    shell("add", "x", code=7)
    assert "HOLDFAST_DISABLE is set" in shell.err
    assert list(shell.project.iterdir()) == []


def test_a_repository_opts_out_and_its_owner_opts_in_again(shell: Shell, project: Path) -> None:
    shell("config", "set", "project.enabled", "false")
    shell("add", "x", code=7)
    assert "project.enabled is false" in shell.err
    shell("config", "set", "project.enabled", "true")
    shell.add("x")


def test_nothing_is_indexed_or_embedded_while_memory_is_off(shell: Shell) -> None:
    shell.add("Jobs go through Redis")
    shell("pause")
    database = shell.project / ".holdfast" / "memory.db"
    before = [file.read_bytes() for file in (database, database.with_name("memory.db-wal")) if file.exists()]
    for arguments in (["reindex"], ["reindex", "--pending"]):
        shell(*arguments, code=7)
    assert "Redis" in shell("search", "jobs redis", "--mode", "hybrid")
    after = [file.read_bytes() for file in (database, database.with_name("memory.db-wal")) if file.exists()]
    assert after == before
