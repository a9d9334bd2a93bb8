"""Which terms a query can afford."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.stores.weights import MEMORY_COLUMNS, POSTINGS_BUDGET, TURN_COLUMNS, affordable


def test_columns_weigh_what_the_design_says() -> None:
    """Of memories: content and title 2, tags 1.5, files 1.2, the rest 1. Of turns: as the benchmark chose."""
    assert dict(MEMORY_COLUMNS) == {
        "content": 2.0, "title": 2.0, "tags": 1.5, "files": 1.2, "context": 1.0, "kind": 1.0, "identifiers": 1.0,
    }  # fmt: skip
    assert dict(TURN_COLUMNS) == {"text": 1.0, "files": 1.2, "speaker": 1.0, "identifiers": 0.5, "day": 1.0}
    assert POSTINGS_BUDGET == 20_000


def test_the_most_frequent_terms_are_dropped_first() -> None:
    """Whatever their place in the query."""
    assert affordable([50, 3, 40, 5], 100) == [True, True, True, True]
    assert affordable([50, 3, 40, 5], 97) == [False, True, True, True]
    assert affordable([50, 3, 40, 5], 8) == [False, True, False, True]


def test_the_rarest_is_kept_at_any_price() -> None:
    """A query is never emptied."""
    assert affordable([500, 400], 10) == [False, True]
    assert affordable([500], 10) == [True]
    assert affordable([], 10) == []


def test_absent_terms_cost_nothing_but_do_not_stand_in_for_the_rarest() -> None:
    """A word that no document holds must not be the only one looked for."""
    assert affordable([0, 500, 900], 10) == [True, True, False]


@given(frequencies=st.lists(st.integers(0, 1_000), min_size=1), budget=st.integers(0, 5_000))
def test_what_is_searched_fits_the_budget_and_is_rarer_than_what_is_not(
    frequencies: list[int], budget: int
) -> None:
    """The rarest that occurs aside."""
    chosen = affordable(frequencies, budget)
    bought = [frequency for frequency, looked in zip(frequencies, chosen, strict=True) if looked]
    left = [frequency for frequency, looked in zip(frequencies, chosen, strict=True) if not looked]
    present = [frequency for frequency in bought if frequency]
    assert sum(bought) <= budget or len(present) == 1
    assert not left or max(bought) <= min(left)
