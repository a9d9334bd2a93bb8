"""Turns: one works at a time, nobody waits long for a long one, and the first to come is the first to go."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from holdfast.interfaces.http.turns import Turns

AGES = 600.0


class Crowd:
    """Threads that each take a turn and keep it until they are told to go."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.began: list[str] = []
        self._ends: dict[str, threading.Event] = {}
        self._threads: dict[str, threading.Thread] = {}

    def comes(self, name: str) -> None:
        """Let somebody come, who has begun or stands in the queue when this returns."""
        began, queued = len(self.began), self.turns.waiting
        self._ends[name] = threading.Event()
        self._threads[name] = threading.Thread(target=self._take, args=(name,), daemon=True)
        self._threads[name].start()
        until(lambda: len(self.began) > began or self.turns.waiting > queued)

    def goes(self, name: str) -> None:
        """Let somebody end."""
        self._ends[name].set()
        self._threads[name].join(30)

    def _take(self, name: str) -> None:
        with self.turns.one():
            self.began.append(name)
            self._ends[name].wait(30)


def until(true: Callable[[], bool]) -> None:
    """Wait for something that is about to happen."""
    for _ in range(3_000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen")


@pytest.fixture
def crowds() -> Iterator[Callable[[int, float], Crowd]]:
    """Return what makes crowds; all of them go home afterwards."""
    made: list[Crowd] = []

    def make(most: int, patience_s: float) -> Crowd:
        made.append(Crowd(Turns(most, patience_s)))
        return made[-1]

    yield make
    for crowd in made:
        for name in list(crowd._ends):
            crowd.goes(name)


def test_whoever_comes_later_waits_for_who_is_at_it(crowds: Callable[[int, float], Crowd]) -> None:
    crowd = crowds(4, AGES)
    for name in "abc":
        crowd.comes(name)
    assert crowd.began == ["a"]
    crowd.goes("a")
    until(lambda: len(crowd.began) == 2)
    assert crowd.began == ["a", "b"]


def test_beside_one_that_takes_long_another_begins(crowds: Callable[[int, float], Crowd]) -> None:
    crowd = crowds(2, 0.01)
    for name in "ab":
        crowd.comes(name)
    until(lambda: len(crowd.began) == 2)
    crowd.comes("c")
    assert crowd.began == ["a", "b"]
    crowd.goes("b")
    until(lambda: crowd.began == ["a", "b", "c"])


def test_without_patience_as_many_work_as_may(crowds: Callable[[int, float], Crowd]) -> None:
    crowd = crowds(3, 0.0)
    for name in "abcd":
        crowd.comes(name)
    until(lambda: len(crowd.began) == 3)
    assert crowd.turns.waiting == 1


def test_a_turn_ends_with_an_error_too() -> None:
    turns = Turns(1, AGES)
    with pytest.raises(ZeroDivisionError), turns.one():
        1 / 0  # noqa: B018 - the error is what is wanted
    with turns.one():
        assert turns.waiting == 0
