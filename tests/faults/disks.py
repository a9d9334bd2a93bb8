"""Small disks of their own for the tests that fill one up or take its writability away."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")


@contextmanager
def small_disk(place: Path, size: str = "4m") -> Iterator[Path]:
    """Mount a file system of this size for the length of a block."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def make_read_only(place: Path) -> None:
    """Let nothing be written to a mounted file system any more."""
    subprocess.run(["mount", "-o", "remount,ro", place], check=True)


def fill(place: Path, leave: int = 0) -> Path:
    """Fill a disk up to so many bytes; return the file that does."""
    ballast = place / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            pass
    if leave:
        os.truncate(ballast, max(0, ballast.stat().st_size - leave))
    return ballast
