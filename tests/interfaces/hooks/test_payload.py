"""Reading standard input: to its end, bounded, and forgiving about where it was cut."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.interfaces.hooks import entry as payload


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
        assert os.wait()[1] == 0  # all of it was taken


def test_a_payload_is_kept_up_to_a_limit_and_read_to_its_end() -> None:
    most = b"x" * payload.MOST_BYTES
    assert through_a_pipe(most) == (most, True)
    assert through_a_pipe(most + b"y" * 100_000) == (most, False)


def test_of_a_payload_cut_inside_a_text_what_came_before_is_left_and_half_a_word_never() -> None:
    whole = json.dumps({"id": "s", "calls": [{"out": 'say "one"\\ two\n three secretsecret', "rest": []}]})
    for cut, left in (
        (whole[: whole.index("secret") + 9], 'say "one"\\ two\n three'),
        (whole[: whole.index("\\n") + 1], 'say "one"\\'),
        (whole[: whole.index("one")], "say"),
        (whole[: whole.index("say") + 2], ""),
    ):
        assert payload.parse(cut.encode(), whole=False) == {"id": "s", "calls": [{"out": left}]}, cut


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)), st.data())
def test_wherever_a_payload_is_cut_it_is_parsed_or_refused(value: object, data: st.DataObject) -> None:
    raw = json.dumps({"session_id": "s", "value": value}).encode()
    try:
        found = payload.parse(raw[: data.draw(st.integers(1, len(raw)))], whole=False)
    except ValueError:
        return
    assert isinstance(found, dict)


def test_a_text_that_is_not_json_is_an_error() -> None:
    for raw, problem in ((b"{nonsense", "Expecting"), (b"[" * 100_000, "nested too deeply")):
        with pytest.raises(ValueError, match=problem):
            payload.parse(raw)
