"""Processes that a test did not start itself, and waiting for them however long this machine takes."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from tests.hooking import HUNG_S


def processes(module: str, project: Path) -> list[int]:
    """Return the processes that run a module of ours for a project."""
    return [number for number, words in _running() if module.encode() in words and str(project).encode() in words]


def wait_for_none(module: str, project: Path) -> None:
    """Wait until none runs, nor is about to: a process has no words in the moment before its program begins."""
    wanted = (module.encode(), str(project).encode())
    wait_until(
        lambda: not any(not any(words) or all(word in words for word in wanted) for _, words in _running()),
        f"{module} stayed",
    )


def wait_until(true: Callable[[], object], otherwise: str) -> None:
    """Wait for what another process does, which nothing tells of."""
    end = time.monotonic() + HUNG_S
    while not true():
        assert time.monotonic() < end, otherwise
        time.sleep(0.02)


def _running() -> list[tuple[int, list[bytes]]]:
    """Return every process of this machine that has a program, with its words."""
    running = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            os.readlink(entry / "exe")  # the kernel's own threads and what has ended have none
        except OSError:
            continue
        running.append((int(entry.name), words))
    return running
