"""The steps of the exact scan; as a store runs them they are tested with the store's arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.embedding import scan


def vectors(count: int, dimensions: int = 384, seed: int = 0) -> scan.Floats:
    return scan.unit(np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32))


@pytest.fixture(params=["numkong", "numpy"], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "numpy":
        monkeypatch.setattr(scan, "_numkong", lambda: None)
    else:
        pytest.importorskip("numkong")
    return str(request.param)


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 300), st.integers(0, 1_000), st.sampled_from([8, 256, 384, 1024]))
def test_int8_copies_order_rows_nearly_as_their_cosines_do(count: int, seed: int, dimensions: int) -> None:
    """Near enough that the best is always among those scored again."""
    rows, query = vectors(count, dimensions, seed), vectors(1, dimensions, seed + 1)[0]
    scores = scan.rough(scan.quantise(query), scan.quantise(rows), scan.scales(rows))
    kept = scan.top(scores, scan.pool(1))
    assert int(np.argmax(rows @ query)) in kept.tolist()


def test_the_best_are_scored_again_to_three_digits() -> None:
    rows, query = vectors(500), vectors(1, seed=1)[0]
    np.testing.assert_allclose(scan.rescored(query, rows.astype(np.float16)), rows @ query, atol=1e-3)


def test_no_rows_have_no_scores() -> None:
    nothing, query = vectors(1)[:0], vectors(1)[0]
    assert len(scan.rough(scan.quantise(query), scan.quantise(nothing), scan.scales(nothing))) == 0
    assert len(scan.rescored(query, nothing.astype(np.float16))) == 0


def test_zero_vectors_are_neither_an_error_nor_near() -> None:
    rows = vectors(4)
    rows[2] = 0
    scores = scan.rough(scan.quantise(rows[0]), scan.quantise(rows), scan.scales(rows))
    assert (int(np.argmax(scores)), scores[2]) == (0, 0)
    assert scan.unit(rows)[2].tolist() == [0] * 384


def test_quantised_rows_use_the_whole_range() -> None:
    assert np.abs(scan.quantise(vectors(10))).max(axis=1).tolist() == [127] * 10


def test_the_top_are_as_many_as_asked_or_all() -> None:
    scores = np.array([3, 1, 2], np.float32)
    assert sorted(scan.top(scores, 2).tolist()) == [0, 2]
    assert sorted(scan.top(scores, 9).tolist()) == [0, 1, 2]
