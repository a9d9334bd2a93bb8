"""The bundled model: its files, its vectors and its manners."""

import contextlib
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from holdfast.embedding import minilm
from holdfast.embedding.minilm import RECORD, MiniLM, damaged_files
from holdfast.errors import ModelUnusable
from tests.hooking import HUNG_S

VARIED = (
    "def is_iterable(obj):\n    return hasattr(obj, '__iter__')",
    "We decided to keep SQLite because the tool must work without a server.",
    "数据库连接超时,请检查网络设置。",
    "",
    "ok",
    "word " * 600,
)


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def test_bundled_files_match_their_recorded_digests() -> None:
    assert damaged_files(RECORD) == []


def test_a_changed_or_missing_file_is_named(tmp_path: Path) -> None:
    for name in ("model.json", "NOTICE"):
        (tmp_path / name).write_bytes((minilm.FILES / name).read_bytes())
    (tmp_path / "tokenizer.json").write_text("{}")
    assert damaged_files(tmp_path / "model.json") == ["model.onnx", "tokenizer.json"]


def test_vectors_have_length_one_and_the_promised_shape(model: MiniLM) -> None:
    vectors = model.embed(VARIED)
    assert vectors.shape == (len(VARIED), model.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_vectors_are_those_of_the_original_model(model: MiniLM) -> None:
    """Cosines to the fp32 weights, recorded once with torch."""
    recorded = json.loads((Path(__file__).parent / "minilm_fp32.json").read_text("utf-8"))
    vectors = model.embed([entry["text"] for entry in recorded])
    truth = np.array([entry["vector"] for entry in recorded], np.float32)
    cosines = (vectors * truth).sum(axis=1) / np.linalg.norm(truth, axis=1)
    assert cosines.min() >= 0.985


def test_a_vector_does_not_depend_on_the_texts_beside_it(model: MiniLM) -> None:
    together = model.embed(VARIED)
    alone = np.concatenate([model.embed([text]) for text in VARIED])
    np.testing.assert_array_equal(together, alone)


def test_vectors_are_the_same_on_any_number_of_cores(model: MiniLM) -> None:
    """Bit by bit, and in the order of the texts though the longest are run first."""
    np.testing.assert_array_equal(MiniLM(cores=3).embed(VARIED), model.embed(VARIED))


def test_one_model_serves_several_threads_at_once(model: MiniLM) -> None:
    """Each of them with cores of its own."""
    shared = MiniLM(cores=2)
    alone = model.embed(VARIED)
    with ThreadPoolExecutor(3) as pool:
        for vectors in pool.map(shared.embed, [VARIED, VARIED[::-1], VARIED]):
            assert {row.tobytes() for row in vectors} == {row.tobytes() for row in alone}


def test_a_text_that_fails_on_another_core_fails_the_call() -> None:
    with pytest.raises(ModelUnusable, match="failed on a text"):
        MiniLM(cores=2).embed([*VARIED, "half a character: \udcff"])


def test_who_is_interrupted_on_several_cores_stops_and_can_go_on() -> None:
    """What was not begun is not run."""
    shared = MiniLM(cores=2)
    with contextlib.closing(shared._embedded([f"text {number}" for number in range(64)])) as vectors:
        next(vectors)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("holdfast-embed")]
    assert shared.embed(VARIED).shape == (len(VARIED), shared.dimensions)


def test_meaning_beats_shared_words(model: MiniLM) -> None:
    question, right, wrong = model.embed(
        ["how to sort a list", "order the elements of an array", "a list of hotels in Rome"]
    )
    assert question @ right > question @ wrong


def test_what_exceeds_256_tokens_is_cut(model: MiniLM) -> None:
    one, other = model.embed(["word " * 300 + "alpha", "word " * 300 + "omega"])
    np.testing.assert_array_equal(one, other)


def test_no_texts_give_no_rows(model: MiniLM) -> None:
    assert model.embed([]).shape == (0, model.dimensions)


def test_a_damaged_model_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.onnx").write_bytes(b"broken")
    monkeypatch.setattr(minilm, "FILES", tmp_path)
    with pytest.raises(ModelUnusable, match=r"model\.onnx cannot be loaded"):
        MiniLM().load()


def test_a_text_that_the_tokenizer_refuses_is_a_failure_of_the_model(model: MiniLM) -> None:
    with pytest.raises(ModelUnusable, match="failed on a text"):
        model.embed(["half a character: \udcff"])


def test_a_missing_onnxruntime_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelUnusable, match="pip install onnxruntime"):
        MiniLM().embed(["text"])


def test_importing_the_embedders_loads_no_third_party_module() -> None:
    source = Path(minilm.__file__).parents[3]
    code = (
        f"import sys; sys.path.insert(0, {str(source)!r})\n"
        "import holdfast.embedding.minilm, holdfast.embedding.hashing, holdfast.embedding.remote\n"
        "import holdfast.embedding.fastembed, holdfast.embedding.scan, holdfast.embedding.passages\n"
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers', 'numkong'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_who_embeds_many_texts_while_the_interpreter_ends_gets_their_vectors() -> None:
    """No thread can be started any more by then."""
    program = (
        "import atexit\n"
        "from holdfast.embedding.minilm import MiniLM\n"
        "atexit.register(lambda: print(MiniLM(cores=2).embed(list('abcde')).shape))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=HUNG_S)
    assert (done.stdout, done.stderr) == ("(5, 384)\n", "")
