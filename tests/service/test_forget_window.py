"""Forgetting that can be taken back for a moment, whatever else happens in that moment."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.errors import InvalidInput
from holdfast.model.requests import Draft
from holdfast.service.forget import WINDOW_MS
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from tests.conftest import FakeClock

QUEUE = "We settled on Postgres LISTEN/NOTIFY for the job queue"


@pytest.fixture
def service(project: Path, clock: FakeClock) -> Iterator[Service]:
    """A service on an empty project."""
    with contextlib.closing(open_service(project, actor="cli", clock=clock)) as opened:
        yield opened


@pytest.fixture
def queue(service: Service) -> str:
    """A memory."""
    return str(service.add(Draft(content=QUEUE, kind="decision", trust="user")).id)


def test_what_is_brought_back_by_another_way_stays(service: Service, queue: str, clock: FakeClock) -> None:
    service.forget_window.begin(queue)
    service.reinstate(queue)
    clock.advance(WINDOW_MS)
    assert service.forget_window.carry_out() == 0
    assert [memory.superseded for memory in service.get([queue])] == [False]


def test_forgetting_twice_is_taken_back_once(service: Service, queue: str) -> None:
    first = service.forget_window.begin(queue)
    assert service.forget_window.begin(queue) == first
    assert service.forget_window.undo(queue).superseded is False


def test_when_the_time_is_over_it_is_too_late_to_take_it_back(
    service: Service, queue: str, clock: FakeClock
) -> None:
    service.forget_window.begin(queue)
    clock.advance(WINDOW_MS)
    with pytest.raises(InvalidInput, match="time to take it back is over"):
        service.forget_window.undo(queue)
    assert service.forget_window.carry_out() == 0
    assert service.get([queue]) == []
