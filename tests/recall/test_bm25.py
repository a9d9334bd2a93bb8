"""Keyword scores from plain counts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.search import Candidate, Matches
from holdfast.recall.bm25 import score


def matches(
    documents: int,
    tokens: int,
    holding: tuple[int, ...],
    *candidates: Candidate,
    searched: tuple[bool, ...] | None = None,
) -> Matches:
    """Make what a store answers."""
    return Matches(
        documents=documents,
        tokens=tokens,
        document_frequencies=holding,
        searched=searched or (True,) * len(holding),
        candidates=candidates,
    )


def test_a_score_is_bm25_as_a_share_of_the_most_the_query_allows() -> None:
    """Worked out by hand for two terms, of which the document holds one."""
    found = matches(10, 100, (1, 4), Candidate("a", (2.0, 0.0), 10))
    rare, common = math.log(1 + 9.5 / 1.5), math.log(1 + 6.5 / 4.5)
    [one] = score([found])
    assert one.score == pytest.approx(rare * 2.0 / (2.0 + 1.2) / (rare + common))
    assert one.coverage == pytest.approx(rare / (rare + common))
    assert (one.store, one.id) == (0, "a")


def test_a_whole_answer_covers_everything() -> None:
    """Whatever the number of words."""
    for width in (1, 3, 7):
        [one] = score([matches(5, 50, (1,) * width, Candidate("a", (1.0,) * width, 10))])
        assert one.coverage == pytest.approx(1.0)


def test_rarer_words_more_often_in_shorter_documents_score_higher() -> None:
    """Each on its own."""
    found = matches(
        100,
        1_000,
        (2, 60),
        Candidate("rare", (1.0, 0.0), 10),
        Candidate("common", (0.0, 1.0), 10),
        Candidate("often", (3.0, 0.0), 10),
        Candidate("long", (1.0, 0.0), 40),
    )
    assert [one.id for one in score([found])] == ["often", "rare", "long", "common"]


def test_equal_scores_stay_in_the_order_they_came() -> None:
    """Best first, then as the stores had it."""
    same = [Candidate(name, (1.0,), 10) for name in "cab"]
    assert [one.id for one in score([matches(5, 50, (3,), *same)])] == ["c", "a", "b"]


def test_a_word_that_no_store_looked_for_weighs_nothing() -> None:
    """What was too frequent to read cannot count against an answer."""
    found = matches(100, 1_000, (90, 2), Candidate("a", (0.0, 1.0), 10), searched=(False, True))
    assert score([found])[0].coverage == pytest.approx(1.0)


def test_nothing_found_scores_nothing() -> None:
    """No division by an empty store."""
    assert score([]) == []
    assert score([matches(0, 0, (0, 0))]) == []
    assert score([matches(7, 0, (0,)), matches(0, 0, (0,))]) == []


COUNTS = st.integers(0, 5)
DOCUMENTS = st.lists(st.tuples(st.tuples(COUNTS, COUNTS), st.integers(1, 40)), max_size=8)


def one_store(documents: list[tuple[tuple[int, int], int]], label: str) -> Matches:
    """Make the answer of a store that holds these documents."""
    candidates = [
        Candidate(f"{label}{place}", (float(first), float(second)), length)
        for place, ((first, second), length) in enumerate(documents)
        if first or second
    ]
    holding = tuple(sum(1 for counts, _ in documents if counts[term]) for term in (0, 1))
    return matches(len(documents), sum(length for _, length in documents), holding, *candidates)


@given(mine=DOCUMENTS, yours=DOCUMENTS)
def test_pooled_scores_are_those_of_one_store_with_everything(
    mine: list[tuple[tuple[int, int], int]], yours: list[tuple[tuple[int, int], int]]
) -> None:
    """Counts are summed before anything is scored."""
    pooled = score([one_store(mine, "m"), one_store(yours, "y")])
    whole = score([one_store(mine + yours, "w")])
    assert [one.score for one in pooled] == pytest.approx([one.score for one in whole])
    assert sorted(one.coverage for one in pooled) == pytest.approx(sorted(one.coverage for one in whole))
    assert {one.store for one in pooled if one.id.startswith("y")} <= {1}
