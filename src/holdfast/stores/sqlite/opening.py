"""Opening a store's file as far as it allows: to write, to read only, or as a frozen picture; or an empty store in
memory. Light.

What must not be here: making a file, changing a schema.
"""

import os

from holdfast.errors import NotAStore, StoreError, StoreTooNew, StoreTooOld, StoreUnwritable
from holdfast.machine.disk import first_bytes
from holdfast.model.ids import new_id
from holdfast.stores.sqlite.connection import (
    APPLICATION_ID,
    FROZEN,
    IN_MEMORY,
    READ,
    SCHEMA_VERSION,
    Database,
    Value,
    read_sql,
    unwritable_because,
)

BUSY_MS = 5_000
"""How long others' locks are waited for, where nobody says otherwise."""

_VERSION = slice(60, 64)
"""Where the schema's version stands in a file's head."""


def open_database(
    path: str | os.PathLike[str], *, known: int, busy_ms: int = BUSY_MS, synchronous: str = "normal"
) -> Database:
    """Open a file to write, if that can be; else to read, and then `refusal` says why nothing is written.

    A file of a newer schema than `known` is not written at all, not even its log is moved into it.
    """
    path = os.fspath(path)
    if schema_version(path) > known:
        return _open_too_new(path, known, busy_ms)
    try:
        database = Database(path, busy_ms=busy_ms, synchronous=synchronous)
    except StoreUnwritable as error:
        return _open_to_read(path, error, busy_ms)
    try:
        version = schema_of(database)
    except StoreUnwritable as error:
        database.close()
        return _open_to_read(path, error, busy_ms)
    except BaseException:
        database.close()
        raise
    if version > known:  # the log says so, the file does not yet
        database.leave_log()
        return _open_too_new(path, known, busy_ms)
    if database.read_only:
        problem = unwritable_because(path, "the file is read-only")
        database.refusal = StoreUnwritable(path=path, problem=problem)
    return database


def open_as_it_is(path: str, *, known: int, busy_ms: int) -> Database:
    """Open a file for a moment: its schema must be there already, and its log stays where it is.

    Raises `StoreTooOld` where the schema has to be brought up first, which takes longer than a moment.
    """
    database = open_database(path, known=known, busy_ms=busy_ms)
    try:
        database.spare_log()
        if database.pragma("application_id") != APPLICATION_ID:
            raise NotAStore(path=path, problem="another program's database")
        version = schema_of(database)
        if version < known:
            raise StoreTooOld(path=path, version=version, known=known)
    except BaseException:
        database.close()
        raise
    return database


def open_to_look(path: str | os.PathLike[str]) -> Database | None:
    """Open a file to read, None where that cannot be."""
    database = _open_reader(os.fspath(path), BUSY_MS)
    if database:
        database.refusal = StoreUnwritable(path=path, problem="it is another project's, opened to look only")
    return database


def open_in_memory(project: str, now: int) -> Database:
    """Make an empty store in this process's memory, with today's schema."""
    database = Database(IN_MEMORY)
    database.script("PRAGMA auto_vacuum = INCREMENTAL; BEGIN")
    database.script(f"{read_sql('schema.sql')}; PRAGMA user_version = {SCHEMA_VERSION}")
    database.insert_rows("INSERT INTO meta (key, value) VALUES (?, ?)", new_facts(project, now).items())
    database.script("COMMIT")
    return database


def new_facts(project: str, now: int) -> dict[str, Value]:
    """Return what a new store knows about itself."""
    return {
        "store_id": new_id(now),
        "epoch": new_id(now),
        "project": project,
        "created_at": now,
        "tombstone_key": os.urandom(32),
    }


def schema_of(database: Database) -> int:
    """Return the version of the schema that a file has."""
    value = database.pragma("user_version")
    return value if isinstance(value, int) else 0


def schema_version(path: str | os.PathLike[str]) -> int:
    """Read a file's schema version from its first bytes, without opening it; 0 when it cannot be read."""
    try:
        return int.from_bytes(first_bytes(path, _VERSION.stop)[_VERSION], "big")
    except OSError:
        return 0


def _open_too_new(path: str, known_version: int, busy_ms: int) -> Database:
    database = _open_reader(path, busy_ms)
    if database is None:
        raise StoreTooNew(path=path, version=schema_version(path), known=known_version)
    database.refusal = StoreTooNew(path=path, version=schema_of(database), known=known_version)
    return database


def _open_to_read(path: str, error: StoreUnwritable, busy_ms: int) -> Database:
    database = _open_reader(path, busy_ms)
    if database is None:
        raise error
    database.refusal = error
    return database


def _open_reader(path: str, busy_ms: int) -> Database | None:
    """Open to read, None where that cannot be: a log that was left needs a place for its index beside it."""
    has_log = _size(path + "-wal") > 0
    for access in (READ,) if has_log else (READ, FROZEN):
        database = None
        try:
            database = Database(path, busy_ms=busy_ms, access=access)
            database.script("SELECT count(*) FROM sqlite_schema")
            return database
        except StoreUnwritable:
            if database:
                database.close()
        except StoreError:
            if database:
                database.close()
            raise
    return None


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
