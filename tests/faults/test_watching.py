"""The real `holdfast watch`: it notices a save, survives a kill, and ends with one line."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast import Holdfast
from tests.faults.processes import ROOT
from tests.hooking import HUNG_S

PROGRAM = Path(sys.executable).with_name("holdfast")
DYING = """
import sys
from tests.faults.kills import die_at
die_at(900)
from holdfast.interfaces.cli.main import run
run(sys.argv[1:])
"""
"""The program, killed when it has gone through a part of the files."""


def watching(project: Path, *options: str) -> subprocess.Popen[str]:
    """Start watching, and wait until it does."""
    running = subprocess.Popen(
        [PROGRAM, "watch", *options, "--project", str(project)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert running.stderr
    assert running.stderr.readline() == "Watching. Ctrl-C ends it.\n"
    return running


def contents(project: Path) -> set[str]:
    """Return what is remembered."""
    with Holdfast.open(project) as memory:
        return {one.content for one in memory.list(limit=1_000)}


def wait_for(project: Path, content: str) -> None:
    """Wait until something is remembered."""
    end = time.monotonic() + HUNG_S
    while content not in contents(project):
        assert time.monotonic() < end, contents(project)
        time.sleep(0.05)  # another process is at work: there is nothing to be told by


@pytest.mark.parametrize("options", [(), ("--poll",)])
def test_a_save_is_noticed_by_the_real_program_and_ctrl_c_ends_it(project: Path, options: tuple[str, ...]) -> None:
    (project / "a.md").write_text("There before.")
    running = watching(project, *options)
    (project / "b.md").write_text("Written while it runs.")
    wait_for(project, "Written while it runs.")
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=HUNG_S)
    assert (running.returncode, "interrupted" in err) == (130, True)
    assert contents(project) == {"There before.", "Written while it runs."}


def test_killed_in_the_middle_it_leaves_whole_files_and_the_next_one_goes_on(project: Path) -> None:
    """Sections of a file come and go together."""
    sections = 20
    for number in range(30):
        text = "\n".join(
            f"# S{section}\n\nFile {number} section {section} words.\n" for section in range(sections)
        )
        (project / f"{number}.md").write_text(text)
    arguments = ["ingest", "files", "--project", str(project)]
    killed = subprocess.run([sys.executable, "-c", DYING, *arguments], capture_output=True, cwd=ROOT)
    assert killed.returncode == -signal.SIGKILL
    half = contents(project)
    by_file = [sum(one.startswith(f"File {number} ") for one in half) for number in range(30)]
    assert set(by_file) <= {0, sections}
    assert 0 < len(half) < 30 * sections
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == 0
    assert len(contents(project)) == 30 * sections
