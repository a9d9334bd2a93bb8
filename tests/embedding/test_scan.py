"""The exact scan against brute force."""

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


def test_the_scan_finds_what_brute_force_finds() -> None:
    rows, queries = vectors(5_000), vectors(20, seed=1)
    whole, exact = scan.quantise(rows), scan.halve(rows)
    for query in queries:
        truth = np.argsort(-(rows @ query), kind="stable")[:10]
        found, cosines = scan.nearest(query, whole, scan.scales(rows), exact, 10)
        assert set(found.tolist()) == set(truth.tolist())
        np.testing.assert_allclose(cosines, rows[found] @ query, atol=1e-3)


def test_results_come_best_first_and_ties_by_row() -> None:
    rows = np.repeat(vectors(1), 5, axis=0)
    found, cosines = scan.nearest(rows[0], scan.quantise(rows), scan.scales(rows), scan.halve(rows), 3)
    assert found.tolist() == [0, 1, 2]
    assert np.all(np.diff(cosines) <= 0)


def test_a_filter_is_applied_before_the_scan() -> None:
    rows = vectors(1_000)
    places = np.arange(990, 1_000)
    found, _ = scan.nearest(rows[0], scan.quantise(rows), scan.scales(rows), scan.halve(rows), 10, places)
    assert sorted(found.tolist()) == places.tolist()


def test_more_is_asked_than_there_is() -> None:
    rows = vectors(3)
    found, _ = scan.nearest(rows[1], scan.quantise(rows), scan.scales(rows), scan.halve(rows), 10)
    assert sorted(found.tolist()) == [0, 1, 2]


def test_an_empty_index_gives_nothing() -> None:
    rows = vectors(1)[:0]
    found, cosines = scan.nearest(vectors(1)[0], scan.quantise(rows), scan.scales(rows), scan.halve(rows), 10)
    assert (found.tolist(), cosines.tolist()) == ([], [])


def test_a_filter_that_admits_nothing_gives_nothing() -> None:
    rows = vectors(5)
    nobody = np.empty(0, np.intp)
    found, _ = scan.nearest(rows[0], scan.quantise(rows), scan.scales(rows), scan.halve(rows), 10, nobody)
    assert found.tolist() == []


def test_zero_vectors_are_neither_an_error_nor_a_hit() -> None:
    rows = vectors(4)
    rows[2] = 0
    found, cosines = scan.nearest(rows[0], scan.quantise(rows), scan.scales(rows), scan.halve(rows), 4)
    assert found[0] == 0
    assert dict(zip(found.tolist(), cosines.tolist(), strict=True))[2] == 0


def test_quantised_rows_use_the_whole_range() -> None:
    assert np.abs(scan.quantise(vectors(10))).max(axis=1).tolist() == [127] * 10


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 300), st.integers(1, 20), st.integers(0, 1_000), st.sampled_from([8, 256, 384, 1024]))
def test_the_best_row_is_always_found(count: int, limit: int, seed: int, dimensions: int) -> None:
    rows, query = vectors(count, dimensions, seed), vectors(1, dimensions, seed + 1)[0]
    found, _ = scan.nearest(query, scan.quantise(rows), scan.scales(rows), scan.halve(rows), limit)
    assert len(found) == min(limit, count)
    assert rows[found[0]] @ query >= (rows @ query).max() - 1e-3
