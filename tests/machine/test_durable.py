"""Files that are put in the place of others: whole or not at all, seen to the disk, private."""

import os
import time
from pathlib import Path

import pytest

from holdfast.machine import disk


def test_a_file_appears_whole_and_the_one_before_stays_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "registry.json"
    disk.replace_file(path, "first")

    def broken() -> "list[str]":
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        disk.replace_file(path, (piece for _ in range(2) for piece in broken()))
    assert path.read_text() == "first"
    assert os.listdir(tmp_path) == ["registry.json"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_file_and_then_its_directory_are_seen_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this order around the rename: that is what survives a power cut."""
    steps: list[str] = []
    sync, rename = os.fsync, os.replace

    def noted_sync(handle: int) -> None:
        steps.append("directory" if os.path.isdir(f"/proc/self/fd/{handle}") else "file")
        sync(handle)

    def noted_rename(source: str, target: str) -> None:
        steps.append("rename")
        rename(source, target)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "replace", noted_rename)
    disk.replace_file(tmp_path / "tokens", "text")
    assert steps == ["file", "rename", "directory"]


def test_what_a_killed_process_left_goes_with_the_next_but_not_what_is_being_written(tmp_path: Path) -> None:
    old, young, other = (tmp_path / f".{name}.part" for name in ("tokens.aa", "tokens.bb", "other.cc"))
    for path in (old, young, other):
        path.touch()
    os.utime(old, (time.time() - 2 * disk.STALE_S,) * 2)
    disk.replace_file(tmp_path / "tokens", "text")
    assert sorted(os.listdir(tmp_path)) == [".other.cc.part", ".tokens.bb.part", "tokens"]
