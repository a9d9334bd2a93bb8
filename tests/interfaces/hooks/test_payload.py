"""Reading standard input: to its end, bounded, and parsed whole."""

import os

import pytest

from holdfast.interfaces.hooks import entry as payload


def through_a_pipe(raw: bytes) -> bytes:
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


def test_a_payload_is_read_whole() -> None:
    raw = b"x" * payload.MOST_BYTES
    assert through_a_pipe(raw) == raw


def test_one_that_is_too_large_is_an_error_once_it_is_read_to_its_end() -> None:
    with pytest.raises(ValueError, match="16,777,217 bytes is too large"):
        through_a_pipe(b"x" * (payload.MOST_BYTES + 1))


def test_a_text_that_is_not_json_is_an_error() -> None:
    for raw, problem in ((b"{nonsense", "Expecting"), (b"[" * 100_000, "nested too deeply")):
        with pytest.raises(ValueError, match=problem):
            payload.parse(raw)
