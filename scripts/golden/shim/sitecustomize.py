"""Give a process a clock that stands still and random bytes that repeat; Python imports this at its start.

The moment comes from GOLDEN_CLOCK in epoch milliseconds. Random bytes are a rising counter and then decimal
digits: ids made in one millisecond sort in the order of their making, and every id has the same sort of characters
(the length of a brief is guessed from them). The digits depend on the moment: no two processes share an id.
"""

import os
import time

_START = int(os.environ.get("GOLDEN_CLOCK", "0"))
_ORDERED, _DIGITS = 8, 5
"""From how many bytes on they rise, and the bytes at their end that are digits."""

_state = {"moment": _START, "counter": 0}


def advance(milliseconds: int) -> None:
    """Let time pass in this process."""
    _state["moment"] += milliseconds


def set_to(moment: int) -> None:
    """Set the clock of this process."""
    _state["moment"] = moment


def _time_ns() -> int:
    return _state["moment"] * 1_000_000


def _time() -> float:
    return _state["moment"] / 1_000


def _urandom(count: int, /) -> bytes:
    _state["counter"] += 1
    number = (_state["counter"] * 2_654_435_761 + _START * 40_503) * 48_271**3
    if count < _ORDERED:
        return bytes.fromhex(f"{number % 100**count:0{2 * count}d}") if count else b""
    return _state["counter"].to_bytes(count - _DIGITS, "big") + bytes.fromhex(f"{number % 100**_DIGITS:010d}")


if _START:
    time.time_ns = _time_ns
    time.time = _time
    os.urandom = _urandom
