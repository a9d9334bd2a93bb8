"""Make a virtual environment and install into it, saying what pip is at: a silent minute looks like a hang.

    python -m scripts.environment PLACE PIP-ARGUMENT...

On a terminal one line is written over and over; in a log there are a few lines. What pip itself said is shown
where it failed, and only there. Standard library only: this is what runs before anything is installed.
"""

import os
import queue
import re
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parents[1]
LOG_S = 15
"""How often a log gets a line while the same goes on."""
TICK_S = 1
REWRITE = "\r\x1b[K"
"""Back to the start of the line, which is then empty."""
STEPS = (
    (re.compile(r"Installing (?:build|backend) dependencies: started"), "preparing: what builds it"),
    (re.compile(r"(?:Collecting|Requirement already satisfied:) ([\w.-]+)"), r"fetching: \1"),
    (re.compile(r"Processing \S*?([^/\s-]+)-[^/\s]+\.whl"), r"fetching: \1"),
    (re.compile(r"Downloading ([^/\s-]+)-\S+ \(([^)]+)\)"), r"fetching: \1, \2"),
    (re.compile(r"Building (?:wheel|editable) for ([\w.-]+) .*started"), r"building: \1"),
    (re.compile(r"Installing collected packages: (.*)"), "unpacking: "),
)
"""What lines of pip mean: a stage, a colon, and what it is at."""


NO_VENV = (
    "{} needs the venv module of Python, which is not whole here: apt install python3-venv, or use uv or pipx "
    "(uv tool install ., pipx install .).\n"
)


class Failed(Exception):
    """It could not be done; the text is all that pip said, or what to do."""


class Progress:
    """Says what goes on and for how long, as the reader can take it."""

    def __init__(self, title: str, out: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._title, self._out, self._clock = title, out, clock
        self._began = self._last = clock()
        self._stage = ""
        self._is_terminal = out.isatty()

    def show(self, step: str) -> None:
        """Show a step: at once on a terminal; in a log when the stage is new, or nothing was said for a while."""
        stage = step.partition(":")[0]
        now = self._clock()
        if self._is_terminal:
            self._out.write(f"{REWRITE}{self._line(step)}")
        elif stage != self._stage or now - self._last >= LOG_S:
            self._out.write(f"{self._line(step)}\n")
            self._last = now
        self._stage = stage
        self._out.flush()

    def end(self, outcome: str) -> None:
        """Say how it ended, on a line that stays."""
        if self._is_terminal:
            self._out.write(REWRITE)
        self._out.write(f"{self._line(outcome)}\n")
        self._out.flush()

    def _line(self, step: str) -> str:
        return f"{self._title}: {step.replace(': ', ' ', 1)} ({self._clock() - self._began:.0f} s)"


def step_of(line: str) -> str:
    """Return what a line of pip says it is at, or nothing."""
    for pattern, step in STEPS:
        if match := pattern.search(line):
            return f"{step}{match[1].count(',') + 1} packages" if step.endswith(": ") else match.expand(step)
    return ""


def install(place: Path, arguments: list[str], out: TextIO = sys.stdout) -> None:
    """Make the environment where there is none that works, and have its pip install what the arguments say."""
    progress = Progress(_shown(place), out)
    if not _works(place):
        progress.show("making: the environment")
        _make(place, progress)
    pip = [str(programs(place) / "python"), "-m", "pip", "--disable-pip-version-check"]
    output = []
    step = "starting: pip"
    for line in _lines([*pip, "install", "--progress-bar", "off", *arguments]):
        output.append(line)
        step = step_of(line) or step
        progress.show(step)
    if output.pop() != "0":
        progress.end("failed")
        raise Failed("".join(output))
    progress.end("ready")


def _make(place: Path, progress: Progress) -> None:
    """Make an environment; Debian and Ubuntu have what puts pip into it in a package of its own."""
    try:
        venv.EnvBuilder(clear=True, symlinks=sys.platform != "win32", with_pip=True).create(place)
    except subprocess.CalledProcessError as error:
        progress.end("failed")
        output = (error.output or b"").decode(errors="replace")
        raise Failed(f"{output}{NO_VENV.format(_shown(place))}") from error


def _works(place: Path) -> bool:
    """Say whether an environment is there and can install; one whose Python was removed cannot."""
    command = [str(programs(place) / "python"), "-c", "import pip"]
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except OSError:
        return False


def programs(place: Path) -> Path:
    """Return where the programs of an environment are."""
    return place / ("Scripts" if sys.platform == "win32" else "bin")


def _lines(command: list[str]) -> Iterator[str]:
    """Run a program; give its lines as they come, an empty one for each second without, and its exit code last."""
    versions = {
        **os.environ,
        "PIP_CONSTRAINT": "constraints.txt",
    }  # for what builds, too; a path could hold a space
    with subprocess.Popen(
        command, cwd=ROOT, env=versions, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_read, args=(process.stdout, lines), daemon=True).start()
        while True:
            try:
                line = lines.get(timeout=TICK_S)
            except queue.Empty:
                line = ""
            if line is None:
                break
            yield line
    yield str(process.returncode)


def _read(output: TextIO, lines: "queue.Queue[str | None]") -> None:
    """Put each line where it can be waited for, and nothing after the last."""
    for line in output:
        lines.put(line)
    lines.put(None)


def _shown(place: Path) -> str:
    """Return a place as a person writes it."""
    for base, sign in ((Path.cwd(), ""), (Path.home(), "~/")):
        if place.is_relative_to(base):
            return f"{sign}{place.relative_to(base)}"
    return str(place)


def main(arguments: list[str]) -> int:
    """Do what the command line says."""
    try:
        install(Path(arguments[0]).absolute(), arguments[1:])
    except Failed as failure:
        sys.stderr.write(str(failure))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
