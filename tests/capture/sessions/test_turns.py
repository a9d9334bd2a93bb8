"""A message of a session as it is kept."""

import pytest

from holdfast.capture.sessions.turns import cap, prepare_turn
from holdfast.capture.text.clean import Cleaner
from holdfast.errors import InvalidInput
from holdfast.model.limits import TURN_BYTES
from holdfast.model.requests import Message
from holdfast.model.session import Turn
from tests.contract.builders import NOW, a_session
from tests.table import table

SESSION = a_session()


def prepared(**fields: object) -> Turn:
    """Prepare a turn with these fields."""
    plain: dict[str, object] = {
        "role": "user",
        "text": "hello",
        "at": None,
        "ref": None,
        "tool": None,
        "files": (),
    }
    message = Message(**(plain | fields))  # type: ignore[arg-type]  # callers' mistakes too
    return prepare_turn(SESSION, message, Cleaner(), None, NOW)[0]


def test_a_message_becomes_a_turn_of_its_session() -> None:
    """Normalised, and otherwise verbatim."""
    turn = prepared(
        role=" assistant ", text=" a\r\nb ", at="1d", ref="m1", tool="bash", files=("./a.py", "a.py", "b\\c")
    )
    assert turn == Turn(
        id=turn.id,
        session=SESSION.id,
        role="assistant",
        text="a\nb",
        at=NOW - 86_400_000,
        ref="m1",
        tool="bash",
        files=("a.py", "b/c"),
    )
    assert prepared().at == NOW


@table(
    ("fields", "field"),
    [
        ({"role": ""}, "role"),
        ({"role": None}, "role"),
        ({"text": " \x00 "}, "text"),
        ({"text": None}, "text"),
        ({"ref": ""}, "ref"),
        ({"ref": "x" * 201}, "ref"),
        ({"tool": 5}, "tool"),
        ({"files": ("",)}, "files"),
        ({"at": "soon"}, "at"),
    ],
)
def test_a_bad_field_of_a_message_is_named(fields: dict[str, object], field: str) -> None:
    """Before anything is written."""
    with pytest.raises(InvalidInput) as caught:
        prepared(**fields)
    assert caught.value.field == field


@table("text", ["x" * TURN_BYTES, "é" * (TURN_BYTES // 2), "short"])
def test_what_fits_is_kept_whole(text: str) -> None:
    """To the last byte."""
    assert cap(text) == text


@table("letter", ["x", "é", "日", "😀"])
def test_what_does_not_fit_is_cut_between_characters_with_a_mark(letter: str) -> None:
    """The mark says how much there was."""
    text = letter * (TURN_BYTES // len(letter.encode()) + 1)
    kept = cap(text)
    body, mark = kept.split("\n")
    assert mark == f"… [cut: {len(text.encode()):,} bytes in all]"
    assert set(body) == {letter}
    assert TURN_BYTES - 4 < len(kept.encode()) <= TURN_BYTES
