"""What it costs to get from nothing to a connected Claude Code: two commands, with each of three installers.

    python -m benchmarks way_in

Each begins with an empty home and so with an empty cache: it fetches, builds and unpacks everything. The story is
then told to its end (`scripts/way_in.py`); a way that leads nowhere has no figures. CPU is that of all processes
that were waited for, wall time is mostly the network's.
"""

import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from scripts import environment, way_in

PASSED_ON = ("PIP_", "UV_", "SSL_", "REQUESTS_", "http_", "https_", "no_", "HTTP_", "HTTPS_", "NO_")
"""How variables begin that say where packages are fetched from on this machine."""


class Spent(NamedTuple):
    """Seconds."""

    cpu: float
    wall: float


def run() -> dict[str, float]:
    """Walk the way with each installer."""
    with tempfile.TemporaryDirectory() as place:
        figures: dict[str, float] = {}
        for name in way_in.INSTALLERS:
            figures |= walk_with(name, Path(place))
        return figures


def walk_with(installer: str, place: Path) -> dict[str, float]:
    """Walk the way with one of them; return what its two commands took."""
    home = place / installer
    programs = place / f"{installer} itself"  # alone: pipx would use uv where it sees it
    environment.install(programs, [installer], sys.stderr)
    project = way_in.make_home(home)
    sources = {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}
    fetching = {**sources, **way_in.bare_environment(home, environment.programs(programs))}
    first, target = _install(installer, fetching, home)
    bare = way_in.bare_environment(home, target)
    began = _now()
    way_in.connect(project, bare)
    second = _since(began)
    brief = way_in.second_session(project, bare)
    assert way_in.RULE in brief, brief
    way_in.leave(project, bare)
    return {
        f"{installer}: s CPU, {way_in.INSTALLERS[installer]} .": first.cpu,
        f"{installer}: s CPU, {way_in.CONNECT}": second.cpu,
        f"{installer}: s wall, both": first.wall + second.wall,
    }


def _install(installer: str, fetching: dict[str, str], home: Path) -> tuple[Spent, Path]:
    """Type the first command in the checkout; return what it took, and where the programs are then.

    pip installs into an environment that one makes first, which counts.
    """
    words = [*shlex.split(way_in.INSTALLERS[installer]), "."]
    programs = home / ".local" / "bin"
    began = _now()
    if installer == "pip":
        programs = environment.programs(home / "environment")
        words[0] = str(programs / words[0])
        _run([sys.executable, "-m", "venv", str(home / "environment")], fetching)
    _run(words, fetching)
    return _since(began), programs


def _run(words: list[str], fetching: dict[str, str]) -> None:
    result = subprocess.run(words, check=False, cwd=environment.ROOT, env=fetching, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def _now() -> Spent:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(usage.ru_utime + usage.ru_stime, time.monotonic())


def _since(began: Spent) -> Spent:
    now = _now()
    return Spent(now.cpu - began.cpu, now.wall - began.wall)
