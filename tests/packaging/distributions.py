"""Builds what is handed out, and puts a wheel into an environment that has nothing else of holdfast."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
MOMENT = "1700000000"
"""The time that archives say they were made at: any will do, as long as it is the same."""


class Archives(NamedTuple):
    """What is handed out."""

    wheel: Path
    source: Path


def build(tree: Path, target: Path) -> Archives:
    """Build both archives from a tree, with the build backend of this environment and so without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(target)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": MOMENT}
    result = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    [wheel] = target.glob("*.whl")
    [source] = target.glob("*.tar.gz")
    return Archives(wheel, source)


def unpack(archive: Path, target: Path) -> Path:
    """Unpack a source archive; return its one folder."""
    with tarfile.open(archive) as contents:
        contents.extractall(target, filter="data")
    [folder] = target.iterdir()
    return folder


def environment_with(wheel: Path, place: Path) -> Path:
    """Install a wheel into a new environment, beside the dependencies of this one; return where its programs are.

    A path in a `.pth` file is searched, but `.pth` files in it are not read: the dependencies of this environment
    are in sight, and its editable holdfast is not.
    """
    venv.create(place)
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "--disable-pip-version-check"]
    result = subprocess.run(
        [*pip, "install", "--no-index", "--no-deps", "--no-compile", str(wheel)], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    show_dependencies(place)
    return programs


def show_dependencies(place: Path) -> None:
    """Let an environment see the dependencies of this one."""
    [packages] = place.rglob("site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
