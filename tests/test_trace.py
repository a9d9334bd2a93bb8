"""Traces of what failed while an agent was waiting."""

from pathlib import Path

import pytest

from holdfast import places, trace
from holdfast.errors import InvalidInput


def test_the_last_failure_of_a_project_is_the_one_that_is_shown() -> None:
    trace.leave("context", "/a", OSError(1, "first\nof two lines"))
    trace.leave("context", "/b", OSError(1, "elsewhere"))
    told = trace.leave("hook", "/a", InvalidInput(field="second", problem="is bad."))
    found = trace.last("/a")
    assert found
    assert found[1:] == ("hook", told)
    assert told == "InvalidInput: second: is bad."
    assert trace.last("/nowhere") is None


def test_what_an_error_of_somebody_else_says_is_not_kept() -> None:
    """A library may quote the text that it failed on."""

    def break_down() -> None:
        raise ValueError("words of a memory")

    with pytest.raises(ValueError, match="words") as caught:
        break_down()
    assert trace.leave("context", "/a", caught.value).startswith("ValueError in break_down, line ")
    assert "words" not in (Path(places.data_directory()) / "trace.log").read_text("utf-8")


def test_the_file_is_the_user_s_alone_and_does_not_grow() -> None:
    for number in range(1_200):
        trace.leave("context", "/a", OSError(1, f"{number} " + "x" * 90))
    file = Path(places.data_directory()) / "trace.log"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.stat().st_size <= trace.MOST_BYTES + 1_000
    found = trace.last("/a")
    assert found
    assert "1199" in found[2]


def test_a_trace_that_cannot_be_left_raises_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("HOLDFAST_DATA_HOME", str(blocked / "below"))
    assert trace.leave("context", "/a", OSError(1, "x")) == "PermissionError: x"
    assert trace.last("/a") is None


def test_a_line_that_somebody_garbled_is_passed_over() -> None:
    trace.leave("context", "/a", OSError(1, "kept"))
    file = Path(places.data_directory()) / "trace.log"
    with file.open("ab") as opened:
        opened.write(b"\xff\xfe garbage\n\t\t\n")
    found = trace.last("/a")
    assert found
    assert found[2] == "PermissionError: kept"
