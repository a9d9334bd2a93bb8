"""Copies that are whole or not there, and bringing a store back without what was forgotten."""

import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import apsw
import pytest

from holdfast import Holdfast
from holdfast.errors import (
    BackupUnusable,
    NoBackup,
    NotAStore,
    StoreBusy,
    StoreGone,
    StoreReplaced,
    StoreUnwritable,
    UnsafePath,
)
from holdfast.model.limits import DAY_MS
from holdfast.storage.guard import Guard
from holdfast.storage.open import open_service
from holdfast.storage.status import status_of
from holdfast.storage.workspace import open_guard
from tests.conftest import FakeClock
from tests.faults.disks import as_root, fill, small_disk
from tests.faults.hostile import ask, change, plant
from tests.faults.processes import database, inconsistencies, raw_bytes, start

UNWANTED = "The launch code for the Zanzibarquokka is seventeen"


@pytest.fixture
def guard(project: Path) -> Guard:
    return open_guard(project, actor="test")


def remember(project: Path, *texts: str) -> list[str]:
    """Remember things; return their ids."""
    with Holdfast.open(project) as memory:
        return [one.id or "" for one in memory.add_many([{"content": text, "trust": "user"} for text in texts])]


def remembered(project: Path) -> list[str]:
    """Return what is remembered."""
    with Holdfast.open(project) as memory:
        return sorted(one.content for one in memory.list())


def test_a_backup_taken_while_others_write_is_whole(project: Path, guard: Guard) -> None:
    """It holds the rows of one moment, and is one file with nothing beside it."""
    writer = start("write_forever", project, "one")
    assert writer.stdout
    writer.stdout.readline()
    copies = [Path(guard.back_up().path) for _ in range(5)]
    writer.kill()
    writer.communicate()
    counts = []
    for copy in copies:
        assert ask(copy, "PRAGMA integrity_check") == [("ok",)]
        assert ask(copy, "PRAGMA journal_mode") == [("delete",)]
        counts.append(ask(copy, "SELECT count(*) FROM memory")[0][0])
    assert counts == sorted(counts, key=lambda count: int(str(count)))
    assert sorted(path.name for path in copies[0].parent.iterdir()) == sorted(path.name for path in copies)


@as_root
def test_a_full_disk_during_a_backup_leaves_the_previous_one(project: Path, guard: Guard, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        remember(project, "First")
        guard.back_up(disk / "copy.db")
        before = (disk / "copy.db").read_bytes()
        remember(project, *(f"Fact number {n} {'x' * 2000}" for n in range(100)))
        fill(disk, leave=65_536)
        with pytest.raises(StoreUnwritable, match=r"copy\.db cannot be written: .*(full|space)"):
            guard.back_up(disk / "copy.db")
        assert (disk / "copy.db").read_bytes() == before
        assert sorted(path.name for path in disk.iterdir()) == ["ballast", "copy.db"]
    assert len(remembered(project)) == 50


def test_a_backup_replaces_a_backup_and_nothing_else(project: Path, guard: Guard, tmp_path: Path) -> None:
    remember(project, "One")
    target = tmp_path / "copy.db"
    guard.back_up(target)
    before = target.read_bytes()
    with target.open("rb") as reader:
        remember(project, "Two")
        guard.back_up(target)
        assert reader.read() == before  # the name went over in one step; the old file was not written into
    assert target.read_bytes() != before
    diary = tmp_path / "diary.txt"
    diary.write_text("dear diary")
    with pytest.raises(NotAStore, match="not a holdfast store"):
        guard.back_up(diary)
    assert diary.read_text() == "dear diary"
    link = tmp_path / "link.db"
    link.symlink_to(target)
    with pytest.raises(UnsafePath, match="symbolic link"):
        guard.back_up(link)
    with pytest.raises(StoreUnwritable, match="its directory is not there"):
        guard.back_up(tmp_path / "nowhere" / "copy.db")


def test_a_symlinked_folder_of_backups_is_refused(project: Path, guard: Guard, tmp_path: Path) -> None:
    remember(project, "One")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data" / "backups").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePath, match="symbolic link"):
        guard.back_up()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_store_that_git_clean_deleted_is_missed_and_comes_back(project: Path, guard: Guard) -> None:
    """Reading and writing both say so, nothing new is made by itself, one command brings it back."""
    subprocess.run(["git", "-C", project, "init", "-q"], check=True)
    remember(project, "Keep this", "And this")
    guard.back_up()
    subprocess.run(["git", "-C", project, "clean", "-fdxq"], check=True)
    assert not database(project).exists()
    for create in (True, False):
        with pytest.raises(StoreGone, match=r"`holdfast restore` brings it back; `holdfast init --fresh`"):
            open_service(project, actor="test", create=create)
    assert not database(project).exists()
    done = guard.restore()
    assert (done.memories, done.removed, done.set_aside) == (2, 0, None)
    assert remembered(project) == ["And this", "Keep this"]
    assert (project / ".holdfast" / ".gitignore").read_text() == "*\n"
    assert inconsistencies(project) == []


def test_a_lost_store_without_a_backup_is_simply_made_anew(project: Path) -> None:
    remember(project, "Gone")
    shutil.rmtree(project / ".holdfast")
    assert remembered(project) == []


def test_a_lost_store_can_be_let_go(project: Path, guard: Guard) -> None:
    """Its backups stay, and can still be restored."""
    remember(project, "Old times")
    guard.back_up()
    shutil.rmtree(project / ".holdfast")
    open_service(project, actor="test", fresh=True).close()
    assert remembered(project) == []
    done = guard.restore()
    assert remembered(project) == ["Old times"]
    assert done.set_aside
    assert Path(done.set_aside).exists()


def test_what_was_forgotten_after_the_backup_stays_forgotten(project: Path, guard: Guard, tmp_path: Path) -> None:
    """Rows, index, turns and bytes: the marks of the store that is there are enough."""
    [secret] = remember(project, UNWANTED)
    with Holdfast.open(project) as memory:
        session = memory.start_session()
        session.record("user", f"Note: {UNWANTED}!")
    remember(project, "Harmless")
    guard.back_up()
    with Holdfast.open(project) as memory:
        memory.forget(secret)
    [kept] = (tmp_path / "data" / "backups").glob("*/forgotten")
    kept.unlink()
    done = guard.restore()
    assert (done.memories, done.removed) == (1, 1)
    with Holdfast.open(project) as memory:
        assert [one.content for one in memory.list()] == ["Harmless"]
        assert memory.search("Zanzibarquokka") == []
        assert memory.add(UNWANTED).rejected == "forgotten"
    assert b"anzibarquokka" not in raw_bytes(project).lower()
    assert inconsistencies(project) == []


def test_what_was_forgotten_stays_forgotten_when_the_project_is_lost_as_well(project: Path, guard: Guard) -> None:
    """Then only the marks beside the backups are left; what a person said again has none any more."""
    secret, again = remember(project, UNWANTED, "Said again later")
    guard.back_up()
    with Holdfast.open(project) as memory:
        memory.forget(secret)
        memory.forget(again)
        memory.add("Said again later", trust="user")
    shutil.rmtree(project / ".holdfast")
    assert guard.restore().removed == 1
    assert remembered(project) == ["Said again later"]
    assert b"anzibarquokka" not in raw_bytes(project).lower()


def test_a_restored_store_has_another_epoch_and_the_same_id(project: Path, guard: Guard) -> None:
    """An index kept beside the store is told by the epoch that it was rewound."""
    remember(project, "One")
    facts = "SELECT key, value FROM meta WHERE key IN ('epoch', 'store_id') ORDER BY key"
    guard.back_up()
    [epoch, store_id] = ask(database(project), facts)
    guard.restore()
    [later, same] = ask(database(project), facts)
    assert same == store_id
    assert later != epoch


def test_who_has_the_old_file_open_cannot_write_into_it_any_more(project: Path, guard: Guard) -> None:
    """A write there would be acknowledged and never seen again."""
    remember(project, "One")
    guard.back_up()
    memory = Holdfast.open(project)
    guard.restore()
    with pytest.raises(StoreReplaced, match="Nothing was written; open it again"):
        memory.add("Into the void")
    memory.close()
    remember(project, "Two")
    assert remembered(project) == ["One", "Two"]
    assert inconsistencies(project) == []


def test_what_a_writer_was_promised_during_a_restore_is_in_the_store_set_aside(
    project: Path, guard: Guard
) -> None:
    """It then stops with an error; nothing is acknowledged and lost."""
    remember(project, "One")
    guard.back_up()
    writer = start("write_forever", project, "busy")
    assert writer.stdout
    promised = [word for _ in range(5) for word in writer.stdout.readline().split()]
    done = guard.restore()
    rest, problem = writer.communicate(timeout=60)
    promised += rest.split()
    assert "StoreReplaced" in problem
    kept = {str(row[0]) for row in ask(Path(done.set_aside or ""), "SELECT id FROM memory")}
    assert set(promised) <= kept
    assert remembered(project) == ["One"]


def test_a_store_that_somebody_is_writing_to_is_not_replaced(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_STORE_BUSY_TIMEOUT_MS", "50")
    guard = open_guard(project, actor="test")
    remember(project, "One")
    guard.back_up()
    writer = apsw.Connection(str(database(project)))
    list(writer.execute("BEGIN IMMEDIATE"))
    with pytest.raises(StoreBusy, match="try again"):
        guard.restore()
    list(writer.execute("COMMIT"))
    writer.close()
    assert list(database(project).parent.glob("memory.db.*")) == []
    assert remembered(project) == ["One"]


def test_a_restore_can_be_undone_by_renaming(project: Path, guard: Guard) -> None:
    remember(project, "One")
    guard.back_up()
    remember(project, "Two")
    done = guard.restore()
    assert remembered(project) == ["One"]
    Path(done.set_aside or "").rename(database(project))
    assert remembered(project) == ["One", "Two"]


def test_a_long_lived_process_notices_that_its_store_was_deleted(project: Path) -> None:
    memory = Holdfast.open(project)
    memory.add("One")
    shutil.rmtree(project / ".holdfast")
    with pytest.raises(StoreReplaced, match="was moved, removed or replaced"):
        memory.add("Two")
    memory.close()


def test_a_damaged_backup_is_passed_over_for_an_older_whole_one(project: Path, clock: FakeClock) -> None:
    guard = open_guard(project, actor="test", clock=clock)
    remember(project, "One")
    guard.back_up()
    clock.advance(DAY_MS)
    newest = Path(guard.back_up().path)
    newest.write_bytes(newest.read_bytes()[:9_000])
    done = guard.restore()
    assert len(done.passed_over) == 1
    assert str(newest) in done.passed_over[0]
    assert remembered(project) == ["One"]
    Path(done.backup).unlink()
    with pytest.raises(NoBackup, match="no usable backup"):
        guard.restore()
    assert remembered(project) == ["One"]


def test_a_file_that_is_no_backup_of_this_store_is_not_restored(
    project: Path, guard: Guard, tmp_path: Path
) -> None:
    """Another project's, a stranger's, one with a trigger added: each is refused and nothing changes."""
    remember(project, "Mine")
    other = tmp_path / "other"
    other.mkdir()
    remember(other, "Another project's")
    foreign = Path(open_guard(other, actor="test").back_up(tmp_path / "foreign.db").path)
    with pytest.raises(BackupUnusable, match="no backup of a store you made here"):
        guard.restore(foreign)
    mine = tmp_path / "mine.db"
    guard.back_up(mine)
    change(mine, "CREATE TRIGGER spy AFTER INSERT ON memory BEGIN DELETE FROM memory; END")
    with pytest.raises(BackupUnusable, match="its schema is not the one holdfast makes"):
        guard.restore(mine)
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    with pytest.raises(BackupUnusable, match="schema is not the one"):
        guard.restore(plant(hostile))
    with pytest.raises(BackupUnusable, match="there is no such file"):
        guard.restore(tmp_path / "nothing.db")
    assert remembered(project) == ["Mine"]


def test_a_named_backup_is_restored(project: Path, guard: Guard, tmp_path: Path) -> None:
    remember(project, "One")
    guard.back_up(tmp_path / "mine.db")
    remember(project, "Two")
    guard.restore(tmp_path / "mine.db")
    assert remembered(project) == ["One"]


def end_a_session(project: Path, clock: FakeClock) -> None:
    """Begin and end a session at a moment."""
    service = open_service(project, actor="test", clock=clock)
    service.end_session(service.start_session("codex").id)
    service.close()


def test_the_end_of_a_session_backs_up_once_a_day_and_keeps_three(project: Path, clock: FakeClock) -> None:
    guard = open_guard(project, actor="test", clock=clock)
    for _ in range(5):
        end_a_session(project, clock)
        clock.advance(DAY_MS // 2)
        end_a_session(project, clock)
        clock.advance(DAY_MS // 2)
    manual = guard.back_up()
    found = guard.backups()
    assert [one.label for one in found] == ["manual", "auto", "auto", "auto"]
    assert found[0].path == manual.path
    assert [later.taken_at - earlier.taken_at for later, earlier in pairwise(found[1:])] == [DAY_MS, DAY_MS]


def test_the_user_s_own_store_is_backed_up_with_the_project_s(project: Path, clock: FakeClock) -> None:
    own = open_guard(project, actor="test", user=True, clock=clock)
    end_a_session(project, clock)
    assert own.backups() == []
    clock.advance(DAY_MS)
    with Holdfast.open(project) as memory:
        memory.add("Everywhere", scope="user")
    end_a_session(project, clock)
    assert [one.label for one in own.backups()] == ["auto"]


def test_automatic_backups_can_be_switched_off(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_BACKUP_AUTO", "false")
    end_a_session(project, clock)
    assert open_guard(project, actor="test").backups() == []


@as_root
def test_a_failed_automatic_backup_does_not_fail_the_session_and_is_seen(
    project: Path, clock: FakeClock, tmp_path: Path
) -> None:
    """`status` and `doctor` show it, and the next one that works takes the note away."""
    guard = open_guard(project, actor="test", clock=clock)
    Holdfast.open(project).close()
    folder = tmp_path / "data" / "backups" / guard.admission.store_ids()[0]
    folder.parent.mkdir()
    with small_disk(folder, "96k"):
        end_a_session(project, clock)
        assert "the disk is full" in str(guard.backup_state().failure)
        assert status_of(project).backup == guard.backup_state()
        seen = {one.name: one for one in guard.examine().diagnoses}
        assert "the last automatic one failed" in seen["backups"].message
        assert list(folder.glob("*.db")) == []
    end_a_session(project, clock)
    assert guard.backup_state().failure is None
    assert len(guard.backups()) == 1


def test_a_restored_store_has_its_vectors(project: Path, guard: Guard) -> None:
    remember(project, "One")
    vectors = "SELECT target, row, chunk, embedding FROM vector"
    before = ask(database(project), vectors)
    guard.back_up()
    remember(project, "Two")
    guard.restore()
    assert before
    assert ask(database(project), vectors) == before
    assert ask(database(project), "SELECT count(*) FROM unembedded") == [(0,)]
