"""Every verb of every way into holdfast, traced in the home of a new user: nothing leaves the machine, and nothing
is written but in holdfast's own directories and where it was told to."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from packaging.version import Version

from holdfast.interfaces.cli.main import cli
from tests.traced.judge import Places, surprises
from tests.traced.lines import LINES, NONE
from tests.traced.scenes import SCENES
from tests.traced.trace import PYTHON, require_strace, traced

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "clients" / "fixtures" / "transcripts"


class World(NamedTuple):
    """A new user's machine: an empty home, a project under git, a directory for what is temporary."""

    home: Path
    project: Path
    scratch: Path

    @property
    def environment(self) -> dict[str, str]:
        """What the user's programs see."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.scratch),
            "LOGNAME": "ada",
            "PYTHONPATH": str(ROOT),
            "HOLDFAST_HOOK_PACE": "20",  # a traced process is slow
        }

    @property
    def places(self) -> Places:
        """Where holdfast may write: its data and settings, the project's store, and what a line names."""
        own = (self.home / ".local/share/holdfast", self.home / ".config/holdfast", self.project / ".holdfast")
        known = {"home": str(self.home), "project": str(self.project)}
        besides = {line.words: [one.format(**known) for one in line.writes] for line in LINES}
        return Places([*map(str, own), str(self.scratch)], besides)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A new user's machine."""
    world = World(tmp_path / "home", tmp_path / "shop", tmp_path / "scratch")
    for place in world:
        place.mkdir()
    git = ["git", "-c", "user.name=ada", "-c", "user.email=ada@example.org", "-C", str(world.project)]
    (world.project / "NOTES.md").write_text("# Notes\n\n## Queue\n\nJobs go through LISTEN/NOTIFY, not Redis.\n")
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    message = "Fix the importer: it dropped empty lines\n\nWe decided to keep them, because totals depend on them."
    subprocess.run([*git, "commit", "-q", "-m", message], check=True)
    return world


@pytest.mark.parametrize("scene", SCENES)
def test_nothing_leaves_and_nothing_is_written_elsewhere(world: World, scene: str, tmp_path: Path) -> None:
    require_strace()
    command = [PYTHON, "-m", "tests.traced.scenes", scene]
    calls = traced(command, tmp_path / "trace", world.project, world.environment)
    assert len(calls) > 500
    assert surprises(calls, world.places) == []
    assert list(world.scratch.iterdir()) == []


def test_a_runtime_that_is_not_switched_off_is_noticed(world: World, tmp_path: Path) -> None:
    """In a network of its own, of which nothing leads anywhere."""
    require_strace()
    apart = ("unshare", "--user", "--map-root-user", "--net")
    if Version(version("onnxruntime")) < Version("1.31"):
        pytest.skip("this onnxruntime reports nothing")
    if shutil.which("unshare") is None or subprocess.run([*apart, "true"], capture_output=True).returncode:
        pytest.skip("there is no unshare, or it may not make a network of its own")
    command = [PYTHON, "-c", "import onnxruntime"]
    found = surprises(traced(command, tmp_path / "trace", world.project, world.environment, apart), world.places)
    assert any(f"{world.home}/.cache" in one for one in found), found


def commands(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[str]:
    """Name every command that does something."""
    if not isinstance(command, click.Group):
        yield " ".join(words)
        return
    if command.invoke_without_command:
        yield " ".join(words)
    with click.Context(command) as context:
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below
            yield from commands(below, (*words, name))


def test_every_command_has_a_line_or_a_reason() -> None:
    typed = {line.words for line in LINES}
    for name in commands(cli):
        has_line = any(line == name or line.startswith(f"{name} ") for line in typed)
        assert has_line != (name in NONE), f"give `{name}` a line in tests/traced/lines.py, or a reason"
