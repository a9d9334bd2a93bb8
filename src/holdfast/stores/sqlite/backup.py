"""Copies of a store: made while it is in use, proven whole, named in one step; and stores made from copies."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import cast

from holdfast.errors import BackupUnusable, NotAStore, StoreDamaged, StoreError, StoreUnwritable, UnsafePath
from holdfast.machine import disk
from holdfast.model.care import Contents
from holdfast.model.ids import new_id
from holdfast.stores.sqlite import files, migrate
from holdfast.stores.sqlite.checkup import SCHEMA, damaged_rows, own_shape, shape_of
from holdfast.stores.sqlite.connection import SCHEMA_VERSION, Database, Row, Value
from holdfast.stores.sqlite.hardened import HardenedReader, hardened
from holdfast.stores.sqlite.opening import open_database, schema_of
from holdfast.stores.sqlite.rows import to_json


def back_up(source: Path, target: Path) -> Contents:
    """Copy a store as it stands at one moment into a file of its own.

    The copy is proven whole before it gets its name; a backup that had the name before is replaced, any other file
    is refused.
    """
    _check_target(target)
    database = open_database(source, known=SCHEMA_VERSION)
    try:
        with files.private_file(target) as fresh:
            with database.reading():
                expected_contents = _contents(database.script)
                _check_rows(database)
                database.copy_to(str(fresh))
            contents = inspect(fresh)
            if contents != expected_contents:
                raise StoreDamaged(path=target, problem="the copy does not hold what the store holds")
            files.settle(fresh, target)
    except StoreUnwritable as error:
        raise StoreUnwritable(path=target, problem=error.facts["problem"]) from error
    finally:
        database.close()
    return contents


def inspect(copy: Path) -> Contents:
    """Return what a copy holds; raise when it is not whole."""
    with hardened(copy) as reader:
        _check_whole(reader)
        return _contents(reader.rows)


def inspect_to_restore(copy: Path, *, ours: bool) -> Contents:
    """The same, for a file that is to become a store. Unless it comes from our own folder of backups, its schema
    must be ours to the letter, so that nothing of somebody else's can run when it is opened."""
    try:
        if not files.check_existing(copy):
            raise BackupUnusable(path=copy, problem="there is no such file")
        with hardened(copy) as reader:
            version, latest_version = reader.number("PRAGMA user_version"), SCHEMA_VERSION
            if not 1 <= version <= latest_version:
                raise BackupUnusable(
                    path=copy, problem=f"it has schema {version}, this holdfast knows {latest_version}"
                )
            if not ours and shape_of(reader.rows(SCHEMA)) != own_shape():
                raise BackupUnusable(path=copy, problem="its schema is not the one holdfast makes")
            _check_whole(reader)
            return _contents(reader.rows)
    except (NotAStore, StoreDamaged) as error:
        raise BackupUnusable(path=copy, problem=error.facts["problem"]) from error


def fill_from(copy: Path, fresh: Path, marks: Iterable[bytes], now: int) -> None:
    """Make a store from a copy: another epoch, so that indexes kept beside it are not believed, and the marks
    of what was forgotten since."""
    import shutil  # heavy, and seldom needed

    shutil.copyfile(copy, fresh)
    fresh.chmod(0o600)
    with migrate.brought_up(fresh) as database:
        with database.writing():
            database.all("meta_set", {"key": "epoch", "value": new_id(now)})
            database.many("tombstone_add", ({"mark": mark} for mark in marks))
        if disk.mount_kind(fresh.parent) is None:
            database.pragma("journal_mode = WAL")


def rewrite(copy: Path, marks: Iterable[bytes], change: Callable[[Database], None]) -> None:
    """Put a copy in its own place without what `change` removes, and with the marks of what was forgotten.

    It gets today's schema, is packed anew, so that no free page holds a word of it, and is proven whole first.
    """
    _check_target(copy)
    with files.private_file(copy) as fresh:
        _duplicate(copy, fresh)
        with migrate.brought_up(fresh) as database:
            with database.writing():
                database.many("tombstone_add", ({"mark": mark} for mark in marks))
            change(database)
            database.pragma("journal_mode = DELETE")
            database.script("VACUUM")
        inspect(fresh)
        files.settle(fresh, copy)
        files.drop_logs(copy)


def _duplicate(copy: Path, fresh: Path) -> None:
    """Copy a file, with what its log holds."""
    import shutil  # heavy, and seldom needed

    with hardened(copy) as reader:
        shutil.copyfile(reader.path, fresh)


def marks_of(copy: Path) -> set[bytes]:
    """Return the marks that stand in a copy."""
    with hardened(copy) as reader:
        return {cast(bytes, mark) for (mark,) in reader.rows("SELECT mark FROM tombstone")}


def holds(copy: Path, memories: Sequence[str], turns: Sequence[str]) -> bool:
    """Say whether a copy holds one of these memories or turns; one that cannot be read may."""
    try:
        with hardened(copy) as reader:
            return any(
                reader.rows(f"SELECT 1 FROM {table} WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1", (ids,))
                for table, ids in (("memory", to_json(list(memories))), ("turn", to_json(list(turns))))
            )
    except (StoreDamaged, NotAStore):
        return True


def newer_rows(source: Path, copy: Path) -> dict[str, int] | None:
    """Count the memories and turns of a store that a copy lacks; None where the store cannot be read."""
    try:
        with hardened(source) as reader, hardened(copy) as older:
            return {
                f"{table}s" if table == "turn" else "memories": len(_ids(reader, table) - _ids(older, table))
                for table in ("memory", "turn")
            }
    except (StoreError, NotAStore):
        return None


def _ids(reader: HardenedReader, table: str) -> set[Value]:
    return {row_id for (row_id,) in reader.rows(f"SELECT id FROM {table} NOT INDEXED")}


def _check_target(target: Path) -> None:
    if target.is_symlink():
        raise UnsafePath(path=target, problem="symbolic link")
    if target.exists():
        files.check_existing(target)
    if not target.parent.is_dir():
        raise StoreUnwritable(path=target, problem="its directory is not there")


def _check_rows(database: Database) -> None:
    """Refuse to copy a store with damaged rows: such a copy would sooner or later take the place of a good one."""
    if schema_of(database) == SCHEMA_VERSION and (rows := damaged_rows(database)):
        more = f" and {len(rows) - 1:,} more" if len(rows) > 1 else ""
        problem = f"{rows[0]}{more} cannot be read, so no backup was made and older ones are kept"
        raise StoreDamaged(path=database.path, problem=problem)


def _check_whole(reader: HardenedReader) -> None:
    for (message,) in reader.rows("PRAGMA integrity_check(1)"):
        if message != "ok":
            raise StoreDamaged(path=reader.path, problem=str(message))


def _contents(rows: Callable[[str], list[Row]]) -> Contents:
    """Return what a file holds by what it answers."""

    def ask(sql: str) -> str | int:
        answer = rows(sql)
        return cast("str | int", answer[0][0] if answer else None)

    return Contents(
        store_id=str(ask("SELECT value FROM meta WHERE key = 'store_id'")),
        project=str(ask("SELECT value FROM meta WHERE key = 'project'")),
        schema=int(ask("PRAGMA user_version")),
        memories=int(ask("SELECT count(*) FROM memory")),
        sessions=int(ask("SELECT count(*) FROM session")),
        turns=int(ask("SELECT count(*) FROM turn")),
        tombstones=int(ask("SELECT count(*) FROM tombstone")),
        events=int(ask("SELECT count(*) FROM audit")),
    )
