"""Decay is a function of what is stored; it changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.limits import DAY_MS
from holdfast.ports import Store
from holdfast.upkeep.rules import decayed_importance
from tests.contract.builders import NOW, a_memory, keep
from tests.table import table

WEEK = 7 * DAY_MS


@table(
    ("fields", "weeks", "weight"),
    [
        ({"status": "confirmed", "reads": 10}, 0, 0.8),
        ({"status": "confirmed", "reads": 10}, 1, 0.8 * 0.95),
        ({"status": "confirmed", "reads": 10}, 2, 0.8 * 0.95**2),
        ({"status": "candidate", "reads": 10}, 0, 0.8 * 0.9),
        ({"status": "confirmed", "reads": 0}, 0, 0.8 * 0.5),
        ({"status": "confirmed", "reads": 4}, 0, 0.8 * 0.7),
        ({"status": "confirmed", "reads": 99}, 0, 0.8),
        ({"status": "candidate", "reads": 0}, 4, 0.8 * 0.95**4 * 0.9 * 0.5),
        ({"status": "pinned", "reads": 0}, 52, 0.8),
    ],
)
def test_importance_decays_by_time_doubt_and_neglect(fields: dict[str, object], weeks: int, weight: float) -> None:
    assert decayed_importance(a_memory(importance=0.8, **fields), NOW + weeks * WEEK) == pytest.approx(weight)


def test_time_counts_from_the_last_read_or_confirmation() -> None:
    read = a_memory(accessed_at=NOW + WEEK, reads=10, status="confirmed")
    confirmed = a_memory(accessed_at=NOW - WEEK, renewed_at=NOW + WEEK, reads=10, status="confirmed")
    assert (
        decayed_importance(read, NOW + 2 * WEEK)
        == decayed_importance(confirmed, NOW + 2 * WEEK)
        == pytest.approx(0.5 * 0.95)
    )


def test_a_clock_that_went_back_makes_nothing_heavier() -> None:
    memory = a_memory(status="confirmed", reads=10)
    assert decayed_importance(memory, NOW - 99 * WEEK) == decayed_importance(memory, NOW) == 0.5


def test_decay_a_hundred_times_equals_once(store: Store) -> None:
    """What is stored stays as it was said."""
    memory = a_memory(importance=0.8)
    keep(store, memory)
    weights = set()
    for _ in range(100):
        [found] = store.memories.get([memory.id])
        weights.add(decayed_importance(found, NOW + 9 * WEEK))
    assert len(weights) == 1
    assert store.memories.get([memory.id]) == [memory]


@given(importance=st.floats(0, 1), reads=st.integers(0, 50), days=st.integers(0, 40_000), doubted=st.booleans())
def test_a_decayed_weight_never_exceeds_what_was_said(
    importance: float, reads: int, days: int, doubted: bool
) -> None:
    memory = a_memory(importance=importance, reads=reads, status="candidate" if doubted else "confirmed")
    assert 0 <= decayed_importance(memory, NOW + days * DAY_MS) <= importance
