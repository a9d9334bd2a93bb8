"""The files of a store: private, whole, never somebody else's."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from holdfast.errors import NotAStore, StoreUnwritable, UnsafePath
from holdfast.stores.sqlite import files
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, a_memory, keep


@pytest.fixture
def _open_umask() -> Iterator[None]:
    """Let every new file be as open as it may."""
    usual = os.umask(0)
    yield
    os.umask(usual)


def open_store(path: Path) -> SqliteStore:
    """Open or make the store in a file."""
    return SqliteStore.open(path, project="p", now=NOW)


def mode(path: Path) -> int:
    """Return the permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("_open_umask")
def test_directory_and_files_are_their_owners_alone_under_any_umask(tmp_path: Path) -> None:
    """0700 and 0600, the write-ahead log and its index included."""
    path = tmp_path / "store" / "memory.db"
    store = open_store(path)
    keep(store, a_memory())
    assert mode(path.parent) == 0o700
    assert {file.name: mode(file) for file in path.parent.iterdir()} == {
        "memory.db": 0o600,
        "memory.db-wal": 0o600,
        "memory.db-shm": 0o600,
    }
    store.close()


@pytest.mark.usefixtures("_open_umask")
def test_the_marker_for_git_is_private_and_never_overwritten(tmp_path: Path) -> None:
    """Somebody's own rules stay."""
    files.ignore_in_git(tmp_path)
    marker = tmp_path / ".gitignore"
    assert (marker.read_text(), mode(marker)) == ("*\n", 0o600)
    marker.write_text("mine\n")
    files.ignore_in_git(tmp_path)
    assert marker.read_text() == "mine\n"


def test_a_directory_of_our_own_is_made_private_and_one_that_was_there_is_left_alone(tmp_path: Path) -> None:
    """A store may be put into a directory that others use as well."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    open_store(shared / "memory.db").close()
    assert mode(shared) == 0o755
    assert mode(shared / "memory.db") == 0o600
    files.prepare_directory(shared)
    assert mode(shared) == 0o700


def test_nothing_is_left_beside_a_new_store(tmp_path: Path) -> None:
    """The file it was built in is gone."""
    open_store(tmp_path / "memory.db").close()
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]


def test_a_symlink_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    """Whether it leads somewhere or nowhere, and what it leads to is not touched."""
    target = tmp_path / "real.db"
    open_store(target).close()
    before = target.read_bytes()
    for name, aim in (("link.db", target), ("dangling.db", tmp_path / "nowhere.db")):
        link = tmp_path / name
        link.symlink_to(aim)
        with pytest.raises(UnsafePath, match="symbolic link"):
            open_store(link)
    assert target.read_bytes() == before
    assert not (tmp_path / "nowhere.db").exists()


def test_a_symlink_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    """A cloned repository may bring one that leads out of it."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "store").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePath, match="symbolic link"):
        files.prepare_directory(tmp_path / "store")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "it is empty"),
        (b"# notes\n", "not an SQLite database"),
        (b"SQLite format 2\x00" + b"x" * 99, "not an SQLite"),
    ],
)
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    """The error says why, and what to do."""
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    with pytest.raises(NotAStore, match=f"{problem}.*left untouched; move it away or set store.path"):
        open_store(path)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_another_programs_database_is_refused_and_left_as_it_is(tmp_path: Path, journal: str) -> None:
    """Even its write-ahead log, which opening and closing it would fold in."""
    path = tmp_path / "memory.db"
    foreign = apsw.Connection(str(path))
    foreign.execute(f"PRAGMA journal_mode = {journal}; CREATE TABLE t (x); INSERT INTO t VALUES (1)").fetchall()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(NotAStore, match="another program's database"):
        open_store(path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    foreign.close()


def test_a_directory_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    """It is no regular file."""
    (tmp_path / "memory.db").mkdir()
    with pytest.raises(NotAStore, match="not a regular file"):
        open_store(tmp_path / "memory.db")


def test_a_file_in_place_of_the_directory_is_said(tmp_path: Path) -> None:
    """Directly, or further up."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreUnwritable, match="a file stands where the directory should be"):
        files.prepare_directory(tmp_path / "file")
    with pytest.raises(StoreUnwritable, match="Not a directory"):
        open_store(tmp_path / "file" / "memory.db")


def test_a_failed_creation_leaves_nothing_behind(tmp_path: Path) -> None:
    """Half a store would be worse than none."""

    def fail(fresh: Path) -> None:
        fresh.write_bytes(b"half")
        raise StoreUnwritable(path=fresh, problem="the disk is full")

    with pytest.raises(StoreUnwritable, match="the disk is full"):
        files.create(tmp_path / "memory.db", fail)
    assert list(tmp_path.iterdir()) == []


def test_of_two_that_create_at_once_the_first_wins(tmp_path: Path) -> None:
    """And the second one's work is dropped."""
    path = tmp_path / "memory.db"

    def overtaken(fresh: Path) -> None:
        files.create(path, lambda other: _write(other, b"first"))
        fresh.write_bytes(b"second")

    files.create(path, overtaken)
    assert path.read_bytes() == b"first"
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
