"""The spool: append-only, sealed before it is read, torn by nothing."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.agents import spool


@pytest.fixture
def folder(project: Path) -> str:
    return spool.prepare(str(project))


def drained(folder: str) -> list[dict[str, object]]:
    """Seal and read everything."""
    return [entry for path in spool.seal(folder) for _, entry in spool.entries(path)]


def test_what_is_appended_is_read_in_order(folder: str) -> None:
    for number in range(3):
        spool.append(folder, "claude-1", {"n": number})
    assert drained(folder) == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_each_project_has_a_folder_of_its_own_for_its_owner_alone(folder: str, project: Path) -> None:
    other = project.parent / "other"
    other.mkdir()
    assert spool.folder_of(str(other)) != folder
    spool.append(folder, "claude-1", {"n": 1})
    modes = {name: stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for name in ("", "claude-1.open")}
    assert modes == {"": 0o700, "claude-1.open": 0o600}
    assert Path(folder, "root").read_text() == str(project)


def test_a_sealed_file_never_changes_and_what_comes_later_goes_to_another(folder: str) -> None:
    spool.append(folder, "claude-1", {"n": 1})
    [first] = spool.seal(folder)
    spool.append(folder, "claude-1", {"n": 2})
    assert [entry for _, entry in spool.entries(first)] == [{"n": 1}]
    assert spool.seal(folder)[0] == first
    assert drained(folder) == [{"n": 1}, {"n": 2}]


def test_a_line_torn_by_a_kill_is_passed_over_and_the_next_begins_anew(folder: str) -> None:
    spool.append(folder, "claude-1", {"n": 1})
    with Path(folder, "claude-1.open").open("ab") as file:
        file.write(b'{"n": 2, "text": "tor')
    spool.append(folder, "claude-1", {"n": 3})
    [path] = spool.seal(folder)
    assert list(spool.entries(path)) == [(1, {"n": 1}), (3, {"n": 3})]


def test_a_write_that_fails_half_way_leaves_nothing(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.append(folder, "claude-1", {"n": 1})
    write = os.write

    def full(handle: int, line: bytes) -> int:
        write(handle, line[:4])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            spool.append(folder, "claude-1", {"n": 2})
    assert Path(folder, "claude-1.open").read_bytes() == b'{"n":1}\n'


def test_a_session_that_nobody_drains_stops_growing(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MOST_BYTES", 40)
    spool.append(folder, "claude-1", {"text": "x" * 20})
    with pytest.raises(spool.SpoolFull):
        spool.append(folder, "claude-1", {"text": "x" * 20})
    assert len(drained(folder)) == 1


def test_what_waits_is_read_across_sessions_by_its_time(folder: str, project: Path) -> None:
    spool.append(folder, "claude-1", {"at": 3})
    spool.append(folder, "codex-1", {"at": 1})
    spool.seal(folder)
    spool.append(folder, "claude-1", {"at": 2})
    assert spool.waiting_entries(str(project)) == [{"at": 1}, {"at": 2}, {"at": 3}]


def test_of_a_great_deal_that_waits_the_newest_part_is_read(
    folder: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "READ_BYTES", 100)
    for at in range(50):
        spool.append(folder, "claude-1", {"at": at, "text": "word"})
    found = [entry["at"] for entry in spool.waiting_entries(str(project))]
    assert found == [46, 47, 48, 49]


def test_nothing_waits_where_there_is_no_spool(project: Path) -> None:
    assert spool.waiting_entries(str(project)) == []
    assert spool.seal(spool.folder_of(str(project))) == []


APPENDING = """
import sys
from holdfast.agents import spool
folder, name, writer, count = sys.argv[1:]
for number in range(int(count)):
    spool.append(folder, name, {"writer": writer, "n": number, "text": "x" * 500})
"""


def test_eight_processes_append_while_one_seals_and_every_entry_is_there_once(folder: str) -> None:
    """A hook that opened the file just before it was sealed notices, and goes to the new one."""
    command = [sys.executable, "-c", APPENDING, folder, "claude-1"]
    writers = [subprocess.Popen([*command, str(number), "60"]) for number in range(8)]
    while any(writer.poll() is None for writer in writers):
        spool.seal(folder)
    found = [(entry["writer"], entry["n"]) for entry in drained(folder)]
    assert [writer.returncode for writer in writers] == [0] * 8
    assert len(found) == 480
    assert set(found) == {(str(writer), number) for writer in range(8) for number in range(60)}


def test_an_entry_is_one_line_of_json(folder: str) -> None:
    spool.append(folder, "claude-1", {"text": "two\nlines — “quoted” \ud800"})
    raw = Path(folder, "claude-1.open").read_bytes()
    assert raw.count(b"\n") == 1
    assert json.loads(raw)["text"] == "two\nlines — “quoted” ?"
