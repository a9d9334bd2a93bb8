"""Searching arrays against brute force: base and tail, dead and living, filtered or not, one chunk or more."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from holdfast.embedding import scan
from holdfast.stores.sqlite import arrays
from holdfast.stores.sqlite.arrays import Arrays, Block, make_block

DIMENSIONS = 32
Floats = NDArray[np.float32]


def vectors(count: int, seed: int) -> Floats:
    """Return random unit vectors, as exact as a store keeps them."""
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    return scan.unit(rows).astype(np.float16).astype(np.float32)


def block(rows: list[int], embeddings: Floats) -> Block:
    """Put vectors into a block."""
    return make_block(rows, [one.astype(np.float16).tobytes() for one in embeddings], DIMENSIONS)


def truth(rows: list[int], embeddings: Floats, query: Floats, limit: int) -> list[tuple[int, float]]:
    """Return the best cosine of each row, best first, by looking at everything."""
    best: dict[int, float] = {}
    for row, cosine in zip(rows, embeddings @ query, strict=True):
        best[row] = max(best.get(row, -2.0), float(cosine))
    return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


@pytest.fixture(params=["numkong", "numpy"], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of multiplying."""
    if request.param == "numpy":
        monkeypatch.setattr(scan, "_numkong", lambda: None)
    else:
        pytest.importorskip("numkong")


def test_the_nearest_are_what_brute_force_finds() -> None:
    rows, embeddings = list(range(3_000)), vectors(3_000, 1)
    found = Arrays(block(rows, embeddings))
    for query in vectors(20, 2):
        expected = truth(rows, embeddings, query, 10)
        nearest = found.nearest(query, 10, None)
        assert [row for row, _ in nearest] == [row for row, _ in expected]
        assert [cosine for _, cosine in nearest] == pytest.approx([cosine for _, cosine in expected], abs=2e-3)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_whatever_changed_and_whatever_is_filtered_the_nearest_are_right(data: st.DataObject) -> None:
    """Rows of several chunks that came, went and were embedded anew, with a mask over them."""
    seeds = st.integers(0, 10_000)
    held: dict[int, Floats] = {row: vectors(1 + row % 3, row) for row in range(data.draw(st.integers(1, 80)))}
    found = Arrays(_block_of(held))
    for _ in range(data.draw(st.integers(0, 4))):
        changed = data.draw(st.lists(st.integers(0, 99), unique=True, max_size=20))
        fresh = {
            row: vectors(1 + row % 2, data.draw(seeds)) for row in sorted(changed) if data.draw(st.booleans())
        }
        found.change(np.array(sorted(changed), np.int64), _block_of(fresh))
        held = {row: one for row, one in held.items() if row not in changed} | fresh
    wanted = data.draw(st.none() | st.sets(st.integers(0, 99)))
    mask = None if wanted is None else np.isin(found.rows, sorted(wanted))
    seen = {row: one for row, one in held.items() if wanted is None or row in wanted}
    query, limit = vectors(1, data.draw(seeds))[0], data.draw(st.integers(1, 120))
    rows, embeddings = _flat(seen)
    expected = dict(truth(rows, embeddings, query, limit))
    nearest = dict(found.nearest(query, limit, mask))
    assert sorted(nearest.values()) == pytest.approx(sorted(expected.values()), abs=2e-3)
    assert len(found) == sum(map(len, held.values()))


def test_a_zero_vector_is_neither_an_error_nor_near() -> None:
    embeddings = vectors(4, 3)
    embeddings[2] = 0
    found = Arrays(block([1, 2, 3, 4], embeddings)).nearest(embeddings[0], 4, None)
    assert (found[0][0], dict(found)[3]) == (1, 0)


def test_equal_cosines_come_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "LONGEST_TAIL", 0)
    one = vectors(1, 4)
    found = Arrays(block([1, 2, 3], np.repeat(one, 3, axis=0)))
    found.change(np.array([2], np.int64), block([2], one))
    assert [row for row, _ in found.nearest(one[0], 9, None)] == [1, 2, 3]


def _block_of(held: dict[int, Floats]) -> Block:
    rows, embeddings = _flat(held)
    return block(rows, embeddings)


def _flat(held: dict[int, Floats]) -> tuple[list[int], Floats]:
    rows = [row for row in sorted(held) for _ in held[row]]
    return rows, np.concatenate([held[row] for row in sorted(held)]) if held else np.empty(
        (0, DIMENSIONS), np.float32
    )
