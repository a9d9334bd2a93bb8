"""How the tests of the command line run it: in this process for speed, or as the real program."""

import fcntl
import json
import os
import pty
import re
import select
import subprocess
import sys
import termios
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from holdfast.interfaces.cli.main import run

PROGRAM = Path(sys.executable).with_name("holdfast")


class Shell:
    """Runs commands on one project and keeps what they print."""

    def __init__(self, project: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.project = project
        self._capture = capture
        self.err = ""

    def __call__(self, *arguments: str, code: int = 0) -> str:
        self._capture.readouterr()
        got = run([*arguments, "--project", str(self.project)])
        out, self.err = self._capture.readouterr()
        assert got == code, self.err
        return out

    def json(self, *arguments: str, code: int = 0) -> Any:
        """Run a command with --json and return what it printed."""
        return json.loads(self(*arguments, "--json", code=code))

    def add(self, *arguments: str) -> str:
        """Remember something and return its short id."""
        return added_id(self("add", *arguments))


def added_id(out: str) -> str:
    """Return the short id that add printed."""
    found = re.search(r"as ([0-9a-f]{8,})", out)
    assert found, out
    return found[1]


def program(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the installed program."""
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env={**os.environ, **environment})


ASKS = (b"[y/N]:", b"[Y/n]:", b"? help]", b"as it is):")
"""How a screen ends that waits for keys."""


def at_terminal(*arguments: str, keys: str | Sequence[str] = "", **environment: str) -> tuple[int, str]:
    """Run the program at a terminal; return its exit code and what the screen shows.

    The keys are typed when it has asked something and fallen silent; not again once it has answered. Of several,
    each question gets the next.
    """
    answers = iter([keys] if isinstance(keys, str) else keys)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **environment},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - Ctrl-C becomes a signal
    )
    os.close(theirs)
    patience = threading.Timer(60, process.kill)
    patience.start()
    screen = b""
    answer = next(answers, "")
    while part := _read(ours, answer.encode() if screen.rstrip().endswith(ASKS) else b""):
        if screen.rstrip().endswith(ASKS):
            answer = next(answers, answer)
        screen += part
    patience.cancel()
    os.close(ours)
    return process.wait(), screen.decode()


def _read(terminal: int, keys: bytes) -> bytes:
    """Return what comes next; whenever nothing does for a moment, type."""
    try:
        while keys and not select.select([terminal], [], [], 0.2)[0]:
            os.write(terminal, keys)
        return os.read(terminal, 65_536)
    except OSError:  # the other end is closed: the program is gone
        return b""
