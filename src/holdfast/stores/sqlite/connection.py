"""A connection to the database file: settings, waiting, transactions, and errors put into our words. Light.

What must not be here: SQL of the schema, and anything about memories.
"""

import contextlib
import os
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

import apsw

from holdfast import errors
from holdfast.machine import disk
from holdfast.machine.environment import statement_limit
from holdfast.stores.sql.queries import load_folder, read_text
from holdfast.stores.weights import MEMORY_WEIGHTS, TURN_WEIGHTS

SCHEMA_VERSION = 1
"""The version of the schema that this code writes; `schema.sql` says how another one is made."""

_HERE = os.path.dirname(os.path.abspath(__file__))


def read_sql(*path: str) -> str:
    """Return the text of a file in this backend's folder."""
    return read_text(_HERE, *path)


@cache
def load() -> dict[str, str]:
    """Return every query by name."""
    return load_folder(os.path.join(_HERE, "queries"))


Value = None | int | float | str | bytes

Row = tuple[Value, ...]

APPLICATION_ID = 0x686F6C64  # "hold"
"""What a file of ours says it is, in its header."""

IN_MEMORY = ":memory:"
"""The path of a database in this process's memory: SQLite makes no file for it, nor anything beside one."""

SCRUB_WAIT_MS = 250
"""How long emptying the log waits for readers; what stays is emptied the next time."""

WRITE = "write"
READ = "read"
FROZEN = "frozen"
"""How a file is opened. Frozen: nothing else touches it, and no log is looked for (a read-only medium)."""

LONG_S = 0.05
"""A write transaction that took longer is followed by a turn for others."""

_LOOKS_S = 0.0005, 0.006
"""How long one who waits for a lock sleeps between two looks, at least and at most."""

OTHERS_TURN_S = 2 * _LOOKS_S[1]
"""How long that is: everybody who waits looks at least once."""

_STEPS = 20_000
"""Steps of SQLite between two looks at the clock, when there is a limit: a millisecond, as a look costs, too."""

_STUCK = "stuck"
"""Under which name SQLite asks whether a statement takes too long, beside whoever else limits one."""

_PATIENCE = 5
"""How many times its limit a read may take where others use the processor."""

_SETTINGS = """
PRAGMA secure_delete = ON;
PRAGMA trusted_schema = OFF;
PRAGMA cell_size_check = ON;
PRAGMA temp_store = MEMORY;
PRAGMA foreign_keys = ON;
PRAGMA journal_size_limit = 16777216;
PRAGMA checkpoint_fullfsync = ON;
"""


class Database:
    """One connection, used by one thread at a time; other threads wait their turn."""

    def __init__(
        self, path: str, *, busy_ms: int = 5_000, synchronous: str = "normal", access: str = WRITE
    ) -> None:
        self.path = path
        self.refusal: errors.StoreError | None = None
        """Why nothing may be written, when nothing may."""
        self._busy_ms = busy_ms
        self._waiting_since = 0.0
        self._limit_ms: int | None = None
        self._lock = threading.RLock()
        self.snapshot: dict[str, object] | None = None
        """What the read transaction under way has read of the store's facts, which stay so until it ends; None
        outside of one, and where something is written."""
        self._depth = 0
        self._writes = 0
        self._held_s = self._released_at = 0.0
        self._statements = 0
        self._long_statement = (0, 0.0)
        """The statement that was under way at the last look at the clock, by its number, and since when."""
        self._afterwards: list[Callable[[], None]] = []
        self._queries = load()
        self._after_commit: list[Callable[[], None]] = []
        with translate_errors(path, busy_ms):
            self._connection = _connect(path, access)
            self._noted = disk.note_connection(path)  # before the first statement, which takes locks
            self._file = _identity(path)
            self._connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            self._connection.set_busy_handler(self._wait)
            self._connection.set_progress_handler(self._is_stuck, _STEPS, id=_STUCK)
            self.script(_SETTINGS + _sync_settings(synchronous))
            self._connection.create_scalar_function("casefold", _casefold, 1, deterministic=True)
            self._connection.register_fts5_function("memory_frequencies", frequencies(MEMORY_WEIGHTS))
            self._connection.register_fts5_function("turn_frequencies", frequencies(TURN_WEIGHTS))

    def all(self, name: str, params: Mapping[str, Value] | None = None) -> list[Row]:
        """Run a named query and return its rows."""
        with self._lock:
            self._statements += 1
            try:
                return list(self._connection.execute(self._queries[name], params))
            except DRIVER_ERRORS as error:
                raise self._own_error(error) from error

    def many(self, name: str, rows: Iterable[Mapping[str, Value]]) -> None:
        """Run a named query once for each row of parameters."""
        with self._lock:
            self._statements += 1
            try:
                self._connection.executemany(self._queries[name], rows)
            except DRIVER_ERRORS as error:
                raise self._own_error(error) from error

    def one(self, name: str, params: Mapping[str, Value] | None = None) -> Row | None:
        """Run a named query and return its first row."""
        rows = self.all(name, params)
        return rows[0] if rows else None

    def changes(self) -> int:
        """Return how many rows were changed since the file was opened."""
        return self._connection.total_changes()

    def _own_error(self, error: Exception) -> errors.StoreError:
        """Put what the driver raises into our words."""
        limit_s = statement_limit()
        limit_ms = self._limit_ms if self._limit_ms is not None or limit_s is None else round(limit_s * 1000)
        return own_error(error, self.path, self._busy_ms, limit_ms)

    def _is_stuck(self) -> bool:
        """Say whether the statement under way takes longer than one may in this thread. SQLite asks."""
        limit_s = statement_limit()
        if limit_s is None:
            return False
        number, since = self._long_statement
        if number != self._statements:
            self._long_statement = self._statements, time.monotonic()
            return False
        return time.monotonic() - since > limit_s

    def last_row(self) -> int:
        """Return the number of the row that was inserted last."""
        return self._connection.last_insert_rowid()

    def script(self, sql: str) -> list[Row]:
        """Run SQL text whole. APSW stops at the first row of each statement, so the rows are exhausted."""
        with self._lock:
            self._statements += 1
            try:
                return list(self._connection.execute(sql))
            except DRIVER_ERRORS as error:
                raise self._own_error(error) from error

    def pragma(self, name: str) -> Value:
        """Return the value of a pragma."""
        rows = self.script(f"PRAGMA {name}")
        return rows[0][0] if rows else None

    @property
    def read_only(self) -> bool:
        """Whether the file could be opened for reading only."""
        return self._connection.readonly("main")

    @contextlib.contextmanager
    def writing(self, patience_ms: int | None = None) -> Iterator[None]:
        """Hold the write lock for one transaction. One inside another is a part of it that can fail alone."""
        if self.refusal:
            raise type(self.refusal)(**self.refusal.facts)
        with self.waiting(patience_ms):
            if self._depth:
                self.snapshot = None
                steps = (f"SAVEPOINT part{self._depth}", f"RELEASE part{self._depth}")
                undo = f"ROLLBACK TO part{self._depth}; RELEASE part{self._depth}"
                with self._transaction(*steps, undo):
                    yield
                return
            self._let_others_in()
            self._writes += 1
            started_at = time.monotonic()
            try:
                with self._transaction("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"):
                    started_at = time.monotonic()
                    self._check_in_place()
                    self._after_commit.clear()
                    yield
            finally:
                self._writes -= 1
                self._released_at = time.monotonic()
                self._held_s = self._released_at - started_at
            for step in self._after_commit:
                step()
        self._catch_up()

    def after_commit(self, step: Callable[[], None]) -> None:
        """Do something once the transaction under way is kept; when it is not, neither is this done."""
        self._after_commit.append(step)

    @contextlib.contextmanager
    def waiting(self, milliseconds: int | None) -> Iterator[None]:
        """Wait at most this long for locks, instead of the usual time."""
        with self._lock:
            usual = self._busy_ms
            self._busy_ms = usual if milliseconds is None else min(usual, milliseconds)
            try:
                yield
            finally:
                self._busy_ms = usual

    @contextlib.contextmanager
    def reading(self, limit_ms: int | None = None) -> Iterator[None]:
        """Hold one snapshot over several reads; inside a transaction, that one's. Past the limit reads are cut."""
        if limit_ms is not None:
            with self._time_limit(limit_ms), self.reading():
                yield
            return
        with self._lock:
            if self._depth:
                yield
                return
            with self._transaction("BEGIN DEFERRED", "COMMIT", "ROLLBACK"):
                self.snapshot = {}
                try:
                    yield
                finally:
                    self.snapshot = None
        self._catch_up()

    @contextlib.contextmanager
    def _time_limit(self, limit_ms: int) -> Iterator[None]:
        """Cut off whatever SQLite is doing once the time is up.

        What counts is the time this thread works; on a machine that others keep busy it may wait for a few times
        as long.
        """
        end, latest = time.thread_time() + limit_ms / 1000, time.monotonic() + _PATIENCE * limit_ms / 1000
        with self.waiting(limit_ms):
            self._connection.set_progress_handler(
                lambda: time.thread_time() > end or time.monotonic() > latest, _STEPS
            )
            self._limit_ms = limit_ms
            try:
                yield
            finally:
                self._limit_ms = None
                self._connection.set_progress_handler(None)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other threads of this process off, without a transaction."""
        with self._lock:
            yield

    @property
    def uncommitted(self) -> bool:
        """Whether reads now see what may still be taken back."""
        return self._writes > 0

    def afterwards(self, work: Callable[[], None]) -> None:
        """Do some work once the transaction under way has ended well; at once when there is none."""
        self._afterwards.append(work)
        self._catch_up()

    def truncate_log(self) -> bool:
        """Move the write-ahead log into the file and empty it; return whether a reader stood in the way."""
        with self.waiting(SCRUB_WAIT_MS):
            try:
                rows = self.script("PRAGMA wal_checkpoint(TRUNCATE)")
            except errors.StoreBusy:
                return True
            return bool(rows and rows[0][0])

    def rows(self, sql: str, params: tuple[Value, ...] = ()) -> list[Row]:
        """Run SQL that is put together from a schema, where no named query can be."""
        with self._lock:
            self._statements += 1
            try:
                return list(self._connection.execute(sql, params))
            except DRIVER_ERRORS as error:
                raise self._own_error(error) from error

    def insert_rows(self, sql: str, rows: Iterable[Row]) -> None:
        """The same for many rows of values."""
        with self._lock, translate_errors(self.path, self._busy_ms):
            self._connection.executemany(sql, rows)

    def copy_to(self, target: str) -> None:
        """Copy every page into another file, as they stand at one moment."""
        with self._lock, translate_errors(target, self._busy_ms):
            into = apsw.Connection(target)
            try:
                with into.backup("main", self._connection, "main") as copying:
                    while not copying.done:
                        copying.step()
                list(into.execute("PRAGMA journal_mode = DELETE"))  # one file, with nothing beside it
            finally:
                into.close()

    def spare_log(self) -> None:
        """Never move the write-ahead log into the file: who comes by for a moment has no time for that."""
        self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        self._connection.wal_autocheckpoint(0)

    def leave_log(self) -> None:
        """Close without moving the write-ahead log into the file: it stays as it was found."""
        self.spare_log()
        self.close()

    def close(self) -> None:
        with self._lock, translate_errors(self.path, self._busy_ms):
            self._connection.close()
            disk.note_end(self._noted)
            self._noted = None

    @contextlib.contextmanager
    def _transaction(self, begin: str, end: str, undo: str) -> Iterator[None]:
        self.script(begin)
        self._depth += 1
        try:
            yield
            self.script(end)
        except BaseException:
            self._afterwards.clear()
            if self._connection.in_transaction:  # a full disk may have ended it already
                self.script(undo)
            raise
        finally:
            self._depth -= 1

    def _check_in_place(self) -> None:
        """Refuse to write into a file that no longer has its name: nobody would ever read it again."""
        if self.path != IN_MEMORY and _identity(self.path) != self._file:
            raise errors.StoreReplaced(path=self.path)

    def _let_others_in(self) -> None:
        """Wait a moment after a long transaction before the next: whoever waits looks only so often, and one long
        transaction after another would keep them out until they give up."""
        remaining_s = self._released_at + OTHERS_TURN_S - time.monotonic()
        if self._held_s > LONG_S and remaining_s > 0:
            time.sleep(remaining_s)

    def _catch_up(self) -> None:
        while self._afterwards and not self._depth:
            self._afterwards.pop(0)()

    def _wait(self, tries: int) -> bool:
        """Wait for a lock in short, uneven steps: SQLite's own grow to 100 ms and can starve a writer."""
        now = time.monotonic()
        if tries == 0:
            self._waiting_since = now
        if (now - self._waiting_since) * 1000 >= self._busy_ms:
            return False
        import random  # few have to wait

        time.sleep(random.uniform(*_LOOKS_S))  # noqa: S311 - spreads out rivals, no secret
        return True


def _sync_settings(synchronous: str) -> str:
    """Say how a commit is seen to the disk: where each is to be, macOS must ask the drive itself."""
    whole = "OFF" if synchronous == "normal" else "ON"
    return f"PRAGMA synchronous = {synchronous.upper()}; PRAGMA fullfsync = {whole};"


def _connect(path: str, access: str) -> apsw.Connection:
    if access == WRITE:
        return apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    if access == READ:
        return apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    return apsw.Connection(frozen_uri(path), flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def frozen_uri(path: str) -> str:
    """Name a file that nothing else touches, for SQLite. Three letters mean something in such a name."""
    escaped_path = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{escaped_path}?mode=ro&immutable=1"


def _identity(path: str) -> tuple[int, int] | None:
    try:
        file_status = os.stat(path)
    except OSError:
        return None
    return file_status.st_dev, file_status.st_ino


def _casefold(*texts: object) -> str:
    """Fold case for every alphabet; SQLite's own lower() knows ASCII only.

    Text comes as bytes: of what is no UTF-8 APSW would make an error, which ends the query as if it were complete.
    """
    [text] = texts
    return text.decode("utf-8", "replace").casefold() if isinstance(text, bytes) else str(text).casefold()


def frequencies(weights: tuple[float, ...]) -> Callable[..., bytes]:
    """Make the FTS5 function that reports a matched row: tokens in the index, rows in it, tokens of this row,
    then how often each phrase stands in the row, weighted by column."""

    def report(api: apsw.FTS5ExtensionApi) -> bytes:
        numbers: list[float] = [api.column_total_size(), api.row_count, api.column_size()]
        for phrase in range(api.phrase_count):
            often = 0.0
            for column in api.phrase_columns(phrase):
                often += weights[column] * len(api.phrase_column_offsets(phrase, column))
            numbers.append(often)
        return struct.pack(f"<{len(numbers)}d", *numbers)

    return report


DRIVER_ERRORS = (apsw.Error, UnicodeDecodeError)
"""What the driver raises. Caught in place where statements run: a context manager costs as much as a small one."""


@contextlib.contextmanager
def translate_errors(path: str, busy_ms: int) -> Iterator[None]:
    """Turn what the driver raises into errors that say what to do."""
    try:
        yield
    except DRIVER_ERRORS as error:
        raise own_error(error, path, busy_ms) from error


def own_error(error: Exception, path: str, busy_ms: int, limit_ms: int | None = None) -> errors.StoreError:
    """Return the error that says what to do about one that the driver raised."""
    match error:
        case apsw.InterruptError() if limit_ms is not None:
            return errors.StoreSlow(path=path, milliseconds=limit_ms)
        case apsw.BusyError() | apsw.LockedError():
            return errors.StoreBusy(path=path, seconds=round(busy_ms / 1000, 1))
        case apsw.CorruptError() | apsw.NotADBError():
            return errors.StoreDamaged(path=path, problem=str(error))
        case apsw.FullError():
            return errors.StoreUnwritable(path=path, problem="the disk is full")
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError() | apsw.IOError():
            return errors.StoreUnwritable(path=path, problem=unwritable_because(path, str(error)))
        case UnicodeDecodeError():
            return errors.StoreDamaged(path=path, problem="it holds text that is not UTF-8")
        case _:
            return errors.StoreError(path=path, problem=f"{type(error).__name__}: {error}")


def unwritable_because(path: str, otherwise: str) -> str:
    """Say why a file cannot be written, as far as the file system tells."""
    folder = os.path.dirname(path)
    if not os.path.exists(path):
        return "the file is gone"
    if sys.platform != "win32" and os.statvfs(folder or ".").f_flag & os.ST_RDONLY:
        return "the file system is read-only"
    if not os.access(path, os.W_OK) or not os.access(folder, os.W_OK):
        return "no permission to write there"
    return otherwise
