"""Which of the scored entries go in, and how much is looked at."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.brief import Health, Latency
from holdfast.recall.brief.account import DEGRADED_LIMITS, HEALTHY_LIMITS, judge
from holdfast.recall.brief.choose import select


@dataclass(frozen=True)
class Entry:
    """Something scored."""

    score: float
    session: str | None = None


def test_of_the_best_fifteen_the_lowest_go_and_five_stay() -> None:
    entries = [Entry(number / 100) for number in range(40)]
    assert [one.score for one in select(entries)] == [0.39, 0.38, 0.37, 0.36, 0.35]


def test_the_lowest_third_of_a_few_goes_but_never_the_only_one() -> None:
    assert len(select([Entry(1.0)])) == 1
    assert len(select([Entry(1.0), Entry(0.5), Entry(0.4)])) == 3
    assert len(select([Entry(1.0 - n / 10) for n in range(6)])) == 5
    assert select([]) == []


def test_no_more_than_two_come_from_one_session() -> None:
    entries = [Entry(1.0 - n / 100, "one") for n in range(6)] + [Entry(0.5, "two"), Entry(0.4), Entry(0.3)]
    assert [one.session for one in select(entries)] == ["one", "one", "two"]
    spread = [Entry(1.0, "one"), Entry(0.9, "one"), Entry(0.8, "one"), Entry(0.7), Entry(0.6), Entry(0.5)]
    assert [one.score for one in select(spread)] == [1.0, 0.9, 0.7, 0.6]


def test_while_briefs_are_slow_less_is_looked_at() -> None:
    assert (HEALTHY_LIMITS.best, HEALTHY_LIMITS.candidates) == (15, 500)
    assert (DEGRADED_LIMITS.best, DEGRADED_LIMITS.candidates) == (5, 100)
    assert len(select([Entry(1 - n / 100) for n in range(40)], DEGRADED_LIMITS)) == 4


@given(st.lists(st.tuples(st.floats(0.01, 2), st.sampled_from(["a", "b", None])), max_size=40))
def test_what_is_chosen_is_best_first_and_no_more_than_five(rows: list[tuple[float, str | None]]) -> None:
    chosen = select([Entry(*row) for row in rows])
    assert [one.score for one in chosen] == sorted((one.score for one in chosen), reverse=True)
    assert len(chosen) <= 5
    assert bool(chosen) == bool(rows)


def took(*milliseconds: int, cut: bool = False, degraded: bool = False) -> list[Latency]:
    """Return latencies, newest first."""
    return [Latency(took_ms=one, cut=cut, degraded=degraded) for one in milliseconds]


def test_under_five_samples_nothing_is_judged() -> None:
    assert judge(took(900, 900, 900, 900)) == Health(samples=4, p95_ms=None, degraded=False)


def test_briefs_that_are_slow_degrade_and_stay_so_until_they_are_fast() -> None:
    assert judge(took(*[301] * 10)).degraded
    assert not judge(took(*[300] * 10)).degraded
    assert judge(took(*[250] * 10, degraded=True)).degraded
    assert not judge(took(*[199] * 10, degraded=True)).degraded


def test_one_slow_brief_in_a_hundred_changes_nothing_and_six_do() -> None:
    assert not judge(took(*[20] * 95, *[900] * 5)).degraded
    health = judge(took(*[20] * 94, *[900] * 6))
    assert health == Health(samples=100, p95_ms=900, degraded=True)


def test_what_was_cut_off_counts_as_slow_whatever_the_clock_says() -> None:
    assert judge(took(*[150] * 5, cut=True)).degraded


def test_only_the_latest_hundred_count() -> None:
    assert judge(took(*[20] * 100, *[900] * 300)).p95_ms == 20
