"""The exact scan, as a store runs it, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.embedding import scan
from holdfast.stores.sqlite.arrays import Arrays, make_block


def vectors(count: int, dimensions: int = 384, seed: int = 0) -> scan.Floats:
    return scan.unit(np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32))


@pytest.fixture(params=["numkong", "numpy"], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "numpy":
        monkeypatch.setattr(scan, "_numkong", lambda: None)
    else:
        pytest.importorskip("numkong")
    return str(request.param)


def arrays(rows: scan.Floats) -> Arrays:
    """Return vectors as a store has them; the row of each is its place."""
    embeddings = [row.astype(np.float16).tobytes() for row in rows]
    return Arrays(make_block(list(range(len(rows))), embeddings, rows.shape[1]))


def nearest(rows: scan.Floats, query: scan.Floats, limit: int, only: list[int] | None = None) -> dict[int, float]:
    """Return the rows nearest to the query, best first."""
    mask = None if only is None else np.isin(np.arange(len(rows)), only)
    return dict(arrays(rows).nearest(query, limit, mask))


def test_the_scan_finds_what_brute_force_finds() -> None:
    rows, queries = vectors(5_000), vectors(20, seed=1)
    kept = arrays(rows)
    for query in queries:
        truth = np.argsort(-(rows @ query), kind="stable")[:10]
        found = dict(kept.nearest(query, 10, None))
        assert set(found) == set(truth.tolist())
        np.testing.assert_allclose(list(found.values()), rows[list(found)] @ query, atol=1e-3)


def test_results_come_best_first_and_ties_by_row() -> None:
    rows = np.repeat(vectors(1), 5, axis=0)
    found = nearest(rows, rows[0], 3)
    assert list(found) == [0, 1, 2]
    assert np.all(np.diff(list(found.values())) <= 0)


@pytest.mark.parametrize("least", [10, 990])
def test_a_filter_is_applied_before_the_scan(least: int) -> None:
    """Whether it leaves much or little."""
    places = list(range(least, 1_000))
    found = nearest(vectors(1_000), vectors(1_000)[0], 10, places)
    assert len(found) == 10
    assert set(found) <= set(places)


def test_more_is_asked_than_there_is() -> None:
    assert sorted(nearest(vectors(3), vectors(3)[1], 10)) == [0, 1, 2]


def test_an_empty_index_gives_nothing() -> None:
    assert nearest(vectors(1)[:0], vectors(1)[0], 10) == {}


def test_a_filter_that_admits_nothing_gives_nothing() -> None:
    assert nearest(vectors(5), vectors(5)[0], 10, []) == {}


def test_zero_vectors_are_neither_an_error_nor_a_hit() -> None:
    rows = vectors(4)
    rows[2] = 0
    found = nearest(rows, rows[0], 4)
    assert next(iter(found)) == 0
    assert found[2] == 0


def test_quantised_rows_use_the_whole_range() -> None:
    assert np.abs(scan.quantise(vectors(10))).max(axis=1).tolist() == [127] * 10


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 300), st.integers(1, 20), st.integers(0, 1_000), st.sampled_from([8, 256, 384, 1024]))
def test_the_best_row_is_always_found(count: int, limit: int, seed: int, dimensions: int) -> None:
    rows, query = vectors(count, dimensions, seed), vectors(1, dimensions, seed + 1)[0]
    found = nearest(rows, query, limit)
    assert len(found) == min(limit, count)
    assert rows[next(iter(found))] @ query >= (rows @ query).max() - 1e-3
