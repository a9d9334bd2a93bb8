"""The static question encoder: its table, its word pieces, its vectors, and what it loads."""

import json
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from holdfast.embedding import minilm
from holdfast.embedding.minilm import DIMENSIONS, MODEL, TOKENS, MiniLM, damaged_files
from holdfast.embedding.static import RECORD, SPACE, TABLE, StaticEncoder, bundled
from holdfast.errors import ModelUnusable
from tests.table import table

FOLDER = Path(TABLE).parent
AWKWARD = (
    "",
    " \t\r\n ",
    "x",
    "how do we handle retries in the payment worker?",
    "don't_stop: snake_case, camelCase and dotted.path/to/file.py:12",
    "Déjà vu in a naïve café, 漢字 and “quotes” …",
    "ÅNGSTRÖM ẞtraße İstanbul ǅ ﬁne ½ ² Ⅷ",
    "zero\u200bwidth no\u00a0break soft\u00adhyphen \ufeffbom \ufffd replaced",
    "bell\x07 null\x00 escape\x1b[31m delete\x7f",
    "tab\tform\ffeed\vvertical",
    "🙂👍🏽 family 👨‍👩‍👧 flag 🇫🇷",
    "로그 파일을 삭제하지 마세요 このテストは遅い 数据库连接超时",
    "تم إصلاح الخطأ Сервер перезапускается שלום हिन्दी ไทย",
    "a" * 100 + " " + "b" * 101,
    "unaffable antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
    '$x^2$ <tag attr="v"> `code` ~tilde~ |pipe| {brace} [x]',
    "word " * 400,
    "e\u0301 a\u030a combining \u0301alone",
    "\u2028line\u2029paragraph\x85next",
    "def read_config(path: str) -> dict:\n    return json.loads(open(path).read())",
)


@pytest.fixture(scope="module")
def encoder() -> StaticEncoder:
    return StaticEncoder()


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    made = Tokenizer.from_file(str(minilm.FILES / "tokenizer.json"))
    made.enable_truncation(TOKENS)
    return made


def test_the_table_and_its_attribution_are_those_that_were_recorded() -> None:
    assert damaged_files(Path(RECORD)) == []


def test_questions_lie_in_the_space_of_the_bundled_model() -> None:
    assert (SPACE, bundled().dimensions) == (MODEL, DIMENSIONS)


def test_vectors_are_those_of_the_trained_table(encoder: StaticEncoder) -> None:
    """Recorded when it was trained, before anything was read back from the file."""
    recorded = json.loads((Path(__file__).parent / "static_vectors.json").read_text("utf-8"))
    ours = np.array([encoder.encode(entry["text"]) for entry in recorded])
    cosines = (ours * np.array([entry["vector"] for entry in recorded])).sum(axis=1)
    assert cosines.min() >= 0.9999


@table("text", AWKWARD, ids=range(len(AWKWARD)))
def test_word_pieces_are_those_of_the_models_own_tokenizer(
    encoder: StaticEncoder, tokenizer: Tokenizer, text: str
) -> None:
    assert encoder.pieces(text) == tokenizer.encode(text).ids


def is_settled(char: str) -> bool:
    """Whether a character is what it was in Unicode 3.2: of others the tables of each have their own idea."""
    return unicodedata.ucd_3_2_0.category(char) == unicodedata.category(char)


@given(text=st.text(st.characters(exclude_categories=["Cs", "Cn", "Co"]).filter(is_settled), max_size=40))
def test_any_text_has_the_word_pieces_of_the_models_own_tokenizer(text: str) -> None:
    made = Tokenizer.from_file(str(minilm.FILES / "tokenizer.json"))
    assert bundled().pieces(text) == made.encode(text).ids


def test_marks_of_the_vocabulary_are_words_like_others(encoder: StaticEncoder) -> None:
    """The model's tokenizer takes a literal [SEP] for the mark; who writes of it means the word."""
    assert encoder.pieces("[SEP] token")[1:-1] == encoder.pieces("[sep] token")[1:-1]


@table("text", ["fix the build", "漢字", "", "word " * 400])
def test_a_vector_has_length_one(encoder: StaticEncoder, text: str) -> None:
    assert np.linalg.norm(encoder.encode(text)) == pytest.approx(1, abs=1e-5)


def test_half_a_character_is_no_error(encoder: StaticEncoder) -> None:
    assert encoder.encode("half \udcff a character") == encoder.encode("half  a character")


def test_a_question_is_near_to_what_answers_it_in_other_words(encoder: StaticEncoder) -> None:
    right, wrong = MiniLM().embed(["We use bun to manage packages.", "The invoice page rounds to cents."])
    question = np.array(encoder.encode("install lodash with npm"))
    assert question @ right > question @ wrong + 0.1


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "cannot be read"),
        (b"something else entirely, long enough to hold a header of that kind", "is not the table"),
        (Path(TABLE).read_bytes()[:4_000_000], "is cut short"),
    ],
    ids=["empty", "foreign", "cut"],
)
def test_a_table_that_cannot_be_used_says_so(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "static.bin").write_bytes(content)
    with pytest.raises(ModelUnusable, match=problem):
        StaticEncoder(str(tmp_path / "static.bin"))


def test_a_missing_table_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match="cannot be read"):
        StaticEncoder(str(tmp_path / "none.bin"))


def test_encoding_loads_nothing_but_the_standard_library() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(FOLDER.parents[2])!r}); before = set(sys.modules)\n"
        "from holdfast.embedding.static import bundled\n"
        "bundled().encode('a question')\n"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    loaded = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert "mmap" in loaded
    assert loaded - set(sys.stdlib_module_names) == {"holdfast"}
    assert loaded & {"dataclasses", "pathlib"} == set()
