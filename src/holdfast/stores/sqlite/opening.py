"""Opening a store's file as far as it allows: to write, to read only, or as a frozen picture.

What must not be here: making a file, changing a schema.
"""

from pathlib import Path

from holdfast.errors import StoreError, StoreTooNew, StoreUnwritable
from holdfast.stores.sqlite import files
from holdfast.stores.sqlite.connection import FROZEN, READ, Database, unwritable_because


def open_database(path: Path, *, known: int, busy_ms: int = 5_000, synchronous: str = "normal") -> Database:
    """Open a file to write, if that can be; else to read, and then `refusal` says why nothing is written.

    A file of a newer schema than `known` is not written at all, not even its log is moved into it.
    """
    if files.schema_version(path) > known:
        return _open_too_new(path, known)
    try:
        database = Database(str(path), busy_ms=busy_ms, synchronous=synchronous)
    except StoreUnwritable as error:
        return _open_to_read(path, error)
    try:
        version = schema_of(database)
    except StoreUnwritable as error:
        database.close()
        return _open_to_read(path, error)
    except BaseException:
        database.close()
        raise
    if version > known:  # the log says so, the file does not yet
        database.leave_log()
        return _open_too_new(path, known)
    if database.read_only:
        problem = unwritable_because(str(path), "the file is read-only")
        database.refusal = StoreUnwritable(path=path, problem=problem)
    return database


def open_to_look(path: Path) -> Database | None:
    """Open a file to read, None where that cannot be."""
    database = _read(path)
    if database:
        database.refusal = StoreUnwritable(path=path, problem="it is another project's, opened to look only")
    return database


def schema_of(database: Database) -> int:
    """Return the version of the schema that a file has."""
    value = database.pragma("user_version")
    return value if isinstance(value, int) else 0


def _open_too_new(path: Path, known: int) -> Database:
    database = _read(path)
    if database is None:
        raise StoreTooNew(path=path, version=files.schema_version(path), known=known)
    database.refusal = StoreTooNew(path=path, version=schema_of(database), known=known)
    return database


def _open_to_read(path: Path, error: StoreUnwritable) -> Database:
    database = _read(path)
    if database is None:
        raise error
    database.refusal = error
    return database


def _read(path: Path) -> Database | None:
    """Open to read, None where that cannot be: a log that was left needs a place for its index beside it."""
    log = path.with_name(path.name + "-wal")
    left = log.exists() and log.stat().st_size > 0
    for access in (READ,) if left else (READ, FROZEN):
        database = None
        try:
            database = Database(str(path), access=access)
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
