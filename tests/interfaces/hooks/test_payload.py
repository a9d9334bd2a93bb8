"""Reading standard input: bounded, and forgiving about where it was cut."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.interfaces.hooks import entry as payload
from tests.rows import each

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def through_a_pipe(raw: bytes) -> tuple[bytes, bool]:
    """Read what another process writes."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(reading)
        while raw:
            raw = raw[os.write(writing, raw) :]
        os._exit(0)
    os.close(writing)
    try:
        return payload.read(reading)
    finally:
        os.close(reading)
        os.wait()


def test_a_payload_is_read_whole() -> None:
    assert through_a_pipe(b'{"a": 1}') == (b'{"a": 1}', True)


@each("size, whole", [(payload.MOST_BYTES, True), (payload.MOST_BYTES + 1, False)])
def test_at_most_a_mebibyte_is_kept_and_the_rest_is_read_all_the_same(size: int, whole: bool) -> None:
    raw, all_of_it = through_a_pipe(b"x" * size)
    assert (len(raw), all_of_it) == (payload.MOST_BYTES, whole)


def test_what_came_before_the_cut_can_be_used() -> None:
    text = json.dumps({"session_id": "s", "tool_response": {"stdout": "one two three"}, "tool_use_id": "t"})
    cut = text[: text.index("three") + 3].encode()
    assert payload.parse(cut, whole=False) == {"session_id": "s", "tool_response": {"stdout": "one two"}}


@each(
    "cut, left",
    [
        ('{"a": "x", "b', {"a": "x"}),
        ('{"a": "x", "b"', {"a": "x"}),
        ('{"a": "x", "b":', {"a": "x"}),
        ('{"a": "x", "b": tru', {"a": "x"}),
        ('{"a": "x", "b": [1, 2', {"a": "x", "b": [1, 2]}),
        ('{"a": "one two\\u00e', {"a": "one"}),
        ('{"a": "one two\\', {"a": "one"}),
        ('{"a": "one \\"two\\" thr', {"a": 'one "two"'}),
    ],
)
def test_a_cut_at_any_kind_of_place_leaves_what_is_before_it(cut: str, left: object) -> None:
    found = payload.parse(cut.encode(), whole=False)
    assert isinstance(found, dict)
    assert {name: value for name, value in found.items() if value is not None} == left


def test_half_a_token_is_never_left_at_the_end() -> None:
    """Half a secret would not be recognised."""
    secret = "AKIA" + "Q" * 16
    text = json.dumps({"out": f"key {secret}"})
    found = payload.parse(text[: text.index("QQQQ") + 5].encode(), whole=False)
    assert found == {"out": "key"}


def test_a_text_that_is_not_json_is_an_error() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        payload.parse(b"{nonsense")
    with pytest.raises(ValueError, match="before the cut"):
        payload.parse(b"nonsense", whole=False)


@given(VALUES, st.data())
def test_wherever_it_is_cut_it_is_parsed_or_refused(value: object, data: st.DataObject) -> None:
    text = json.dumps({"session_id": "s", "value": value}).encode()
    place = data.draw(st.integers(1, len(text)))
    try:
        found = payload.parse(text[:place], whole=False)
    except ValueError:
        return
    assert isinstance(found, dict)
