"""While pip works, `make` says what it is at: on a terminal in one line, in a log in a few."""

import errno
import io
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from scripts import environment, user_install
from scripts.environment import LOG_S, REWRITE, Failed, Progress, step_of
from tests.conftest import FakeClock


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def seconds() -> FakeClock:
    return FakeClock(0)


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("  Installing build dependencies: started\n", "preparing: what builds it"),
        ("Collecting hf-xet<2.0.0,>=1.6.0 (from huggingface-hub)\n", "fetching: hf-xet"),
        ("Processing /wheels/mcp_types-2.3.0-py3-none-any.whl (from holdfast)\n", "fetching: mcp_types"),
        ("  Downloading apsw-3.54.1.0-cp311-linux.whl (3.7 MB)\n", "fetching: apsw, 3.7 MB"),
        ("  Building editable for holdfast (pyproject.toml): started\n", "building: holdfast"),
        ("Installing collected packages: click, apsw, holdfast\n", "unpacking: 3 packages"),
        ("WARNING: Location 'file:///nowhere/' is ignored\n", ""),
        ("", ""),
    ],
)
def test_a_line_of_pip_says_what_it_is_at(line: str, step: str) -> None:
    assert step_of(line) == step


def test_a_terminal_sees_one_line_that_changes(seconds: FakeClock) -> None:
    out = Terminal()
    progress = Progress(".venv", out, seconds.now)
    progress.show("fetching: apsw, 3.7 MB")
    seconds.advance(2)
    progress.show("fetching: click")
    progress.end("ready")
    assert out.getvalue().split(REWRITE) == [
        "",
        ".venv: fetching apsw, 3.7 MB (0 s)",
        ".venv: fetching click (2 s)",
        ".venv: ready (2 s)\n",
    ]


def test_a_log_gets_a_line_for_each_stage_and_now_and_then_one_more(seconds: FakeClock) -> None:
    out = io.StringIO()
    progress = Progress(".venv", out, seconds.now)
    for name in ("apsw", "click", "mcp"):
        progress.show(f"fetching: {name}")
    seconds.advance(LOG_S)
    progress.show("fetching: numpy")
    progress.show("unpacking: 4 packages")
    progress.end("ready")
    assert out.getvalue().splitlines() == [
        ".venv: fetching apsw (0 s)",
        f".venv: fetching numpy ({LOG_S} s)",
        f".venv: unpacking 4 packages ({LOG_S} s)",
        f".venv: ready ({LOG_S} s)",
    ]


def test_where_pip_fails_all_that_it_said_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the environment that is there already is used: making one takes longer than anything else here."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    os.symlink(Path(sys.executable).parent, tmp_path / "bin", target_is_directory=True)
    out = io.StringIO()
    with pytest.raises(Failed, match="No matching distribution found for no-such-package-of-anybody"):
        environment.install(tmp_path, ["no-such-package-of-anybody"], out)
    assert out.getvalue().splitlines()[-1].startswith(f"{tmp_path}: failed (")


def test_where_the_system_has_no_whole_venv_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's Python without python3-venv has no module that puts pip into an environment."""
    absent = [sys.executable, "-m", "ensurepip_that_is_missing"]
    monkeypatch.setattr(
        venv.EnvBuilder, "_setup_pip", lambda *_: subprocess.check_output(absent, stderr=subprocess.STDOUT)
    )
    out = io.StringIO()
    with pytest.raises(
        Failed, match=r"No module named ensurepip(.|\n)*apt install python3-venv, or use uv or pipx"
    ):
        environment.install(tmp_path / "environment", ["click"], out)
    assert out.getvalue().splitlines()[-1].startswith(f"{tmp_path}/environment: failed (")


def test_what_cannot_be_taken_out_of_the_agents_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Or the entries in their files would name a program that is gone."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    program = environment.programs(user_install.environment_place()) / "holdfast"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 11\n", encoding="utf-8")
    program.chmod(0o755)
    assert user_install.main(["uninstall"]) == 1
    assert "Nothing was removed" in capsys.readouterr().err
    assert program.exists()


def test_an_environment_that_is_still_written_into_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that was started from it puts bytecode into a folder that was emptied a moment ago."""
    cache = tmp_path / "environment" / "__pycache__"
    cache.mkdir(parents=True)
    waiting = ["one.pyc", "two.pyc"]
    remove_folder = os.rmdir

    def written_into(path: str, **options: int) -> None:
        if os.path.basename(path) == "__pycache__" and waiting:
            (cache / waiting.pop()).touch()
        remove_folder(path, **options)

    monkeypatch.setattr(os, "rmdir", written_into)
    pauses: list[float] = []
    user_install.remove(tmp_path / "environment", pauses.append)
    assert not (tmp_path / "environment").exists()
    assert pauses == [user_install.PAUSE_S] * 2


def test_removing_an_environment_gives_up_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "environment").mkdir()

    def never_empty(path: str, **options: int) -> None:
        raise OSError(errno.ENOTEMPTY, "Directory not empty", path)

    monkeypatch.setattr(os, "rmdir", never_empty)
    pauses: list[float] = []
    with pytest.raises(OSError, match="Directory not empty"):
        user_install.remove(tmp_path / "environment", pauses.append)
    assert len(pauses) == user_install.TRIES
