"""Ending a process in the middle: with SIGKILL, just before the nth moment of its work.

A moment is an SQL statement of any connection, or a call that changes names or syncs a file. The product knows
nothing of it: APSW's tracer sees the statements, and the calls of `os` are wrapped.
"""

import os
import random
from collections.abc import Callable
from functools import wraps
from itertools import pairwise
from typing import ParamSpec, TypeVar

import apsw

P = ParamSpec("P")
T = TypeVar("T")

CALLS = ("fsync", "link", "rename", "replace", "unlink")


class Moments:
    """Counts moments, and ends the process before one of them."""

    def __init__(self, last: int) -> None:
        self.passed = 0
        self._last = last

    def watch(self) -> None:
        """Count from now on, in this process and for good."""
        apsw.connection_hooks.append(lambda connection: connection.set_exec_trace(self._pass_statement))
        for name in CALLS:
            setattr(os, name, self._passing(getattr(os, name)))

    def _pass_statement(self, *_: object) -> bool:
        self._pass()
        return True

    def _passing(self, call: Callable[P, T]) -> Callable[P, T]:
        @wraps(call)
        def passing(*args: P.args, **kwargs: P.kwargs) -> T:
            self._pass()
            return call(*args, **kwargs)

        return passing

    def _pass(self) -> None:
        self.passed += 1
        if self.passed == self._last:
            os.kill(os.getpid(), 9)


def die_at(number: int) -> Moments:
    """End this process with SIGKILL before a moment; with 0 moments are only counted."""
    moments = Moments(number)
    moments.watch()
    return moments


def spread(moments: int, times: int, seed: int) -> list[int]:
    """Return so many numbers of moments, one from each part of the whole."""
    luck = random.Random(seed)
    parts = [moments * part // times for part in range(times + 1)]
    return [luck.randint(low + 1, max(low + 1, high)) for low, high in pairwise(parts)]
