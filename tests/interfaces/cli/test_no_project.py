"""In a home, or at the root of the file system, no command makes a store unless a person says so."""

import shlex
from pathlib import Path

import pytest

from tests.interfaces.cli.shell import at_terminal, program

MAKING = ["add hello", "session start", "alias add a b", "ingest files", "watch --once", "share", "serve --port 0"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)
    return home


@pytest.mark.parametrize("line", [*MAKING, "slash '/remember hello'"])
def test_a_command_that_would_make_a_store_in_a_home_refuses(home: Path, line: str) -> None:
    done = program(*shlex.split(line))
    assert done.returncode == 2
    assert "is no project" in done.stderr
    assert "holdfast init" in done.stderr
    assert list(home.iterdir()) == []


def test_the_root_of_the_file_system_is_no_project_either(home: Path) -> None:
    done = program("add", "hello", "--project", "/")
    assert done.returncode == 2
    assert "/ is no project" in done.stderr


def test_who_sits_at_a_terminal_is_asked(home: Path) -> None:
    code, screen = at_terminal("add", "hello", keys="n\n")
    assert (code, "Keep memory there all the same?" in screen) == (130, True)
    assert not (home / ".holdfast").exists()
    code, screen = at_terminal("add", "hello", keys="y\n")
    assert (code, "Remembered as" in screen) == (0, True)
    assert (home / ".holdfast").exists()


def test_what_is_for_every_project_can_be_said_anywhere(home: Path) -> None:
    assert program("add", "Prefer small commits", "--user").returncode == 0
    assert "Prefer small commits" in program("list").stdout
    assert not (home / ".holdfast").exists()


def test_who_made_a_store_there_on_purpose_is_not_asked_again(home: Path) -> None:
    assert program("init").returncode == 0
    assert program("add", "hello").returncode == 0


def test_a_project_below_a_home_is_one(home: Path) -> None:
    (home / "shop").mkdir()
    assert program("add", "hello", "--project", "shop").returncode == 0
