"""The folder of backups: names, order, what is kept, and the marks beside them."""

import os
from pathlib import Path

import pytest

from holdfast.errors import StoreUnwritable, UnsafePath
from holdfast.model.limits import DAY_MS
from holdfast.storage.admission import AUTO, MANUAL, MIGRATION, Backups
from tests.contract.builders import NOW


@pytest.fixture
def backups(tmp_path: Path) -> Backups:
    return Backups(tmp_path / "data" / "backups")


def make(backups: Backups, label: str, now: int) -> Path:
    """Make a backup of one byte."""
    path = backups.new_path("id", label, now)
    path.write_bytes(b"x")
    return path


def test_backups_are_named_after_their_moment_and_listed_newest_first(backups: Backups) -> None:
    paths = [
        make(backups, label, NOW + day * DAY_MS) for day, label in enumerate((MANUAL, AUTO, MIGRATION, MANUAL))
    ]
    found = backups.of("id")
    assert [(one.path, one.label, one.taken_at, one.bytes) for one in found] == [
        (str(path), label, NOW + day * DAY_MS, 1)
        for day, (path, label) in reversed(
            list(enumerate(zip(paths, (MANUAL, AUTO, MIGRATION, MANUAL), strict=True)))
        )
    ]
    assert paths[0].name == "20270115T080000Z-000001.db"


def test_two_backups_of_one_second_both_have_a_name(backups: Backups) -> None:
    first, second = make(backups, AUTO, NOW), make(backups, AUTO, NOW)
    assert first != second
    assert {one.label for one in backups.of("id")} == {AUTO}
    assert len(backups.of("id")) == 2


def test_only_the_oldest_of_a_label_are_pruned(backups: Backups) -> None:
    manual = make(backups, MANUAL, NOW - 9 * DAY_MS)
    for day in range(5):
        make(backups, AUTO, NOW + day * DAY_MS)
    backups.prune("id", AUTO, 2)
    assert [one.taken_at for one in backups.of("id")] == [NOW + 4 * DAY_MS, NOW + 3 * DAY_MS, NOW - 9 * DAY_MS]
    assert manual.exists()


def test_other_files_and_links_are_no_backups(backups: Backups) -> None:
    place = make(backups, MANUAL, NOW).parent
    (place / "notes.db").touch()
    (place / ".20270115T080000Z.db.x.new").touch()
    (place / "20270116T080000Z.db").symlink_to(place / "notes.db")
    assert [Path(one.path).name for one in backups.of("id")] == ["20270115T080000Z-000001.db"]
    assert backups.of("another") == []


def test_a_file_is_ours_only_when_it_lies_in_the_folder_itself(backups: Backups, tmp_path: Path) -> None:
    path = make(backups, MANUAL, NOW)
    outside = tmp_path / "copy.db"
    outside.touch()
    link = path.with_name("20270117T080000Z.db")
    link.symlink_to(outside)
    assert [backups.holds(one) for one in (path, outside, link)] == [True, False, False]


def test_marks_come_and_go_in_order(backups: Backups) -> None:
    one, two = b"\x01" * 32, b"\x02" * 32
    backups.add_marks("id", [(True, one), (True, two)])
    backups.add_marks("id", [(False, one)])
    assert backups.marks("id") == {two}
    backups.add_marks("id", [(True, one)])
    assert backups.marks("id") == {one, two}
    assert backups.marks("another") == set()


def test_a_torn_line_of_marks_costs_only_itself(backups: Backups) -> None:
    """As a machine that lost power may leave it."""
    backups.add_marks("id", [(True, b"\x01" * 32)])
    with (backups.folder / "id" / "forgotten").open("a") as file:
        file.write("+0")
    assert backups.marks("id") == {b"\x01" * 32}


def test_marks_are_not_written_through_a_link(backups: Backups, tmp_path: Path) -> None:
    make(backups, MANUAL, NOW)
    (tmp_path / "target").write_text("keep")
    (backups.folder / "id" / "forgotten").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="symbolic link"):
        backups.add_marks("id", [(True, b"\x01" * 32)])
    assert (tmp_path / "target").read_text() == "keep"


def test_a_failure_is_kept_until_something_works(backups: Backups) -> None:
    assert backups.failure("id") is None
    backups.note_failure("id", "the disk is full")
    assert backups.failure("id") == "the disk is full"
    backups.note_failure("id", None)
    assert backups.failure("id") is None


def test_a_file_or_a_link_in_place_of_the_folder_is_said(backups: Backups, tmp_path: Path) -> None:
    backups.folder.parent.mkdir()
    backups.folder.touch()
    with pytest.raises(StoreUnwritable, match="cannot be written"):
        backups.new_path("id", MANUAL, NOW)
    os.unlink(backups.folder)
    backups.folder.symlink_to(tmp_path)
    with pytest.raises(UnsafePath, match="symbolic link"):
        backups.new_path("id", MANUAL, NOW)


def test_backups_of_an_older_holdfast_come_before_those_with_a_number(backups: Backups) -> None:
    """Whatever their dates say."""
    first = make(backups, AUTO, NOW)
    (first.parent / "20990101T000000Z-auto.db").write_bytes(b"x")
    (first.parent / "20990101T000000Z-auto-2.db").write_bytes(b"x")
    assert backups.of("id")[0].path == str(first)
