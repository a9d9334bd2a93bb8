"""Text as it is kept."""

import json

from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture.normalise import normalise, normalise_json, normalise_names

ANY_TEXT = st.text(st.characters(), max_size=80)  # lone surrogates included


def test_line_ends_become_one_kind_and_the_edges_go() -> None:
    """What stands inside stays."""
    assert normalise("  a\r\nb\rc\n\n  d  \n") == "a\nb\nc\n\n  d"


def test_what_no_store_can_hold_goes() -> None:
    """NUL, and halves of characters."""
    assert normalise("a\x00b") == "ab"
    assert normalise("a\ud800b") == "a\ufffdb"
    assert normalise("\ud83d\ude00") == "😀"
    assert normalise("\ufeffbom stays") == "\ufeffbom stays"


@given(text=ANY_TEXT)
def test_the_result_is_valid_and_stays_as_it_is(text: str) -> None:
    """Normalising twice changes nothing more."""
    once = normalise(text)
    assert once.encode().decode() == once
    assert not set(once) & {"\x00", "\r"}
    assert normalise(once) == once


def test_labels_stand_on_one_line_each_once_in_order() -> None:
    """Empty ones go."""
    assert normalise_names((" b ", "a", "b", "\x00", "two\nlines\there", "a")) == ("b", "a", "two lines here")


@given(names=st.lists(ANY_TEXT, max_size=5))
def test_labels_hold_no_control_characters(names: list[str]) -> None:
    """The index would take their escapes for words."""
    for name in normalise_names(tuple(names)):
        assert name == name.strip() != ""
        assert min(name) >= " "


def test_every_text_of_an_object_is_normalised() -> None:
    """Keys, values, and what is nested; names that are numbers become texts, as in JSON."""
    given_as: dict[str, object] = {" k\x00 ": [" v\r\n", {"n": ("\ud800", 1, None, True)}], "counts": {1: 2}}
    kept = normalise_json(given_as)
    assert kept == {"k": ["v", {"n": ["\ufffd", 1, None, True]}], "counts": {"1": 2}}
    assert json.loads(json.dumps(kept)) == kept
