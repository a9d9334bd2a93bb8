"""Opening the store in a file for good: made where there is none, brought up where its schema is older."""

from __future__ import annotations

from holdfast.machine import kill_points
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.stores.sqlite import files, migrate
from holdfast.stores.sqlite.opening import open_database

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.stores.sqlite.connection import Database
    from holdfast.stores.sqlite.store import Care


def open_or_make(path: Path, project: str, now: int, care: Care, *, busy_ms: int, synchronous: str) -> Database:
    """Open a store's file; a directory made for it is its owner's alone."""
    if not files.check_existing(path):
        _make(path, project, now, care)
    plan = care.migrations or migrate.migrations()
    database = open_database(path, known=plan[-1][0], busy_ms=busy_ms, synchronous=synchronous)
    try:
        if not database.refusal:
            migrate.bring_up(database, plan, care.before_migration)
            if files.mount_kind(path.parent) and database.pragma("journal_mode") == "wal":
                database.pragma("journal_mode = DELETE")
    except BaseException:
        database.close()
        raise
    return database


def _make(path: Path, project: str, now: int, care: Care) -> None:
    if not path.parent.is_dir():  # a directory that is there may be anybody's: its mode is left alone
        files.prepare_directory(path.parent)
    log = files.mount_kind(path.parent) is None

    def fill(fresh: Path) -> None:
        kill_points.passed(kill_points.CREATION)
        store_id = migrate.build(fresh, project=project, now=now, log=log)
        kill_points.passed(kill_points.CREATION)
        care.claim(fresh, store_id)
        kill_points.passed(kill_points.CREATION)

    files.create(path, fill)
    kill_points.passed(kill_points.CREATION)
