"""Rows of a store that was not made here: a stranger's as drafts, what was said and nothing of its standing; those
of its owner with every value, in a file of our own making.

The schema is built here and only values are copied, so that nothing else in the file has a say.
"""

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import cast

from msgspec import Struct

from holdfast.errors import NotAStore, StoreError, StoreTooNew
from holdfast.machine import disk
from holdfast.model.kinds import IMPORTED, KINDS, STATUSES, TRUSTS
from holdfast.model.limits import NAME_CHARS
from holdfast.model.requests import Draft
from holdfast.stores.sqlite import checkup, migrate
from holdfast.stores.sqlite.checkup import repair_vectors, wrong_vectors
from holdfast.stores.sqlite.connection import SCHEMA_VERSION, Database, Row, Value
from holdfast.stores.sqlite.hardened import HardenedReader, hardened

MOST_ROWS = 100_000
"""Rows that are taken from a file that anybody may have made."""

MARK = "untrusted:"
"""Put before the source that a row claims."""

_TEXTS = ("content", "title", "context", "kind", "tags", "files", "sources", "metadata")
_NUMBERS = ("importance", "confidence", "created_at", "expires", "valid_until")
_LONGEST = 1_048_576
"""Longer texts are not read; what may be kept is far shorter."""

_OWN_FACTS = frozenset(("store_id", "epoch", "scrub_pending"))
_BATCH = 500
_COUNTER_COLUMNS = {("session", "size")}
"""Columns that triggers fill while the rows they count are written."""


class RejectedRow(Struct, frozen=True):
    """A row that is not taken, and why."""

    reason: str


def read_drafts(path: Path) -> Iterator[Draft | RejectedRow]:
    """Hand out what each row of the memory table says, as an import; the file is not touched."""
    with hardened(path) as reader:
        if reader.one("PRAGMA encoding") != "UTF-8":
            raise NotAStore(path=path, problem="its text is not UTF-8")
        columns = reader.columns("memory")
        if columns is None or "content" not in columns:
            raise NotAStore(path=path, problem="it has no memories")
        for number, row in enumerate(_rows(reader, columns)):
            if number >= MOST_ROWS:
                yield RejectedRow(f"beyond the first {MOST_ROWS:,}")
                continue
            yield _draft(row)


def copy_rows(source: Path, fresh: Path, now: int) -> tuple[str, Counter[str]]:
    """Build a store in an empty file from the rows of another; return its id and the rows left, by reason."""
    rejections: Counter[str] = Counter()
    with hardened(source) as reader:
        version = reader.number("PRAGMA user_version")
        if version > SCHEMA_VERSION:
            raise StoreTooNew(path=source, version=version, known=SCHEMA_VERSION)
        if version < 1 or reader.columns("meta") is None:
            raise NotAStore(path=source, problem="it has no memories")
        log = disk.mount_kind(fresh.parent) is None
        store_id = migrate.build(fresh, project="", now=now, log=log)
        with contextlib.closing(Database(str(fresh))) as database, database.writing():
            _copy_facts(reader, database)
            for table in _tables(database):
                _copy_table(reader, database, table, rejections)
            _leave_waiting(reader, database)
            checkup.repair_change_log(database)
    return store_id, rejections


def _rows(reader: HardenedReader, columns: list[str]) -> Iterator[dict[str, Value]]:
    """Scan the table itself: an index is the maker's and may lie. Texts come as bytes, to be decoded with care."""
    names = [name for name in (*_TEXTS, *_NUMBERS) if name in columns]
    expressions = ", ".join(_expression(name) for name in names)
    for row in reader.each(f"SELECT {expressions} FROM main.memory NOT INDEXED"):
        yield dict(zip(names, row, strict=True))


def _expression(name: str) -> str:
    if name in _NUMBERS:
        return f"iif(typeof(\"{name}\") IN ('integer', 'real'), \"{name}\", NULL)"
    return f'iif(octet_length("{name}") <= {_LONGEST}, CAST("{name}" AS BLOB), NULL)'


def _draft(row: dict[str, Value]) -> Draft | RejectedRow:
    if row.get("valid_until") is not None:
        return RejectedRow("superseded there")
    try:
        texts = {name: _text(row.get(name)) for name in _TEXTS}
        metadata = json.loads(texts["metadata"] or "{}")
        tags, files, sources = (_names(texts[name]) for name in ("tags", "files", "sources"))
    except (ValueError, RecursionError):
        return RejectedRow("unreadable")
    if texts["content"] is None:
        return RejectedRow("too long, or without text")
    source = MARK + (sources[0] if sources else "unknown")
    return Draft(
        content=texts["content"],
        kind=texts["kind"],
        title=texts["title"] or None,
        context=texts["context"],
        tags=tags,
        files=files,
        importance=cast("float | None", row.get("importance")),
        confidence=cast("float", row.get("confidence", 1.0)),
        source=source[:NAME_CHARS],
        trust=IMPORTED,
        metadata=metadata,
        at=_moment(row.get("created_at")),
        expires=_moment(row.get("expires")),
    )


def _text(value: Value) -> str | None:
    return value.decode(errors="replace") if isinstance(value, bytes) else None


def _names(text: str | None) -> tuple[str, ...]:
    values = json.loads(text or "[]")
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("not a list of names")
    return tuple(values)


def _moment(value: Value) -> int | None:
    return int(value) if isinstance(value, int | float) else None


def _tables(database: Database) -> list[str]:
    """Return the tables that hold rows of ours, those that others refer to first."""
    rows = database.rows(
        "SELECT s.name FROM sqlite_schema s JOIN pragma_table_list l ON l.name = s.name AND l.schema = 'main' "
        "WHERE l.type = 'table' AND s.name NOT IN ('meta', 'change', 'unembedded') "
        "AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
        "ORDER BY s.rowid"
    )
    return [str(name) for (name,) in rows]


def _leave_waiting(reader: HardenedReader, database: Database) -> None:
    """Let only those rows wait for vectors that have none, or that waited there; what is damaged is made anew."""
    if wrong_vectors(database):
        repair_vectors(database)
    database.rows("DELETE FROM unembedded WHERE (target, row) IN (SELECT target, row FROM vector)")
    if reader.columns("unembedded") is None:
        return
    for target, row in reader.rows("SELECT target, row FROM main.unembedded NOT INDEXED"):
        if database.rows("DELETE FROM vector WHERE target = ? AND row = ? RETURNING 1", (target, row)):
            database.rows("INSERT OR IGNORE INTO unembedded (target, row) VALUES (?, ?)", (target, row))


def _copy_facts(reader: HardenedReader, database: Database) -> None:
    for key, value in reader.rows("SELECT key, value FROM main.meta NOT INDEXED"):
        if key not in _OWN_FACTS:
            database.all("meta_set", {"key": key, "value": value})


def _copy_table(reader: HardenedReader, database: Database, table: str, rejections: Counter[str]) -> None:
    source_names = reader.columns(table) or []
    own_names = [str(name) for (name,) in database.rows("SELECT name FROM pragma_table_info(?)", (table,))]
    names = [name for name in own_names if name in source_names and (table, name) not in _COUNTER_COLUMNS]
    if not names:
        return
    columns = ", ".join(f'"{name}"' for name in names)
    insert = f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(names))})"
    rows = reader.each(f"SELECT {columns} FROM main.{table} NOT INDEXED")
    while batch := list(islice(rows, _BATCH)):
        good = [row for row in batch if table != "memory" or _is_memory(dict(zip(names, row, strict=True)))]
        rejections["unreadable"] += len(batch) - len(good)
        _insert(database, insert, good, rejections)
    rejections += Counter()  # drops the zeros


def _insert(database: Database, sql: str, rows: list[Row], rejections: Counter[str]) -> None:
    try:
        with database.writing():
            database.insert_rows(sql, rows)
        return
    except StoreError:
        if len(rows) == 1:
            rejections["against the rules of the schema"] += 1
            return
    for row in rows:
        _insert(database, sql, [row], rejections)


def _is_memory(row: dict[str, object]) -> bool:
    """Whether a row can be read as a memory."""
    try:
        lists = [json.loads(cast("str", row[name])) for name in ("tags", "files", "sources")]
        objects = [json.loads(cast("str", row[name])) for name in ("metadata", "file_hashes")]
    except (KeyError, TypeError, ValueError, RecursionError):
        return False
    return (
        row["kind"] in KINDS
        and row["status"] in STATUSES
        and row["trust"] in TRUSTS
        and all(isinstance(row[name], str) for name in ("id", "content", "title", "fingerprint"))
        and all(isinstance(value, list) and all(isinstance(entry, str) for entry in value) for value in lists)
        and all(isinstance(value, dict) for value in objects)
        and bool(lists[2])
    )
