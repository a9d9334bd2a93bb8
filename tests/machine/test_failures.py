"""The one log of what failed while an agent was waiting."""

import json
from pathlib import Path

import pytest

from holdfast.errors import InvalidInput
from holdfast.machine import failures, paths


@pytest.fixture(autouse=True)
def _own_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what other tests left among the temporary files out."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(failures, "_process_facts", {})


def log() -> Path:
    """Return the log's file."""
    return Path(paths.data_directory()) / failures.NAME


def test_the_last_failure_of_a_project_is_the_one_that_is_shown() -> None:
    failures.leave("context", "/a", OSError(1, "first\nof two lines"))
    failures.leave("context", "/b", OSError(1, "elsewhere"))
    told = failures.leave("hook", "/a", InvalidInput(field="second", problem="is bad."))
    assert [one[1:] for one in failures.failures("/a")] == [
        ("hook", "InvalidInput: second: is bad."),
        ("context", "PermissionError: first of two lines"),
    ]
    assert told == "InvalidInput: second: is bad."
    assert failures.last("/a") == failures.failures("/a")[0]
    assert failures.last("/nowhere") is None


def test_a_project_may_be_known_by_more_than_one_name() -> None:
    failures.leave("context", "/a", OSError(1, "at the root"))
    failures.leave("context", "/a/below", OSError(1, "below it"))
    assert len(failures.failures("/a", "/a/below")) == 2


def test_what_failed_before_its_project_was_known_is_shown_in_each() -> None:
    failures.leave("hook", "", "unknown client")
    assert [one[1:] for one in failures.failures("/a")] == [("hook", "unknown client")]


def test_only_what_failed_since_a_moment_is_asked_for() -> None:
    failures.leave("hook", "/a", "gave up")
    [(at, _, _)] = failures.failures("/a")
    assert failures.failures("/a", since=at) != []
    assert failures.failures("/a", since=at + 1) == []


def test_a_short_lived_process_says_what_it_is_about_in_every_entry() -> None:
    failures.describe_process(client="claude", event="Stop")
    failures.describe_process(project="/a")
    failures.leave("hook", "", "gave up", ms=12)
    [entry] = map(json.loads, log().read_text("utf-8").splitlines())
    assert {name: entry[name] for name in entry if name != "at"} == {
        "step": "hook", "problem": "gave up", "client": "claude", "event": "Stop", "project": "/a", "ms": 12,
    }  # fmt: skip
    assert failures.last("/a")


def test_what_an_error_of_somebody_else_says_is_not_kept() -> None:
    """A library may quote the text that it failed on."""

    def break_down() -> None:
        raise ValueError("words of a memory")

    with pytest.raises(ValueError, match="words") as caught:
        break_down()
    assert failures.leave("context", "/a", caught.value).startswith("ValueError in break_down, line ")
    assert "words" not in log().read_text("utf-8")


def test_the_file_is_the_user_s_alone_and_does_not_grow() -> None:
    for number in range(1_200):
        failures.leave("context", "/a", OSError(1, f"{number} " + "x" * 190))
    assert log().stat().st_mode & 0o777 == 0o600
    assert sum(file.stat().st_size for file in log().parent.iterdir()) <= 2 * failures.MOST_BYTES + 1_000
    newest = failures.last("/a")
    assert newest
    assert "1199 " in str([one for one in failures.failures("/a") if one[0] == newest[0]])


def test_where_the_data_directory_takes_no_entry_a_folder_among_the_temporary_files_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("HOLDFAST_DATA_HOME", str(blocked / "below"))
    failures.leave("context", "/a", OSError(1, "x"))
    assert [one[1:] for one in failures.failures("/a")] == [("context", "PermissionError: x")]


def test_a_trace_that_can_be_left_nowhere_raises_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("HOLDFAST_DATA_HOME", str(blocked / "below"))
    monkeypatch.setenv("TMPDIR", str(blocked))
    assert failures.leave("context", "/a", OSError(1, "x")) == "PermissionError: x"
    assert failures.last("/a") is None


def test_a_line_that_somebody_garbled_is_passed_over() -> None:
    failures.leave("context", "/a", OSError(1, "kept"))
    with log().open("ab") as opened:
        opened.write(b'\xff\xfe garbage\n\t\t\n[]\n7\n{"at": null}\n')
    assert [one[1:] for one in failures.failures("/a")] == [("context", "PermissionError: kept")]
