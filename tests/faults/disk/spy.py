"""Building the spy that stands between a program and its disk, and telling it what to do."""

import ctypes
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("spy.c")
NO_SPACE, BROKEN, SHORT, UNSYNCED, NOTHING = 1, 2, 3, 4, 5
"""How a call can fail: the disk is full, or broken; half of it is written; a sync fails; or nothing is written,
for no reason."""

KINDS = {"ENOSPC": NO_SPACE, "EIO": BROKEN, "short write": SHORT, "failed fsync": UNSYNCED}

COMPILER = shutil.which("cc")

needs_compiler = pytest.mark.skipif(
    COMPILER is None and "CI" not in os.environ, reason="a C compiler builds what stands before the disk"
)


def build(folder: Path) -> Path:
    """Compile the spy into a folder; return the library to be loaded before others."""
    library = folder / "spy.so"
    command = [COMPILER or "cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    return library


@cache
def _library() -> ctypes.CDLL:
    """Return the library that this process was started with."""
    library = ctypes.CDLL(None)
    library.disk_count.restype = ctypes.c_long
    return library


def record(home: Path, into: Path) -> None:
    """Write down every change below a folder from now on."""
    _library().disk_record(os.fsencode(home), os.fsencode(into))


def fail(home: Path, number: int, kind: int, *, for_good: bool) -> None:
    """Let a call below a folder fail, counted from now on; with 0 calls are only counted."""
    _library().disk_fail(os.fsencode(home), ctypes.c_long(number), kind, int(for_good))


def count() -> int:
    """Return how many calls there were that could have failed."""
    return int(_library().disk_count())


def promise(word: str) -> None:
    """Write down that something was acknowledged."""
    _library().disk_promise(word.encode())
