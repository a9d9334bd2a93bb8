"""A process that is killed over and over: it imports once, and every life of it is a fork.

Started as `python -m tests.faults.mortal`; each line on its standard input is a life (JSON: which undertaking, in
which project, killed where), each line on its output how that ended. What a life was promised stands in a file, to
which it is written before the next step is taken.
"""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from holdfast import points
from tests.faults.processes import ROOT

PROMISES = "promises"


@dataclass(frozen=True)
class Ended:
    """How a life ended."""

    killed: bool
    """By the point that it was to be killed at: nothing else kills it."""
    code: int
    promises: tuple[str, ...]
    """All that was acknowledged in the project, in this life and those before it."""


class Mortal:
    """The other end: starts lives, and hears how they end."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.faults.mortal"]
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=dict(os.environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def live(self, undertaking: str, project: Path, kill_at: str = "", **environment: str) -> Ended:
        """Let an undertaking run in a project, killed at a point if one is named."""
        life = {
            "undertaking": undertaking,
            "project": str(project),
            "environment": {name: value for name, value in os.environ.items() if name.startswith("HOLDFAST_")}
            | environment
            | ({points.VARIABLE: kill_at} if kill_at else {}),
        }
        incoming, outgoing = self._pipes()
        incoming.write(json.dumps(life) + "\n")
        incoming.flush()
        status = int(outgoing.readline())
        promises = project / PROMISES
        kept = promises.read_text().split() if promises.exists() else []
        return Ended(os.WIFSIGNALED(status), os.waitstatus_to_exitcode(status), tuple(kept))

    def end(self) -> None:
        """Let it go."""
        for pipe in self._pipes():
            pipe.close()
        self._process.wait()

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        assert self._process.stdin
        assert self._process.stdout
        return self._process.stdin, self._process.stdout


def main() -> None:
    """Live every life that is asked for."""
    from tests.faults.undertakings import ACTS

    for line in sys.stdin:
        life = json.loads(line)
        child = os.fork()
        if child == 0:
            _live(ACTS[life["undertaking"]], Path(life["project"]), life["environment"])
        _, status = os.waitpid(child, 0)
        print(status, flush=True)


def _live(
    act: "Callable[[Path, Callable[[str], None]], None]", project: Path, environment: dict[str, str]
) -> None:
    """Be one life; never return."""
    code = 1
    try:
        os.environ.update(environment)
        importlib.reload(points)  # which reads its variable when a process begins
        act(project, lambda word: _promise(project, word))
        code = 0
    except BaseException as error:  # there is nobody above to tell
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        sys.stderr.flush()
    finally:
        os._exit(code)


def _promise(project: Path, word: str) -> None:
    handle = os.open(project / PROMISES, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(handle, word.encode() + b"\n")
    os.close(handle)


if __name__ == "__main__":
    main()
