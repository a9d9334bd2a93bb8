"""The steps of the exact scan; as a store runs them they are tested with the store's arrays."""

import subprocess
import sys
from array import array
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from holdfast.embedding import scan
from holdfast.embedding.scan import Probe

Floats = NDArray[np.float32]


def vectors(count: int, dimensions: int = 384, seed: int = 0) -> Floats:
    return scan.unit(np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32))


def halves(rows: Floats) -> bytes:
    return rows.astype(np.float16).tobytes()


def rough(query: Floats, rows: Floats) -> "array[float]":
    """Score rows by their int8 copies, as a store does."""
    copies, scale = scan.quantise(halves(rows), rows.shape[1])
    scores = array("f", bytes(4 * len(rows)))
    scan.rough(Probe(query), copies, memoryview(scores).cast("B").cast("f"))
    scan.scale_scores(scores, memoryview(scale).cast("f"))
    return scores


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
    assert int(np.argmax(rows @ query)) in scan.top(rough(query, rows), scan.pool(1))


def test_the_best_are_scored_again_to_three_digits() -> None:
    rows, query = vectors(500), vectors(1, seed=1)[0]
    np.testing.assert_allclose(scan.exact(Probe(query), halves(rows)), rows @ query, atol=1e-3)


def test_a_question_may_be_any_buffer_of_floats() -> None:
    query = vectors(1)[0]
    plain, numpys = Probe(array("f", query.tolist())), Probe(query)
    assert (plain.whole, plain.half, plain.width) == (numpys.whole, numpys.half, numpys.width)


def test_no_rows_have_no_scores() -> None:
    nothing, query = vectors(1)[:0], vectors(1)[0]
    assert len(rough(query, nothing)) == 0
    assert len(scan.exact(Probe(query), halves(nothing))) == 0


def test_zero_vectors_are_neither_an_error_nor_near() -> None:
    rows = vectors(4)
    rows[2] = 0
    scores = rough(rows[0], rows)
    assert (int(np.argmax(scores)), scores[2]) == (0, 0)
    assert rough(rows[2], rows).tolist() == [0] * 4
    assert scan.unit(rows)[2].tolist() == [0] * 384


def test_quantised_rows_use_the_whole_range() -> None:
    rows = vectors(10)
    copies, scale = scan.quantise(halves(rows), 384)
    whole = np.frombuffer(copies, np.int8).reshape(10, 384)
    assert np.abs(whole).max(axis=1).tolist() == [127] * 10
    np.testing.assert_allclose(whole * np.frombuffer(scale, np.float32)[:, None], rows, atol=2e-3)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.floats(-1, 1, width=32) | st.just(-float("inf")), max_size=400), st.integers(0, 30), st.booleans()
)
def test_the_top_are_the_highest_scores_best_first(values: list[float], count: int, equal: bool) -> None:
    """Also where many are equal, or out of reach."""
    scores = array("f", [round(value, 1) if equal and value > -1 else value for value in values])
    assert [scores[place] for place in scan.top(scores, count)] == sorted(scores, reverse=True)[:count]


def test_a_scan_needs_no_numpy_where_numkong_loads(kernel: str) -> None:
    if kernel == "numpy":
        pytest.skip("there it is what scans")
    program = (
        "import sys; from array import array; from holdfast.embedding import scan\n"
        "cosines = scan.exact(scan.Probe(array('f', [0.6, 0.8])), bytes.fromhex('cd386639cd386639'))\n"
        "print(len(cosines), 'numpy' in sys.modules); import numpy; print(len(numpy.ones(2)))"
    )
    source = str(Path(scan.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONPATH": source}
    )
    assert done.stdout.split() == ["2", "False", "2"]
