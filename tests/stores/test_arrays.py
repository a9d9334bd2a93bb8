"""Searching arrays against brute force: base and tail, dead and living, filtered or not, one chunk or more."""

from array import array
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from holdfast.embedding import scan
from holdfast.embedding.scan import Probe
from holdfast.stores.arrays import Arrays, Block, Copies, empty_block

DIMENSIONS = 32
Floats = NDArray[np.float32]
Held = dict[int, Floats]


def vectors(count: int, seed: int) -> Floats:
    """Return random unit vectors, as exact as a store keeps them."""
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    return scan.unit(rows).astype(np.float16).astype(np.float32)


def halves(held: Held) -> dict[int, bytes]:
    """Return vectors as a database has them."""
    return {row: held[row].astype(np.float16).tobytes() for row in sorted(held)}


def arrays(held: Held) -> Arrays:
    """Return arrays with these vectors in their base."""
    made = Arrays(empty_block(DIMENSIONS))
    made.change((), halves(held))
    return Arrays(made.compact())


def nearest(
    found: Arrays, held: Held, query: Floats, limit: int, only: set[int] | None = None, but: Iterable[int] = ()
) -> list[tuple[int, float]]:
    """Ask arrays, beside a database that has these vectors."""
    database = halves(held)
    return found.nearest(
        Probe(query),
        limit,
        lambda rows: {row: database[row] for row in rows if row in database},
        only=None if only is None else frozenset(only),
        but=frozenset(but),
    )


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
    embeddings = vectors(3_000, 1)
    held = {row: embeddings[row : row + 1] for row in range(3_000)}
    found = arrays(held)
    for query in vectors(20, 2):
        expected = truth(list(range(3_000)), embeddings, query, 10)
        near = nearest(found, held, query, 10)
        assert [row for row, _ in near] == [row for row, _ in expected]
        assert [cosine for _, cosine in near] == pytest.approx([cosine for _, cosine in expected], abs=2e-3)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_whatever_changed_and_whatever_is_filtered_the_nearest_are_right(data: st.DataObject) -> None:
    """Rows of several chunks that came, went and were embedded anew, with some that do not count."""
    seeds = st.integers(0, 10_000)
    rows_of = st.sets(st.integers(0, 199))
    held: Held = {row: vectors(1 + row % 3, row) for row in range(data.draw(st.integers(0, 150)))}
    found = arrays(held)
    for _ in range(data.draw(st.integers(0, 4))):
        changed = data.draw(st.lists(st.integers(0, 199), unique=True, max_size=20))
        fresh = {row: vectors(1 + row % 2, data.draw(seeds)) for row in changed if data.draw(st.booleans())}
        found.change(changed, halves(fresh))
        held = {row: one for row, one in held.items() if row not in changed} | fresh
        assert {row for row in changed if found.holds([row])} == set(fresh)
    if data.draw(st.booleans()):
        found = Arrays(found.compact())
    only, but = data.draw(st.none() | rows_of), data.draw(rows_of)
    seen = {row: held[row] for row in held if (row not in but if only is None else row in only)}
    query, limit = vectors(1, data.draw(seeds))[0], data.draw(st.integers(1, 220))
    expected = truth(*_flat(seen), query, limit)
    near = nearest(found, held, query, limit, only, but)
    assert [cosine for _, cosine in near] == pytest.approx([cosine for _, cosine in expected], abs=2e-3)
    assert {row for row, _ in near} <= set(seen)
    assert len(found) == sum(map(len, held.values()))


def test_a_zero_vector_is_neither_an_error_nor_near() -> None:
    embeddings = vectors(4, 3)
    embeddings[2] = 0
    held = {row: embeddings[row - 1 : row] for row in (1, 2, 3, 4)}
    near = nearest(arrays(held), held, embeddings[0], 4)
    assert (near[0][0], dict(near)[3]) == (1, 0)


def test_equal_cosines_come_by_row() -> None:
    one = vectors(1, 4)
    held = dict.fromkeys((1, 2, 3), one)
    found = arrays(held)
    found.change([2], halves({2: one}))
    assert [row for row, _ in nearest(found, held, one[0], 9)] == [1, 2, 3]


class Once(Copies):
    """Copies that are looked at once: exact vectors come from the database."""

    again = False


def test_what_the_database_has_decides_how_near_a_row_is() -> None:
    """A copy that went wrong can only hide a row, never make one near."""
    held = {row: vectors(1, row) for row in range(200)}
    wrong = Block(
        memoryview(array("q", range(200))),
        memoryview(array("f", [1.0] * 200)),
        Once(np.random.default_rng(1).integers(-127, 127, 200 * DIMENSIONS, np.int8).tobytes()),
        memoryview(b""),
        DIMENSIONS,
    )
    query = vectors(1, 7)[0]
    for row, cosine in nearest(Arrays(wrong), held, query, 50):
        assert cosine == pytest.approx(float(held[row][0] @ query), abs=2e-3)


def _flat(held: Held) -> tuple[list[int], Floats]:
    rows = [row for row in sorted(held) for _ in held[row]]
    return rows, np.concatenate([held[row] for row in sorted(held)]) if held else np.empty(
        (0, DIMENSIONS), np.float32
    )
