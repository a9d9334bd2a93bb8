"""Doing again what another writer was first to: a transaction that lost a race has changed nothing."""

import functools
import threading
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from holdfast.errors import StoreRaced

P = ParamSpec("P")
T = TypeVar("T")

TRIES = 12
"""How often it is tried anew: with the pauses below, within a second and a quarter."""

_PAUSE_S = 0.002
"""The first pause at the most; each further one may be twice as long."""

_LONGEST_S = 0.2
"""The longest pause."""

_trying = threading.local()


def again(act: Callable[P, T]) -> Callable[P, T]:
    """Let something that is one transaction be tried anew, after a short and uneven pause, when it lost a race.

    Inside another such act it is a part of that one's transaction, which is tried anew as a whole.
    """

    @functools.wraps(act)
    def tried(*args: P.args, **kwargs: P.kwargs) -> T:
        if getattr(_trying, "now", False):
            return act(*args, **kwargs)
        _trying.now = True
        try:
            return _until_first(lambda: act(*args, **kwargs))
        finally:
            _trying.now = False

    return tried


def _until_first(act: Callable[[], T]) -> T:
    for turn in range(TRIES):
        try:
            return act()
        except StoreRaced:
            import random  # few have to wait

            time.sleep(random.uniform(0, min(_PAUSE_S * 2**turn, _LONGEST_S)))  # noqa: S311 - spreads out rivals, no secret
    return act()
