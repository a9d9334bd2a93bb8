"""A checkout under test: its Python, its programs, and the fixed environment that its processes run in."""

import json
import os
import resource
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SHIM = Path(__file__).resolve().parent / "shim"
NOW = 1_790_000_000_000
"""The moment that processes begin at: after all talk in the data."""

SETTINGS = {
    "HOLDFAST_HOOK_PACE": "1000",  # no time limit may cut an answer short on a busy machine
    "HOLDFAST_EMBEDDING_BACKGROUND": "false",
    "HOLDFAST_STORE_BUSY_TIMEOUT_MS": "600000",
    "HOLDFAST_HOOKS_SIGN": "false",
    "HOLDFAST_USER_NAME": "ada",
}


class Checkout(NamedTuple):
    """A folder with the code and, in `.venv`, its environment."""

    folder: Path

    @property
    def python(self) -> str:
        """The interpreter of the checkout's environment."""
        return str(self.folder / ".venv" / "bin" / "python")

    def program(self, name: str) -> str:
        """Return the path of an installed program."""
        return str(self.folder / ".venv" / "bin" / name)


class Finished(NamedTuple):
    """The result of a process."""

    code: int
    out: str
    err: str


def checkout_at(folder: Path) -> Checkout:
    """Return the checkout in a folder; its environment must be there."""
    found = Checkout(folder.resolve())
    if not os.access(found.python, os.X_OK):
        raise SystemExit(f"No environment in {found.folder}: run `make .venv/.dev` there.")
    return found


@contextmanager
def workplace() -> Iterator[Path]:
    """Give a run a folder with an empty home in it."""
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        place = Path(folder).resolve()
        (place / "home").mkdir()
        yield place


def environment(place: Path, moment: int = NOW, *, shim: bool = True) -> dict[str, str]:
    """Return all variables of a process: none of the caller's own but PATH."""
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(place / "home"),
        "HOLDFAST_DATA_HOME": str(place / "data"),
        "HOLDFAST_CONFIG_HOME": str(place / "config"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
        "COLUMNS": "100",
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONHASHSEED": "0",
    } | SETTINGS
    if shim:
        variables |= {"PYTHONPATH": str(SHIM), "GOLDEN_CLOCK": str(moment)}
    return variables


def run(
    words: Sequence[str], variables: dict[str, str], folder: Path, typed: str = "", *, check: bool = False
) -> Finished:
    """Run a process to its end."""
    done = subprocess.run(
        words,
        input=typed,
        capture_output=True,
        text=True,
        errors="replace",
        env=variables,
        cwd=folder,
        check=False,
    )
    if check and done.returncode:
        raise SystemExit(
            f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
        )
    return Finished(done.returncode, done.stdout, done.stderr)


def answer_of(checkout: Checkout, module: str, place: Path, options: dict[str, str]) -> dict[str, object]:
    """Run a module of this package with the checkout's Python; return the JSON object that it writes."""
    target = place / "answer.json"
    variables = environment(place) | {"PYTHONPATH": f"{SHIM}{os.pathsep}{ROOT}"}
    words = [checkout.python, "-m", f"scripts.golden.{module}", json.dumps({**options, "target": str(target)})]
    run(words, variables, place, check=True)
    answer: dict[str, object] = json.loads(target.read_text(encoding="utf-8"))
    return answer


def cpu_s() -> float:
    """Return the CPU seconds of this process and of all its children so far."""
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in times)
