"""Memories fade by their kind: hidden, not deleted; and come back."""

from pathlib import Path

import pytest

from holdfast.model.kinds import FADES_AFTER_DAYS
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import fades_at
from holdfast.model.requests import Draft, SearchRequest
from holdfast.model.search import Filters
from holdfast.service.service import Service
from tests.conftest import FakeClock
from tests.contract.builders import NOW, a_memory
from tests.embedders import Topics
from tests.table import table
from tests.upkeep.services import opened

TEXT = "The walrus queue drains slowly"


def add(service: Service, **fields: object) -> str:
    """Remember something, and return its id."""
    added = service.add(Draft(content=TEXT, **({"kind": "discovery", "trust": "agent"} | fields)))  # type: ignore[arg-type]  # our own names
    assert added.id
    return added.id


def shown(service: Service) -> set[bool]:
    """Say whether every default read shows something: by words, by meaning, in lists and around."""
    by = [
        bool(service.search(SearchRequest(query="walrus queue", mode=mode)))
        for mode in ("keyword", "vector", "hybrid")
    ]
    return {*by, bool(service.list(Filters()))}


@table(("kind", "days"), FADES_AFTER_DAYS.items())
def test_each_kind_fades_after_its_days(kind: str, days: int | None) -> None:
    expected = None if days is None else NOW + days * DAY_MS
    assert fades_at(a_memory(kind=kind), FADES_AFTER_DAYS) == expected


@table("fields", [{"status": "pinned"}, {"reads": 3}, {"trust": "user"}, {"trust": "imported"}], ids=str)
def test_what_is_pinned_read_three_times_or_put_there_by_a_person_does_not_fade(fields: dict[str, object]) -> None:
    assert fades_at(a_memory(kind="task_progress", **fields), FADES_AFTER_DAYS) is None


def test_age_counts_from_capture_not_from_when_it_was_said(service: Service, clock: FakeClock) -> None:
    [memory] = service.get([add(service, at="2001-02-03")])
    assert memory.fades == clock.now() + 21 * DAY_MS


def test_a_faded_memory_leaves_default_reads_and_is_kept(service: Service, clock: FakeClock) -> None:
    memory_id = add(service)
    clock.advance(21 * DAY_MS - 1)
    assert shown(service) == {True}
    clock.advance(1)
    assert shown(service) == {False}
    assert [one.id for one in service.list(Filters(), everything=True)] == [memory_id]
    assert service.stats().counts.faded == 1
    assert [one.id for one in service.history(memory_id)] == [memory_id]
    assert [one.id for one in service.get([memory_id])] == [memory_id]


def test_three_reads_bring_a_faded_memory_back(service: Service, clock: FakeClock) -> None:
    memory_id = add(service)
    clock.advance(30 * DAY_MS)
    for reads in (1, 2):
        service.get([memory_id])
        assert shown(service) == {False}, reads
    service.get([memory_id])
    assert shown(service) == {True}


@pytest.mark.parametrize("verb", ["pin", "confirm"])
def test_a_pin_or_a_confirmation_brings_a_faded_memory_back(service: Service, clock: FakeClock, verb: str) -> None:
    memory_id = add(service)
    clock.advance(30 * DAY_MS)
    getattr(service, verb)(memory_id)
    assert shown(service) == {True}


def test_an_unpinned_memory_fades_again(service: Service, clock: FakeClock) -> None:
    memory_id = add(service)
    service.pin(memory_id)
    clock.advance(30 * DAY_MS)
    assert service.unpin(memory_id).fades == clock.now() - 9 * DAY_MS
    assert shown(service) == {False}


def test_saying_a_faded_memory_again_brings_it_back(service: Service, clock: FakeClock) -> None:
    memory_id = add(service)
    clock.advance(30 * DAY_MS)
    again = service.add(Draft(content=TEXT, trust="agent"))
    assert (again.id, again.duplicate) == (memory_id, True)
    assert shown(service) == {True}


def test_settings_say_when_a_kind_fades_and_rows_follow(
    project: Path, embedder: Topics, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written under other rules is brought up to them by upkeep, and back."""
    first = opened(project, embedder, clock)
    memory_id = add(first)
    first.close()
    for days, moment in (("2", clock.now() + 2 * DAY_MS), ("0", None), ("21", clock.now() + 21 * DAY_MS)):
        monkeypatch.setenv("HOLDFAST_FADING_DISCOVERY", days)
        service = opened(project, embedder, clock)
        memory = service.peek(memory_id)
        assert memory
        assert memory.fades == moment
        service.close()


def test_a_clock_in_2099_hides_and_a_clock_set_right_shows_again(service: Service, clock: FakeClock) -> None:
    add(service)
    right = clock.moment
    clock.moment = 4_070_908_800_000
    assert shown(service) == {False}
    clock.moment = right
    assert shown(service) == {True}
