"""Starts programs of holdfast on a system that this machine is not."""

import os
import subprocess
import sys
from pathlib import Path

from tests.hooking import HUNG_S

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = ("win32", "darwin")


def surroundings(system: str, home: Path) -> dict[str, str]:
    """Return the environment of a user there: with the folders that such a system has, and its code page."""
    own = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": str(Path(__file__).parent / "site"),
        "FAKE_PLATFORM": system,
        "FAKE_ROOT": str(ROOT),
        "HOLDFAST_EMBEDDING_MODEL": "hashing",
        "HOLDFAST_EMBEDDING_BACKGROUND": "false",
        "HOLDFAST_HOOK_PACE": "1000",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    if system == "win32":
        own |= {"LOCALAPPDATA": str(home / "Local"), "APPDATA": str(home / "Roaming"), "PATHEXT": ".EXE"}
        own |= {"PYTHONIOENCODING": "cp1252", "TEMP": str(home / "Temp"), "PYTHONUTF8": "0"}
    return own


class FakeMachine:
    """A machine of another system, with one user and one project."""

    def __init__(self, system: str, home: Path) -> None:
        self.system = system
        self.home = home
        self.project = home / "Shop"
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        self.programs = home / "Scripts"
        self.programs.mkdir()
        for name in ("holdfast", "holdfast-hook"):
            self._program(name).touch()

    @property
    def data(self) -> Path:
        """Where holdfast keeps this user's data there."""
        above = "Local" if self.system == "win32" else "Library/Application Support"
        return self.home / above / "holdfast"

    def python(self, *words: str, stdin: bytes = b"") -> bytes:
        """Run an interpreter in the project; return what it prints."""
        environment = surroundings(self.system, self.home) | {"FAKE_PROGRAM": str(self._program("holdfast"))}
        result = subprocess.run(
            [sys.executable, *words],
            cwd=self.project,
            env=environment,
            input=stdin,
            capture_output=True,
            timeout=HUNG_S,
        )
        assert result.returncode == 0, result.stderr.decode(errors="replace")
        return result.stdout

    def command(self, *words: str, stdin: bytes = b"") -> bytes:
        """Run a command of holdfast in the project; return what it prints."""
        return self.python("-c", "from holdfast.interfaces.cli.entry import main; main()", *words, stdin=stdin)

    def _program(self, name: str) -> Path:
        return self.programs / (f"{name}.exe" if self.system == "win32" else name)
