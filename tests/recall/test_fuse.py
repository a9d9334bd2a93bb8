"""Two channels become one score."""

import pytest

from holdfast.recall.rating import RRF_K, RRF_RANKS, rrf, scale_channels


def test_a_weighted_sum_takes_scores_as_they_are() -> None:
    scales = scale_channels("weighted", {"a": 0.4}, {"a": 0.5, "b": 0.2})
    assert (scales.keyword, scales.cosine, scales.known) == ({"a": 0.4}, {"a": 0.5, "b": 0.2}, 1.0)


def test_meaning_counts_as_far_as_it_is_known_and_words_stand_in_for_the_rest() -> None:
    """What waits for its vector is neither last nor first for that."""
    scales = scale_channels("weighted", {"a": 0.5, "b": 0.25, "c": 0.1, "d": 0.1}, {"a": 0.4})
    assert scales.share(0.8) == pytest.approx(0.2)
    assert scales.meaning("a") == 0.4
    assert scales.meaning("b") == pytest.approx(0.3 + 0.6 * 0.25)
    assert scale_channels("weighted", {"a": 0.5}, {}).share(0.8) == 0.0


def test_minmax_stretches_words_from_nothing_and_meaning_from_the_lowest() -> None:
    scales = scale_channels("minmax", {"a": 0.4, "b": 0.1}, {"a": 0.5, "b": 0.3, "c": 0.4})
    assert scales.keyword == pytest.approx({"a": 1.0, "b": 0.25})
    assert scales.cosine == pytest.approx({"a": 1.0, "b": 0.0, "c": 0.5})
    assert scales.meaning("unknown") == 0.0


def test_equal_scores_stay_equal_when_stretched() -> None:
    assert scale_channels("minmax", {}, {"a": 0.3, "b": 0.3}).cosine == {"a": 1.0, "b": 1.0}
    assert scale_channels("minmax", {"a": 0.0}, {}).keyword == {"a": 0.0}


def test_ranks_give_one_over_k_plus_rank() -> None:
    assert rrf({"a": 0.9, "b": 0.1}, {"b": 0.8}, 10) == {
        "a": (1 / (RRF_K + 1), 0.0),
        "b": (1 / (RRF_K + 2), 1 / (RRF_K + 1)),
    }


def test_a_row_in_both_lists_beats_one_that_leads_either() -> None:
    """However low it stands in both."""
    words = {f"w{rank}": 1 - rank / 1_000 for rank in range(RRF_RANKS - 1)} | {"both": 0.0}
    near = {f"n{rank}": 1 - rank / 1_000 for rank in range(RRF_RANKS - 1)} | {"both": 0.0}
    scores = {key: sum(parts) for key, parts in rrf(words, near, RRF_RANKS).items()}
    assert max(scores, key=lambda key: scores[key]) == "both"


def test_as_many_ranks_count_as_hits_are_wanted() -> None:
    """A row beyond the ranks that count would not be found at all."""
    words = {f"w{rank}": 1 - rank / 1_000 for rank in range(400)}
    assert [len(rrf(words, {}, limit)) for limit in (10, 100, 400)] == [RRF_RANKS, 100, 400]
