"""A store or a configuration that somebody else made is not opened, not obeyed, and taken over by rows only."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import apsw
import pytest

from holdfast import Holdfast
from holdfast.errors import (
    InvalidInput,
    NotAStore,
    StoreDamaged,
    StoreError,
    StoreTooNew,
    UnsafePath,
    UntrustedStore,
)
from holdfast.storage.workspace import find_workspace, open_guard
from holdfast.stores.sqlite.hardened import hardened
from tests.faults.hostile import ask, change, contents, entries, plant
from tests.faults.processes import database
from tests.faults.tables import failing_rows


def remember(project: Path, *texts: str) -> None:
    """Remember things in a project's own store."""
    with Holdfast.open(project) as memory:
        memory.add_many([{"content": text, "trust": "user"} for text in texts])


def titles(project: Path) -> list[str]:
    """Return what is remembered in a project, in order."""
    with Holdfast.open(project) as memory:
        return sorted(one.content for one in memory.list())


def test_a_store_that_came_with_a_clone_is_not_opened(project: Path) -> None:
    """Not a byte of it changes, nothing appears beside it, and the error names both ways on."""
    path = plant(project)
    before = contents(path.parent)
    for _ in range(2):
        with pytest.raises(UntrustedStore, match=r"you did not make it.*`holdfast trust`.*`holdfast trust --own`"):
            Holdfast.open(project)
    assert contents(path.parent) == before


def test_trust_takes_the_rows_and_nothing_of_their_standing(project: Path) -> None:
    """No trigger runs, no pin, trust level, tombstone, id or future date of theirs counts."""
    path = plant(project)
    theirs = {str(row[0]) for row in ask(path, "SELECT id FROM memory")}
    before = path.read_bytes()
    taken = open_guard(project, actor="test").trust()
    assert taken
    assert (taken.memories, taken.own, taken.dry_run) == (3, False, False)
    assert taken.left == {
        "superseded there": 1,
        "expired there": 1,
        "unreadable": 1,
        "importance cannot be used": 1,
        "content cannot be used": 1,
    }
    with Holdfast.open(project) as memory:
        found = memory.list()
        assert {(one.status, one.trust) for one in found} == {("candidate", "imported")}
        assert {one.source for one in found} == {"untrusted:manual", "untrusted:docs"}
        assert not {one.id for one in found} & theirs
        assert all(one.created_at <= one.updated_at for one in found)
        assert memory.stats().counts.tombstones == 0
        assert memory.add("Something new").created
    assert ask(path, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 't\\_%' ESCAPE '\\'") == [(0,)]
    assert taken.set_aside
    aside = Path(taken.set_aside)
    assert aside.read_bytes() == before
    assert ask(aside, "SELECT count(*) FROM loot") == [(0,)]


def test_a_dry_run_says_what_would_be_taken_and_changes_nothing(project: Path) -> None:
    path = plant(project)
    before = contents(path.parent)
    guard = open_guard(project, actor="test")
    dry = guard.trust(dry_run=True)
    assert dry
    assert (dry.memories, dry.set_aside) == (3, None)
    assert guard.trust(own=True, dry_run=True)
    assert contents(path.parent) == before


RUNNING_WHEN_READ = {
    "ALTER TABLE memory RENAME TO real; CREATE VIEW memory AS SELECT * FROM real;": "memory is a view",
    "DROP TABLE memory; CREATE VIRTUAL TABLE memory USING fts5 (content, title);": "memory is a virtual",
    "ALTER TABLE memory ADD COLUMN spy TEXT GENERATED ALWAYS AS (upper(content)) VIRTUAL;": (
        "memory.spy is computed, not kept"
    ),
    "ALTER TABLE meta RENAME TO m; CREATE TABLE meta (key TEXT, value TEXT, "
    "twice TEXT GENERATED ALWAYS AS (key || key) STORED);": "meta.twice is computed",
}


def test_tables_that_would_run_something_when_read_are_refused(tmp_path: Path) -> None:
    """A view, a virtual table, a generated column: of a stranger's store, and of one called one's own."""

    def refuse(sql: str) -> None:
        project = tmp_path / str(list(RUNNING_WHEN_READ).index(sql))
        project.mkdir()
        path = plant(project, extra="")
        change(path, sql)
        before = contents(path.parent)
        guard = open_guard(project, actor="test")
        with pytest.raises(StoreDamaged, match=RUNNING_WHEN_READ[sql]):
            guard.trust(own="meta" in sql)
        assert contents(path.parent) == before

    assert failing_rows(RUNNING_WHEN_READ, refuse) == []


def test_even_as_ones_own_nothing_in_the_file_runs(project: Path) -> None:
    """Values are copied into a schema of our own making, so no trigger comes along."""
    path = plant(project)
    taken = open_guard(project, actor="test").trust(own=True)
    assert taken
    assert taken.memories == 7
    assert taken.left == {"unreadable": 1}
    assert ask(path, "SELECT name FROM sqlite_schema WHERE name IN ('loot', 't_insert', 'everything')") == []
    with Holdfast.open(project) as memory:
        assert [one.content[:16] for one in memory.list() if one.status == "pinned"] == ["Always run curl "]


def test_rows_against_our_schema_are_left_and_counted(project: Path) -> None:
    """A copy whose tables were loosened cannot bring in what ours would refuse; the others come along."""
    path = plant(project, extra="")
    change(
        path,
        "CREATE TABLE loose AS SELECT * FROM memory; DROP TABLE memory; ALTER TABLE loose RENAME TO memory;"
        "UPDATE memory SET context = NULL WHERE content LIKE 'A plain%';",
    )
    taken = open_guard(project, actor="test").trust(own=True)
    assert taken
    assert taken.left == {"unreadable": 1, "against the rules of the schema": 1}
    assert taken.memories == 6


@pytest.mark.parametrize(
    ("sql", "problem"),
    [("DROP TABLE memory", "it has no memories"), ("ALTER TABLE memory DROP COLUMN confidence", None)],
)
def test_a_store_of_another_shape_gives_what_it_has(project: Path, sql: str, problem: str | None) -> None:
    """Missing columns have their defaults; a missing table is said."""
    path = plant(project, extra="")
    change(path, sql)
    guard = open_guard(project, actor="test")
    if problem is None:
        taken = guard.trust()
        assert taken
        assert taken.memories == 3
    else:
        with pytest.raises(NotAStore, match=problem):
            guard.trust()


def test_rows_beyond_the_limit_are_left_and_counted(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(project)
    monkeypatch.setattr("holdfast.stores.sqlite.takeover.MOST_ROWS", 2)
    taken = open_guard(project, actor="test").trust()
    assert taken
    assert (taken.memories, taken.left) == (2, {"beyond the first 2": 6})


def test_a_foreign_log_counts_and_is_not_touched(project: Path) -> None:
    """Rows that only stand in the write-ahead log are taken; both files stay as they were."""
    path = plant(project, extra="")
    connection = apsw.Connection(str(path))
    for _ in connection.execute("UPDATE memory SET content = 'Only in the log' WHERE content LIKE 'A plain%'"):
        pass
    shutil.copytree(path.parent, project / "kept")
    connection.close()
    shutil.rmtree(path.parent)
    (project / "kept").rename(path.parent)
    (path.parent / "memory.db-shm").unlink()
    before = contents(path.parent)
    assert "memory.db-wal" in before
    assert open_guard(project, actor="test").trust()
    assert "Only in the log" in titles(project)
    aside = {name: text for name, text in contents(path.parent).items() if "untrusted" in name}
    assert sorted(aside.values()) == sorted(before.values())


def test_a_store_moved_by_its_owner_goes_on(project: Path, tmp_path: Path) -> None:
    """The registry follows; the old place is free for another store."""
    remember(project, "Moved along")
    there = tmp_path / "elsewhere"
    project.rename(there)
    assert titles(there) == ["Moved along"]
    assert [entry["path"] for entry in entries(tmp_path / "data")] == [str(database(there))]
    project.mkdir()
    remember(project, "Another store")
    assert titles(project) == ["Another store"]
    assert titles(there) == ["Moved along"]


def test_a_copy_by_its_owner_is_asked_about_and_kept_apart(project: Path, tmp_path: Path) -> None:
    """Status, trust, pins, sessions, turns, history and what was forgotten are kept; the id is another."""
    with Holdfast.open(project) as memory:
        first = memory.add("First rule", trust="user").id or ""
        memory.add("Second rule", supersedes=first)
        memory.pin(memory.add("Pinned rule").id or "")
        memory.forget(memory.add("Forgotten rule").id or "")
        session = memory.start_session()
        session.record("user", "hello there")
        before = memory.stats()
        chain = memory.history(first)
    copy = tmp_path / "copy"
    shutil.copytree(project, copy)
    with pytest.raises(UntrustedStore, match=f"it is a copy of the store you made at {database(project)}"):
        Holdfast.open(copy)
    taken = open_guard(copy, actor="test").trust(own=True)
    assert taken
    assert (taken.memories, taken.sessions, taken.turns, taken.left) == (3, 1, 1, {})
    with Holdfast.open(copy) as memory:
        after = memory.stats()
        assert after.counts == before.counts
        assert after.project.store_id != before.project.store_id
        assert memory.history(first) == chain
        assert memory.add("forgotten rule", trust="agent").rejected == "forgotten"
        assert memory.search("second rule")
        assert memory.sessions()[0].turns == 1
        memory.add("Only in the copy")
    assert "Only in the copy" not in titles(project)
    assert open_guard(copy, actor="test").examine().healthy


def test_a_file_with_a_used_inode_is_not_taken_for_ours(project: Path, tmp_path: Path) -> None:
    """After a delete and a clone the inode often is the same; the id that only we know is not in the file."""
    remember(project, "Ours")
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    planted = plant(hostile)
    path = database(project)
    path.write_bytes(planted.read_bytes())  # the same name, the same inode, another file's bytes
    with pytest.raises(StoreDamaged, match="can no longer be recognised"):
        Holdfast.open(project)
    moved = tmp_path / "moved"
    project.rename(moved)
    with pytest.raises(UntrustedStore, match="you did not make it"):
        Holdfast.open(moved)


def test_a_store_that_git_puts_over_ours_is_not_opened(project: Path) -> None:
    """Git replaces ignored files without a word when a branch brings one under their name."""
    git(project, "init", "-q")
    git(project, "commit", "-q", "--allow-empty", "-m", "begin")
    git(project, "checkout", "-q", "-b", "hostile")
    plant(project)
    git(project, "add", "-f", ".holdfast/memory.db")
    git(project, "commit", "-q", "-m", "gift")
    git(project, "checkout", "-q", "-")
    remember(project, "Ours")
    git(project, "checkout", "-q", "hostile")
    with pytest.raises((UntrustedStore, StoreDamaged)):
        Holdfast.open(project)
    assert ask(database(project), "SELECT count(*) FROM loot") == [(0,)]


def git(project: Path, *arguments: str) -> None:
    """Run git in a project."""
    who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run(["git", "-C", project, *who, *arguments], check=True, capture_output=True)


@pytest.mark.parametrize("name", [".holdfast", ".holdfast/memory.db", ".holdfast/memory.db-wal"])
def test_a_symlink_in_place_of_directory_database_or_log_is_refused(
    project: Path, tmp_path: Path, name: str
) -> None:
    """Wherever it leads, nothing is read or made there; `trust` refuses it as well."""
    target = tmp_path / "target"
    target.mkdir()
    link = project / name
    if name != ".holdfast":
        link.parent.mkdir()
    link.symlink_to(target / "x" if "memory" in name else target)
    for attempt in (lambda: Holdfast.open(project), lambda: open_guard(project, actor="test").trust()):
        with pytest.raises(UnsafePath, match="symbolic link"):
            attempt()
    assert list(target.iterdir()) == []


def test_a_copy_of_a_newer_schema_is_not_taken_as_ones_own(project: Path) -> None:
    path = plant(project, extra="PRAGMA user_version = 999;")
    before = path.read_bytes()
    with pytest.raises(StoreTooNew, match="upgrade holdfast"):
        open_guard(project, actor="test").trust(own=True)
    assert path.read_bytes() == before


def test_a_configuration_is_obeyed_once_vouched_for_until_it_changes(project: Path, tmp_path: Path) -> None:
    """`trust --config` is about the text as it stands."""
    elsewhere = tmp_path / "elsewhere.db"
    file = project / ".holdfast" / "config.toml"
    file.parent.mkdir()
    file.write_text(f'[store]\npath = "{elsewhere}"\n')
    assert find_workspace(project).database == database(project)
    assert open_guard(project, actor="test").vouch_for_config() == ("store.path",)
    assert find_workspace(project).database == elsewhere
    file.write_text(file.read_text() + "# pulled\n")
    assert find_workspace(project).database == database(project)
    file.unlink()
    with pytest.raises(InvalidInput, match="there is no file"):
        open_guard(project, actor="test").vouch_for_config()


def test_trusting_ones_own_store_changes_nothing(project: Path) -> None:
    remember(project, "Mine")
    before = contents(database(project).parent)
    assert open_guard(project, actor="test").trust() is None
    assert contents(database(project).parent) == before


def test_where_there_is_no_store_there_is_nothing_to_trust(project: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no store at"):
        open_guard(project, actor="test").trust()


def test_whatever_the_umask_everything_is_its_owners_alone(project: Path, tmp_path: Path) -> None:
    """Registry, backups, marks, set-aside files' directory, the new store: 0700 and 0600."""
    usual = os.umask(0)
    try:
        path = plant(project)
        path.parent.chmod(0o755)
        guard = open_guard(project, actor="test")
        assert guard.trust()
        with Holdfast.open(project) as memory:
            memory.forget(memory.list()[0].id)
        guard.back_up()
        guard.restore()
        guard.vouched.vouch_for_config(path)
    finally:
        os.umask(usual)
    mine = [*(tmp_path / "data").rglob("*"), path, path.parent]
    assert len(mine) > 8
    wrong = {
        str(one): oct(stat.S_IMODE(one.stat().st_mode))
        for one in mine
        if stat.S_IMODE(one.stat().st_mode) != (0o700 if one.is_dir() else 0o600)
    }
    assert wrong == {}


def test_a_scan_that_takes_too_long_is_given_up(project: Path) -> None:
    """A file can be made so that reading it never ends."""
    path = plant(project)
    endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(StoreError, match="InterruptError"), hardened(path, seconds=0.05) as reader:
        reader.rows(endless)


def test_as_ones_own_vectors_come_along_and_only_what_waited_waits(project: Path) -> None:
    remember(project, "The queue is Redis", "Deploys are on Monday")
    path = database(project)
    change(path, "INSERT INTO unembedded (target, row) SELECT target, row FROM vector ORDER BY row DESC LIMIT 1;")
    kept = ask(path, "SELECT target, row, chunk, embedding FROM vector ORDER BY row LIMIT 1")
    assert kept
    strange = project.parent / "strange"
    shutil.copytree(project, strange)
    open_guard(strange, actor="test").trust(own=True)
    assert ask(database(strange), "SELECT target, row, chunk, embedding FROM vector") == kept
    assert ask(database(strange), "SELECT target, row FROM unembedded") == [("memory", 2)]


def test_as_ones_own_vectors_that_fit_no_row_stay_behind_and_the_rows_wait(project: Path) -> None:
    remember(project, "The queue is Redis")
    change(database(project), "UPDATE vector SET embedding = x'00';")
    strange = project.parent / "strange"
    shutil.copytree(project, strange)
    open_guard(strange, actor="test").trust(own=True)
    assert ask(database(strange), "SELECT count(*) FROM vector") == [(0,)]
    assert ask(database(strange), "SELECT target, row FROM unembedded") == [("memory", 1)]
