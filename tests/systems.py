"""Which files of tests can run on a system: those that use what it has not are left out there, by what they say.

By files and not by tests, because most of them would fail when they are imported; so a file counts together with
those of ours that it imports, and with the fixtures of its folder. What is left out on Windows and macOS is tried
with fakes in `tests/platforms`.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parent

POSIX = re.compile(
    r"\b(?:fcntl|resource\.|import resource|pwd|pty|termios|mkfifo|chmod|getuid|geteuid|os\.fork|umask|st_mode"
    r"|SIGKILL|SIGSTOP|SIGHUP|os\.kill|symlink_to|os\.symlink|hardlink_to|posix_spawn|strace)\b"
    r"|/bin/|/dev/|cli\.shell\b|cli import shell\b"
)
"""What Windows has not, or only with a right of its own."""

LINUX = re.compile(
    r"/proc/|import processes, wait_for_none|tests\.platforms|mountinfo|LD_PRELOAD|tests\.faults\.disk"
    r"|tests\.postgres\.server|require_strace"
)
"""What only Linux has, or is set up for here."""


def can_run(path: Path, platform: str) -> bool:
    """Say whether a file of tests, or anything in a folder of them, can run on a system."""
    if platform == "linux" or TESTS not in path.parents:
        return True
    folders = [folder for folder in (path, *path.parents) if TESTS in folder.parents]
    fixtures = [file for folder in folders if (file := folder / "conftest.py").is_file()]
    tests = [path] if path.name.startswith("test_") and path.suffix == ".py" else []
    return all(_can_import(file, platform) for file in (*fixtures, *tests))


def has_what_it_uses(text: str, platform: str) -> bool:
    """Say whether a system has what a text names."""
    return not LINUX.search(text) and (platform != "win32" or not POSIX.search(text))


@cache
def _can_import(path: Path, platform: str) -> bool:
    files = _with_imports(path, set())
    return all(has_what_it_uses(_text(file), platform) for file in files)


def _with_imports(path: Path, files: set[Path]) -> set[Path]:
    """Return a file and those of ours that are imported with it."""
    if path not in files:
        files.add(path)
        for imported in _imports(path):
            _with_imports(imported, files)
    return files


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    """Return the files of ours that are imported with a file, this one and everybody's fixtures aside."""
    names = [name for statement in ast.parse(_text(path)).body for name in _names(statement)]
    files = [TESTS.parent.joinpath(*name.split(".")).with_suffix(".py") for name in names]
    aside = (Path(__file__).resolve(), TESTS / "conftest.py")
    return tuple(file for file in files if TESTS in file.parents and file.is_file() and file not in aside)


def _names(statement: ast.stmt) -> Iterator[str]:
    """Yield the modules that a statement may import."""
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names)
    if isinstance(statement, ast.ImportFrom) and statement.module:
        yield statement.module
        yield from (f"{statement.module}.{alias.name}" for alias in statement.names)


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
