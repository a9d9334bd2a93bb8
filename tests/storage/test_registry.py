"""Whose store it is: by name, inode and the id that stands in the file."""

import os
from pathlib import Path

import pytest

from holdfast.machine.paths import names_store
from holdfast.storage.admission import Stores

ID = "01a1de95-c02b-7539-a4e7-11b68172061b"


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    return Stores(tmp_path / "data" / "stores")


def a_file(path: Path, store_id: str = ID, ahead: int = 9_000) -> Path:
    """Make a file that holds an id somewhere."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\0" * ahead + b"store_id" + store_id.encode() + b"\0" * 100)
    return path


def test_a_claimed_file_is_ours_and_no_other_is(stores: Stores, tmp_path: Path) -> None:
    ours, other = a_file(tmp_path / "a" / "memory.db"), a_file(tmp_path / "b" / "memory.db", ID[::-1])
    stores.claim(ours, ours, ID)
    assert stores.objection(ours) is None
    assert stores.objection(other) == "you did not make it"
    assert [made.store for made in stores.at(ours)] == [ID]
    assert stores.at(other) == []


def test_another_device_number_for_the_same_path_and_inode_is_still_ours(stores: Stores, tmp_path: Path) -> None:
    """They change between mounts."""
    ours = a_file(tmp_path / "memory.db")
    stores.claim(ours, ours, ID)
    [entry] = stores.folder.iterdir()
    entry.write_text(entry.read_text().replace(f'"device": {ours.stat().st_dev}', '"device": 4711'))
    assert stores.objection(ours) is None
    moved = ours.rename(tmp_path / "moved.db")
    assert stores.objection(moved) == f"it is a copy of the store you made at {ours}"


def test_a_second_name_for_the_same_file_is_not_a_move(stores: Stores, tmp_path: Path) -> None:
    """The first is still there, so there would be two stores of one id."""
    ours = a_file(tmp_path / "memory.db")
    stores.claim(ours, ours, ID)
    twin = tmp_path / "twin.db"
    twin.hardlink_to(ours)
    assert stores.objection(twin) == f"it is a copy of the store you made at {ours}"


def test_two_that_are_made_at_once_are_both_entered_and_the_winner_is_ours(stores: Stores, tmp_path: Path) -> None:
    """The loser's entry comes later and must not hide the winner's."""
    winner, loser = a_file(tmp_path / "winner"), a_file(tmp_path / "loser", ID[::-1])
    place = tmp_path / "memory.db"
    stores.claim(place, winner, ID)
    stores.claim(place, loser, ID[::-1])
    place.hardlink_to(winner)
    assert stores.objection(place) is None


def test_an_entry_that_cannot_be_read_counts_as_none(stores: Stores, tmp_path: Path) -> None:
    ours = a_file(tmp_path / "memory.db")
    stores.claim(ours, ours, ID)
    [entry] = stores.folder.iterdir()
    entry.write_text("{")
    assert stores.objection(ours) == "you did not make it"


def test_an_id_is_found_wherever_it_stands(tmp_path: Path) -> None:
    for ahead in (0, 100, 100_000):
        file = a_file(tmp_path / f"{ahead}.db", ahead=ahead)
        found = (names_store(file, ID), names_store(file, ID[::-1]), names_store(file, ID, 65_536))
        assert (ahead, found) == (ahead, (True, False, ahead < 65_536))


def test_what_is_empty_or_not_there_names_no_store(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert not names_store(tmp_path / "empty", ID)
    assert not names_store(tmp_path / "empty", ID, 65_536)
    assert not names_store(tmp_path / "nothing", ID)


def test_a_path_with_odd_letters_can_be_claimed(stores: Stores, tmp_path: Path) -> None:
    odd = a_file(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 ?#%")) / "memory.db")
    stores.claim(odd, odd, ID)
    assert stores.objection(odd) is None
