"""The program as a process: signals, pipes, exit codes, broken surroundings."""

import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from holdfast import Holdfast
from holdfast.interfaces.cli.main import COMMANDS, run
from tests.hooking import HUNG_S
from tests.interfaces.cli.shell import PROGRAM, program

INTERRUPTED = "holdfast: interrupted; what was acknowledged is kept"


def test_the_program_tells_its_version() -> None:
    done = program("--version")
    assert (done.returncode, done.stdout.split()[0], done.stderr) == (0, "holdfast", "")


def test_a_closed_pipe_ends_the_program_quietly(project: Path) -> None:
    """Whatever holds more than a pipe does, which is 64 KiB."""
    with Holdfast.open(project) as memory:
        memory.add_many([{"content": f"Note number {number} {'x' * 60}"} for number in range(1_000)])
    for line in ("list --limit 1000", "export"):
        pipe = f'"{PROGRAM}" {line} --project "{project}" | head -1'
        done = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True)
        assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 1, "")


WAITING = """
import sys
from holdfast.stores.sqlite.connection import Database

wait = Database._wait
def told(self, tries):
    if tries == 0:
        print("waiting", flush=True)
    return wait(self, tries)
Database._wait = told

from holdfast.interfaces.cli.entry import main
main()
"""
"""The program, saying when it begins to wait for a lock: that is when a person loses patience."""


def test_ctrl_c_ends_in_one_line_and_nothing_half_written(project: Path) -> None:
    Holdfast.open(project).close()
    rival = apsw.Connection(str(project / ".holdfast" / "memory.db"))
    rival.execute("BEGIN IMMEDIATE")
    words = [sys.executable, "-c", WAITING, "add", "Never to be seen", "--project", str(project)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HUNG_S)
    assert (process.returncode, out, err.strip()) == (130, "", INTERRUPTED)
    rival.execute("ROLLBACK")
    rival.close()
    with Holdfast.open(project) as memory:
        assert memory.list() == []


def test_ctrl_c_while_the_program_still_starts_ends_in_one_line(project: Path) -> None:
    """Python tells of each import, so that the signal arrives among them."""
    words = [sys.executable, "-X", "importtime", str(PROGRAM), "list"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, cwd=project)
    assert process.stderr
    while (line := process.stderr.readline()) and "click._compat" not in line:
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=HUNG_S)
    said = [line for line in err.splitlines(keepends=True) if not line.startswith("import time:")]
    assert (process.returncode, "".join(said).strip()) == (130, INTERRUPTED)


def test_what_nobody_foresaw_is_one_line_with_a_way_to_see_more(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fall(*_: object, **__: object) -> None:
        raise KeyError("surprise\nin two lines")

    monkeypatch.setattr("holdfast.compose.open.find_workspace", fall)
    assert run(["list", "--project", str(project)]) == 1
    err = capsys.readouterr().err
    assert err.startswith("holdfast: unexpected KeyError: ")
    assert "HOLDFAST_DEBUG=1" in err
    assert len(err.splitlines()) == 1
    monkeypatch.setenv("HOLDFAST_DEBUG", "1")
    assert run(["list", "--project", str(project)]) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_terminal_of_few_letters_gets_what_it_can_show(project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.add("Signs such as 漢字 are fine", kind="fact")
    where = ("--project", str(project))
    plain = program("list", *where, PYTHONIOENCODING="latin-1")
    assert (plain.returncode, "Signs such as ?? are fine" in plain.stdout) == (0, True)
    exact = program("list", "--json", *where, PYTHONIOENCODING="latin-1")
    assert "Signs such as \\u6f22\\u5b57 are fine" in exact.stdout


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("list > /dev/full", 1, "holdfast: No space left on device. Check permissions and free space there."),
        ("export > /dev/full", 1, "holdfast: No space left on device. Check permissions and free space there."),
        ("list >&-", 0, ""),
        ("list 2>&-", 0, ""),
        ("get ffffffff 2> /dev/full", 3, ""),
        ("export --output out.jsonl 2> /dev/full", 0, ""),
        ("add - <&-", 2, "holdfast: -: there is no standard input to read from."),
        ("add - < /dev/null", 2, "holdfast: content: is empty. Say what there is to remember."),
    ],
)
def test_closed_and_full_streams_end_in_one_line(project: Path, line: str, code: int, said: str) -> None:
    with Holdfast.open(project) as memory:
        memory.add("Something to print")
    done = subprocess.run(["bash", "-c", f'"{PROGRAM}" {line}'], cwd=project, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.strip()) == (code, said)


def test_bytes_that_are_no_text_are_taken_as_far_as_they_go(project: Path) -> None:
    words = [str(PROGRAM), "add", "-", "--json", "--project", str(project)]
    done = subprocess.run(words, input=b"caf\xe9 noir", capture_output=True)
    assert done.returncode == 0
    assert "caf\ufffd noir" in program("list", "--project", str(project)).stdout


def test_a_lock_that_stays_is_exit_code_5(project: Path) -> None:
    Holdfast.open(project).close()
    rival = apsw.Connection(str(project / ".holdfast" / "memory.db"))
    rival.execute("BEGIN IMMEDIATE")
    done = program("add", "x", "--project", str(project), HOLDFAST_STORE_BUSY_TIMEOUT_MS="50")
    rival.close()
    assert (done.returncode, done.stderr.count("\n")) == (5, 1)
    assert "Nothing was written; try again" in done.stderr


def test_every_command_shows_its_help(capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests) -> None:
    for name in COMMANDS:
        with subtests.test(name=name):
            assert run([name, "-h"]) == 0
            assert capsys.readouterr().out.startswith(f"Usage: holdfast {name}")
