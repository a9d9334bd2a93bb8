"""The gate: one is inside at a time, nobody waits long for a long one, and the first to come is the first in."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.interfaces.http import projects
from holdfast.interfaces.http.projects import Caller, Gate, Projects
from holdfast.model.actor import LOCAL, Token
from holdfast.service.service import Service
from holdfast.storage.tenancy import ServiceSource, served_at
from tests.background import wait_until
from tests.hooking import HUNG_S

AGES = 600.0


class Crowd:
    """Threads that each go in and stay inside until they are told to go."""

    def __init__(self, within: Callable[[Callable[[], None]], object], waiting: Callable[[], int]) -> None:
        self.inside: list[str] = []
        self._within = within
        self._waiting = waiting
        self._ends: dict[str, threading.Event] = {}
        self._threads: dict[str, threading.Thread] = {}

    def comes(self, name: str) -> None:
        """Let somebody come, who is inside or in the queue when this returns."""
        self._ends[name] = threading.Event()
        self._threads[name] = threading.Thread(target=self._within, args=(lambda: self._stay(name),), daemon=True)
        self._threads[name].start()
        until(lambda: len(self.inside) + self._waiting() == len(self._threads))

    def goes(self, name: str) -> None:
        """Let somebody leave."""
        self._ends[name].set()
        self._threads[name].join(HUNG_S)

    def all_go(self) -> None:
        """Let everybody leave."""
        for name in self._ends:
            self._ends[name].set()
        for name in self._ends:
            self.goes(name)

    def _stay(self, name: str) -> None:
        self.inside.append(name)
        self._ends[name].wait(HUNG_S)


def until(true: Callable[[], bool]) -> None:
    """Wait for something that is about to happen."""
    wait_until(true, "it did not happen")


@pytest.fixture
def crowds() -> Iterator[Callable[[int, float], Crowd]]:
    """Return what makes a crowd before a gate; all of them go home afterwards."""
    made: list[Crowd] = []

    def make(most: int, patience_s: float) -> Crowd:
        gate = Gate(most, patience_s)

        def within(stay: Callable[[], None]) -> None:
            with gate.entered():
                stay()

        made.append(Crowd(within, lambda: gate.waiting))
        return made[-1]

    yield make
    for crowd in made:
        crowd.all_go()


def test_whoever_comes_later_waits_for_who_is_inside(crowds: Callable[[int, float], Crowd]) -> None:
    crowd = crowds(4, AGES)
    for name in "abc":
        crowd.comes(name)
    assert crowd.inside == ["a"]
    crowd.goes("a")
    until(lambda: len(crowd.inside) == 2)
    assert crowd.inside == ["a", "b"]


def test_beside_one_that_takes_long_another_enters(crowds: Callable[[int, float], Crowd]) -> None:
    crowd = crowds(2, 0.01)
    for name in "ab":
        crowd.comes(name)
    until(lambda: crowd.inside == ["a", "b"])


def test_without_patience_as_many_are_inside_as_may(crowds: Callable[[int, float], Crowd]) -> None:
    crowd = crowds(3, 0.0)
    for name in "abcd":
        crowd.comes(name)
    assert crowd.inside == ["a", "b", "c"]
    crowd.goes("b")
    until(lambda: crowd.inside == ["a", "b", "c", "d"])


def test_who_leaves_with_an_error_leaves() -> None:
    gate = Gate(1, AGES)
    with pytest.raises(ZeroDivisionError), gate.entered():
        1 / 0  # noqa: B018 - the error is what is wanted
    with gate.entered():
        assert gate.waiting == 0


def two_requests(served: ServiceSource, tenant: str) -> list[str]:
    """Let two requests come, the second while the first is worked on; return which are worked on then."""
    serving = Projects(served, 2)
    token = Token(
        id="t", name="ada", tenant=tenant, scope="write", project=None, created_at=0, expires=None, digest=""
    )
    caller = Caller(token=token)

    def within(stay: Callable[[], None]) -> None:
        def act(service: Service) -> None:
            stay()

        serving.run(caller, act, create=True)

    crowd = Crowd(within, lambda: serving._gate.waiting)
    try:
        for name in "ab":
            crowd.comes(name)
        return list(crowd.inside)
    finally:
        crowd.all_go()
        serving.close()


def test_on_a_file_one_request_is_worked_on_after_another(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, "PATIENCE_S", AGES)
    assert two_requests(served_at(project), LOCAL) == ["a"]


def test_requests_that_wait_for_an_embedding_server_wait_side_by_side(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects, "PATIENCE_S", AGES)
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "remote")
    monkeypatch.setenv("HOLDFAST_EMBEDDING_REMOTE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("HOLDFAST_EMBEDDING_REMOTE_MODEL", "some")
    assert two_requests(served_at(project), LOCAL) == ["a", "b"]


def test_requests_that_wait_for_a_database_wait_side_by_side(
    project: Path, empty_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects, "PATIENCE_S", AGES)
    monkeypatch.setenv("HOLDFAST_STORE_URL", empty_postgres)
    monkeypatch.setenv("HOLDFAST_STORE_TENANT", "acme")
    assert two_requests(served_at(project), "acme") == ["a", "b"]
