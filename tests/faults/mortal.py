"""A process that is killed over and over: it imports once, and every life of it is a fork.

Started as `python -m tests.faults.mortal`; each line on its standard input is a life (JSON: which undertaking, in
which project, killed where, on what disk), each line on its output how that ended. What a life was promised stands
in a file, to which it is written before the next step is taken.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from holdfast.errors import HoldfastError
from tests.faults.disk import spy
from tests.faults.kills import die_at
from tests.faults.processes import ROOT
from tests.faults.undertakings import ACTS, Act

PROMISES, RECORD = "promises", "record"
CALLS = "calls:"


@dataclass(frozen=True)
class Ended:
    """How a life ended."""

    killed: bool
    """Before the moment that it was to be killed at: nothing else kills it."""
    code: int
    promises: tuple[str, ...]
    """All that was acknowledged in the project, in this life and those before it."""
    calls: int = 0
    """How many calls of the disk could have failed, or before how many moments it could have been killed."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a disk: which call fails, how, and whether all later ones do as well."""

    number: int
    kind: int
    for_good: bool = False


class Mortal:
    """The other end: starts lives, and hears how they end."""

    def __init__(self, spying: Path | None = None) -> None:
        command = [sys.executable, "-m", "tests.faults.mortal"]
        environment = os.environ | ({"LD_PRELOAD": str(spying)} if spying else {})
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def live(self, undertaking: str, project: Path, kill_at: int = 0, **environment: str) -> Ended:
        """Let an undertaking run in a project, killed before a moment if one is given."""
        known = {name: value for name, value in os.environ.items() if name.startswith("HOLDFAST_")}
        return self._live(
            project / PROMISES,
            undertaking=undertaking,
            project=str(project),
            environment=known | environment,
            kill_at=kill_at,
        )

    def live_on_disk(
        self, undertaking: str, folder: Path, fault: Fault | None = None, **environment: str
    ) -> Ended:
        """Let an undertaking run in `home/project` of a folder, with its data beside it.

        Each change of the home is recorded in the folder; where there is a fault, the call it names fails.
        """
        home = folder / "home"
        (home / "project").mkdir(parents=True, exist_ok=True)
        known = {name: value for name, value in os.environ.items() if name.startswith("HOLDFAST_")}
        places = {"HOLDFAST_DATA_HOME": str(home / "data"), "HOLDFAST_CONFIG_HOME": str(home / "config")}
        failing = [fault.number, fault.kind, fault.for_good] if fault else None
        return self._live(
            folder / PROMISES,
            undertaking=undertaking,
            project=str(home / "project"),
            environment=known | places | environment,
            home=str(home),
            failing=failing,
        )

    def _live(self, promises: Path, **life: object) -> Ended:
        life["promises"] = str(promises)
        incoming, outgoing = self._pipes()
        incoming.write(json.dumps(life) + "\n")
        incoming.flush()
        status = int(outgoing.readline())
        kept = promises.read_text().split() if promises.exists() else []
        calls = [int(word.removeprefix(CALLS)) for word in kept if word.startswith(CALLS)]
        return Ended(
            os.WIFSIGNALED(status),
            os.waitstatus_to_exitcode(status),
            tuple(word for word in kept if not word.startswith(CALLS)),
            calls[-1] if calls else 0,
        )

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
    for line in sys.stdin:
        life = json.loads(line)
        child = os.fork()
        if child == 0:
            _live(ACTS[life["undertaking"]], life)
        _, status = os.waitpid(child, 0)
        print(status, flush=True)


def _live(act: Act, life: dict[str, Any]) -> None:
    """Be one life; never return."""
    code, promises, moments = 1, Path(life["promises"]), None
    try:
        os.environ.update(life["environment"])
        _stand_before_the_disk(life, promises.with_name(RECORD))
        moments = die_at(life["kill_at"]) if "kill_at" in life else None
        act(Path(life["project"]), lambda word: _promise(promises, word, life))
        code = 0
    except BaseException as error:  # there is nobody above to tell
        name = type(error).__name__
        _write(promises, f"error:{name}" if isinstance(error, HoldfastError) else f"raw:{name}")
    finally:
        if life.get("failing"):
            _write(promises, f"{CALLS}{spy.count()}")
        if moments:
            _write(promises, f"{CALLS}{moments.passed}")
        os._exit(code)


def _stand_before_the_disk(life: dict[str, Any], record: Path) -> None:
    if life.get("failing"):
        number, kind, for_good = life["failing"]
        spy.fail(Path(life["home"]), number, kind, for_good=for_good)
    elif life.get("home"):
        spy.record(Path(life["home"]), record)


def _promise(promises: Path, word: str, life: dict[str, Any]) -> None:
    if life.get("home") and not life.get("failing"):
        spy.promise(word)
    _write(promises, word)


def _write(promises: Path, word: str) -> None:
    handle = os.open(promises, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(handle, word.encode() + b"\n")
    os.close(handle)


if __name__ == "__main__":
    main()
