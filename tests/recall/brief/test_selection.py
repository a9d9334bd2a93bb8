"""Which of the scored entries go in, and how much is looked at."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.brief import Health, Latency
from holdfast.recall.brief.account import DEGRADED_LIMITS, HEALTHY_LIMITS, judge
from holdfast.recall.brief.candidates import ScoredEntry
from holdfast.recall.brief.choose import select
from holdfast.recall.brief.threads import RelevantThread
from tests.contract.builders import a_memory, a_thread


def entry(score: float) -> ScoredEntry:
    """Return a memory with a score."""
    return ScoredEntry(a_memory(), {"relevance": score})


def thread(score: float) -> ScoredEntry:
    """Return a thread with a score."""
    return ScoredEntry(RelevantThread(a_thread(), ()), {"relevance": score})


def test_of_the_best_fifteen_the_lowest_go_and_five_stay() -> None:
    entries = [entry(number / 100) for number in range(40)]
    assert [one.score for one in select(entries)] == [0.39, 0.38, 0.37, 0.36, 0.35]


def test_the_lowest_of_a_few_goes_but_never_the_only_one() -> None:
    assert len(select([entry(1.0)])) == 1
    assert len(select([entry(1.0 - n / 10) for n in range(5)])) == 4
    assert select([]) == []


def test_threads_have_places_beside_those_of_memories() -> None:
    entries = [thread(1.0 - n / 100) for n in range(7)] + [entry(0.99 - n / 100) for n in range(8)]
    kinds = [isinstance(one.source, RelevantThread) for one in select(entries)]
    assert (kinds.count(True), kinds.count(False)) == (6, 5)


def test_while_briefs_are_slow_less_is_looked_at() -> None:
    assert (HEALTHY_LIMITS.best, HEALTHY_LIMITS.candidates) == (15, 500)
    assert (DEGRADED_LIMITS.best, DEGRADED_LIMITS.candidates) == (5, 100)
    assert len(select([entry(1 - n / 100) for n in range(40)], DEGRADED_LIMITS)) == 4


@given(st.lists(st.floats(0.01, 2), max_size=40))
def test_what_is_chosen_is_best_first_and_no_more_than_five(scores: list[float]) -> None:
    chosen = select([entry(score) for score in scores])
    assert [one.score for one in chosen] == sorted((one.score for one in chosen), reverse=True)
    assert len(chosen) <= 5
    assert bool(chosen) == bool(scores)


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
