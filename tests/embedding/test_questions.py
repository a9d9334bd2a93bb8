"""Who makes the vector of a question: the model where it is loaded, the table where it is not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.embedding.hashing import Hashing
from holdfast.embedding.minilm import MiniLM
from holdfast.embedding.static import bundled
from holdfast.model.vectors import MINILM, STATIC
from holdfast.recall.ranking import Ranking
from holdfast.storage.options import question_encoder

RULE = "The interface is dark at night"
ASKED = "black colour theme"


def test_the_table_encodes_questions_until_the_model_is_loaded() -> None:
    model = MiniLM()
    encode = question_encoder(model)
    first = encode(ASKED)
    assert (first.encoder, first.vector) == (STATIC, bundled().encode(ASKED))
    assert not model.loaded
    model.load()
    second = encode(ASKED)
    assert second.encoder == MINILM
    assert second.vector == pytest.approx(model.embed_query(ASKED))


def test_other_embedders_encode_questions_themselves() -> None:
    embedder = Hashing()
    question = question_encoder(embedder)(ASKED)
    assert (question.encoder, question.vector) == (embedder.model, embedder.embed_query(ASKED))


def test_each_encoder_has_a_floor_of_its_own() -> None:
    ranking = Ranking()
    assert ranking.floor_for(STATIC).cosine > ranking.floor_for(MINILM).cosine
    assert ranking.floor_for("bge-m3") == ranking.floor_for("") == ranking.floor


def test_a_command_searches_by_meaning_without_loading_a_model(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The words of the question stand nowhere in the answer, which says who judged it."""
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    with Holdfast.open(project) as memory:
        memory.add(RULE, trust="user")
        [hit] = memory.search(ASKED)
        assert hit.why[MINILM] == 1
    program = (
        "import sys; from holdfast.interfaces.cli.main import cli\n"
        f"cli(['search', {ASKED!r}, '--json', '--project', {str(project)!r}], standalone_mode=False)\n"
        "print('numpy' in sys.modules, 'onnxruntime' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    answer, loaded = done.stdout.rsplit("\n", 2)[:2]
    [hit] = json.loads(answer)
    assert (hit["title"], hit["why"][STATIC], loaded) == (RULE, 1, "False False")


def test_words_alone_name_no_encoder(project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.add(RULE, trust="user")
        [hit] = memory.search("dark interface", mode="keyword")
    assert set(hit.why) == {"keyword", "coverage"}
