"""The schema's versions: numbered, append-only `.sql` files, each applied in one transaction."""

import secrets
from pathlib import Path

import apsw

from holdfast.errors import NotAStore, StoreTooNew
from holdfast.model.ids import new_id
from holdfast.stores.sqlite.connection import APPLICATION_ID, Database, translated
from holdfast.stores.sqlite.queries import read_sql

_FOLDER = Path(__file__).parent / "migrations"


def migrations() -> list[tuple[int, str]]:
    """Return every migration as (version, SQL), in order."""
    files = sorted(_FOLDER.glob("[0-9]*.sql"))
    return [(int(file.name.split("_")[0]), file.read_text(encoding="utf-8")) for file in files]


def latest() -> int:
    """Return the schema version this code writes."""
    return migrations()[-1][0]


def build(path: Path, *, project: str, now: int, log: bool) -> None:
    """Fill an empty file with the schema. auto_vacuum comes first: set later it silently stays off."""
    with translated(str(path), 0):
        connection = apsw.Connection(str(path))
        for _ in connection.execute(
            f"PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = {APPLICATION_ID}; BEGIN IMMEDIATE;"
            f"{read_sql('schema.sql')}; PRAGMA user_version = {latest()};"
        ):
            pass
        facts = {
            "store_id": new_id(now),
            "epoch": new_id(now),
            "project": project,
            "created_at": now,
            "tombstone_key": secrets.token_bytes(32),
        }
        connection.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", facts.items())
        for _ in connection.execute("COMMIT; PRAGMA journal_mode = " + ("WAL" if log else "DELETE")):
            pass
        connection.close()


def bring_up(database: Database) -> None:
    """Apply what is missing; refuse a file that is not ours or is newer than this code."""
    if database.pragma("application_id") != APPLICATION_ID:
        raise NotAStore(path=database.path, problem="another program's database")
    known = latest()
    if _version(database) > known:
        raise StoreTooNew(path=database.path, version=_version(database), known=known)
    for version, sql in migrations():
        if version > _version(database):
            with database.writing():
                if version > _version(database):  # another process may have been first
                    database.script(sql + f"\n; PRAGMA user_version = {version};")


def _version(database: Database) -> int:
    value = database.pragma("user_version")
    return value if isinstance(value, int) else 0
