"""Doing again what another writer was first to: a transaction that lost a race has changed nothing."""

import functools
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from holdfast.errors import StoreRaced

P = ParamSpec("P")
T = TypeVar("T")

TRIES = 12
_PAUSE_S, _LONGEST_S = 0.002, 0.2


def again(act: Callable[P, T]) -> Callable[P, T]:
    """Let something that is one transaction be tried anew, after a short and uneven pause, when it lost a race."""

    @functools.wraps(act)
    def tried(*args: P.args, **kwargs: P.kwargs) -> T:
        for turn in range(TRIES):
            try:
                return act(*args, **kwargs)
            except StoreRaced:
                import random  # few have to wait

                time.sleep(random.uniform(0, min(_PAUSE_S * 2**turn, _LONGEST_S)))  # noqa: S311 - spreads out rivals, no secret
        return act(*args, **kwargs)

    return tried
