"""Checks of a store's file, and repair of everything that can be rebuilt from its rows.

Vectors are compared with their rows, and the files beside the store that hold them are checked. Must not live
here: whether vectors are those of the model in use, which is no matter of the file.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import cast

import apsw

import holdfast
from holdfast.errors import StoreDamaged, StoreError, StoreTooNew
from holdfast.machine import disk
from holdfast.model.brief import Receipt
from holdfast.model.care import OK, PROBLEM, WARNING, Diagnosis
from holdfast.model.finding import Finding
from holdfast.model.ids import fingerprint, new_id
from holdfast.model.inbox import Proposal
from holdfast.model.memory import Conflict, Memory
from holdfast.model.records import Access
from holdfast.model.session import Session, Turn
from holdfast.model.times import iso
from holdfast.model.vectors import VECTOR_TARGETS
from holdfast.stores.sql.tables import SHAPES
from holdfast.stores.sqlite import sidecar
from holdfast.stores.sqlite.connection import SCHEMA_VERSION, Database, Row, read_sql
from holdfast.stores.sqlite.memories import Topics
from holdfast.stores.sqlite.opening import schema_of
from holdfast.stores.sqlite.records import broken_events
from holdfast.stores.sqlite.rows import UNREADABLE, row_name, value_of
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.stores.sqlite.vectors import SqliteVectors

MOST_LINES = 20
"""Damaged rows that get a line of their own; the rest is counted."""

INDEXED_TABLES = ("memory", "turn")
"""Tables with a full-text index and a change log."""

_REPAIR = "`holdfast doctor --repair` makes it anew from the rows"
RESTORE = "`holdfast doctor --repair` sets the file aside and restores the newest backup"
_MADE_ANEW = ("missing from index", "wrong # of entries in index", "inverted index")
"""What integrity_check says of indexes, which hold nothing that the rows do not."""

_WRONG_VECTORS = (
    "length(embedding) IS NOT 2 * (SELECT value FROM meta WHERE key = 'vector_dimensions') "
    "OR (target = 'memory' AND row NOT IN (SELECT seq FROM memory)) "
    "OR (target = 'turn' AND row NOT IN (SELECT seq FROM turn)) "
    "OR target NOT IN ('memory', 'turn')"
)
"""Vectors of another size than the model's, or of a row that is gone: of no table that has vectors, at that."""

_LENGTH_SLACK = 0.02
"""How far the squared length of a vector in float16 may be from 1."""

_DECODED = (Session, Memory, Turn, Finding, Conflict, Proposal, Receipt, Access)
"""Every kind of value that has rows of its own; events are read with the audit chain."""

SCHEMA = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
_OWN_OF_SQLITE = "sqlite_"
_COMMENT = re.compile(r"--[^\n]*")
_AROUND_SIGNS = re.compile(r" ?([(),]) ?")
Shape = dict[tuple[str, str], str]
"""What a schema is made of: by type and name, its SQL without comments and layout."""

_CHUNK = 1_000
Progress = Callable[[int], None]
Findings = list[Diagnosis]


def diagnose(database: Database) -> list[Diagnosis]:
    """Run every check; each finding has a line of its own."""
    return [diagnosis for name, check in CHECKS.items() for diagnosis in _safely(name, check, database)]


def is_damaged(database: Database) -> bool:
    """Whether the file is damaged in more than its indexes: in its pages, its rows or its schema."""
    try:
        if schema_of(database) != SCHEMA_VERSION:
            return bool(broken_pages(database))
        return bool(differences(database)[0] or damaged_rows(database) or broken_pages(database))
    except StoreError:
        return True


def broken_pages(database: Database) -> list[str]:
    """Return what is wrong with the file itself, other than with its indexes."""
    return [message for message in _integrity_messages(database) if not _is_index(message)]


def damaged_rows(database: Database) -> list[str]:
    """Name the rows that cannot be decoded, and the memories whose content is not what their fingerprint says."""
    return [name for kind in _DECODED for name in _damaged_of(database, kind)]


def _damaged_of(database: Database, kind: type) -> Iterator[str]:
    table, after = SHAPES[kind].table, 0
    while rows := database.all(f"{table}_every", {"after": after, "limit": _CHUNK}):
        for number, *row in rows:
            if cast("int", number) <= after:
                raise StoreDamaged(path=database.path, problem=f"the rows of {table} are out of order")
            after = cast("int", number)
            if not _is_sound(kind, tuple(row)):
                yield row_name(kind, tuple(row))


def _is_sound(kind: type, row: Row) -> bool:
    try:
        value: object = value_of(kind, row)
    except UNREADABLE:
        return False
    return not isinstance(value, Memory) or value.fingerprint == fingerprint(value.content)


def differences(database: Database) -> tuple[list[str], list[str]]:
    """Return what is missing or changed in a file's schema, and what is in it besides."""
    shape, expected_shape = shape_of(database.script(SCHEMA)), own_shape()
    wrong = [f"the {kind} {name} is missing" for kind, name in expected_shape if (kind, name) not in shape]
    wrong += [
        f"the {kind} {name} is not what holdfast makes"
        for (kind, name), sql in shape.items()
        if expected_shape.get((kind, name), sql) != sql
    ]
    return wrong, [f"{kind} {name}" for kind, name in shape if (kind, name) not in expected_shape]


def shape_of(rows: Iterable[Row]) -> Shape:
    """Return what a schema is made of, whatever its layout."""
    return {
        (str(kind), str(name)): _AROUND_SIGNS.sub(r"\1", " ".join(_COMMENT.sub("", str(sql)).split()))
        for kind, name, sql in rows
        if not str(name).startswith(_OWN_OF_SQLITE)
    }


@cache
def own_shape() -> Shape:
    """Return what today's schema is made of."""
    connection = apsw.Connection(":memory:")
    try:
        for _ in connection.execute(read_sql("schema.sql")):
            pass
        return shape_of(connection.execute(SCHEMA))
    finally:
        connection.close()


def rebuild_indexes(database: Database, progress: Progress = lambda count: None) -> int:
    """Make every index anew from the rows, in one transaction; return how many rows were indexed."""
    row_count = 0
    with database.writing():
        database.script("REINDEX")
        for table in INDEXED_TABLES:
            row_count += _rebuild_full_text(database, table, progress)
        Topics(database).refill()
    return row_count


def indexed_rows(database: Database) -> int:
    """Return how many rows the indexes cover."""
    return sum(cast("int", database.rows(f"SELECT count(*) FROM {table}")[0][0]) for table in INDEXED_TABLES)


def repair_change_log(database: Database) -> None:
    """Let the change log name every row that there is, and say of the others that they went."""
    with database.writing():
        for table in INDEXED_TABLES:
            database.rows(
                "INSERT OR REPLACE INTO change (target, row, action) "
                f"SELECT '{table}', seq, 'insert' FROM {table} "
                f"WHERE seq NOT IN (SELECT row FROM change WHERE target = '{table}' AND action != 'delete')"
            )
            database.rows(
                f"INSERT OR REPLACE INTO change (target, row, action) SELECT target, row, 'delete' FROM change "
                f"WHERE target = '{table}' AND action != 'delete' AND row NOT IN (SELECT seq FROM {table})"
            )


def repair(database: Database) -> list[str]:
    """Put right what the checks find and the rows can answer; return what that was."""
    repairs = []
    wrong = _wrong_checks(database)
    if wrong & {"integrity", "full-text"}:
        repairs.append(f"made the indexes of {rebuild_indexes(database):,} rows anew")
        wrong = _wrong_checks(database)  # an index may have hidden what a table has
    if "change-log" in wrong:
        repair_change_log(database)
        repairs.append("made the change log fit the rows")
    if wrong_vectors(database):
        repair_vectors(database)
        repairs.append("let go of damaged vectors; `holdfast reindex --pending` makes them anew")
    if "scrub" in wrong and not SqliteStore(database).scrub():
        repairs.append("drove what was forgotten out of the index, the vectors and the log")
    return repairs


def wrong_vectors(database: Database) -> bool:
    """Say whether there is anything to repair: a failing embedder is nothing that a store can put right."""
    return bool(_astray(database) or _damaged_vectors(database) or damaged_files(database))


def repair_vectors(database: Database) -> None:
    """Let go of vectors that are wrong, let every row without any wait, and remove files that are damaged."""
    with database.writing():
        database.rows(
            "DELETE FROM vector WHERE (target, row) IN (SELECT target, row FROM vector WHERE "
            + _WRONG_VECTORS
            + ")"
        )
        for place in _damaged_vectors(database):
            database.rows("DELETE FROM vector WHERE target = ? AND row = ?", place)
        for target in VECTOR_TARGETS:
            database.rows(
                _missing_statement(target, f"INSERT INTO unembedded (target, row) SELECT '{target}', seq")
            )
            database.rows(
                f"DELETE FROM unembedded WHERE target = '{target}' AND row NOT IN (SELECT seq FROM {target})"
            )
        # Whoever has the vectors in memory reads them anew.
        generation = int.from_bytes(bytes.fromhex(new_id(0)[-8:]), "big")
        database.all("meta_set", {"key": "vector_generation", "value": generation})
    for path in damaged_files(database):
        sidecar.sweep(str(path))


def damaged_files(database: Database) -> list[Path]:
    """Return the files beside the store that should hold vectors and are not whole."""
    beside = sorted(Path(database.path).parent.glob("vectors*"))
    return [path for path in beside if not path.is_file() or sidecar.read(str(path)) is None]


def _rebuild_full_text(database: Database, table: str, progress: Progress) -> int:
    """Empty an index and fill it in steps, so that the progress can be shown."""
    names = [str(name) for (name,) in database.rows("SELECT name FROM pragma_table_info(?)", (f"{table}_fts",))]
    columns = ", ".join(names)
    database.script(f"INSERT INTO {table}_fts ({table}_fts) VALUES ('delete-all')")
    after, row_count = 0, 0
    while True:
        chunk = database.rows(f"SELECT seq FROM {table} WHERE seq > ? ORDER BY seq LIMIT {_CHUNK}", (after,))
        if not chunk:
            return row_count
        last = cast("int", chunk[-1][0])
        database.rows(
            f"INSERT INTO {table}_fts (rowid, {columns}) SELECT seq, {columns} FROM {table} "
            "WHERE seq > ? AND seq <= ?",
            (after, last),
        )
        after, row_count = last, row_count + len(chunk)
        progress(len(chunk))


def _wrong_checks(database: Database) -> set[str]:
    return {diagnosis.name for diagnosis in diagnose(database) if diagnosis.severity != OK}


def _safely(name: str, check: Callable[[Database], Diagnosis | Findings], database: Database) -> Findings:
    try:
        findings = check(database)
        return findings if isinstance(findings, list) else [findings]
    except StoreError as error:
        problem = str(error.facts.get("problem", error))
        return [Diagnosis(name, PROBLEM, problem, RESTORE)]


def _integrity(database: Database) -> Diagnosis | Findings:
    messages = _integrity_messages(database)
    if messages:
        return [
            Diagnosis("integrity", PROBLEM, message, _REPAIR if _is_index(message) else RESTORE)
            for message in messages
        ]
    return Diagnosis("integrity", OK, "every page and every reference is sound")


def _integrity_messages(database: Database) -> list[str]:
    messages = [str(row[0]) for row in database.rows("PRAGMA integrity_check(20)") if row[0] != "ok"]
    messages += [f"a row of {row[0]!s} refers to nothing" for row in database.rows("PRAGMA foreign_key_check")]
    return messages


def _is_index(message: str) -> bool:
    return any(words in message for words in _MADE_ANEW)


def _schema(database: Database) -> Findings:
    if schema_of(database) != SCHEMA_VERSION:
        return [Diagnosis("schema", OK, "not that of this holdfast: see `versions`")]
    wrong, besides = differences(database)
    lines = [Diagnosis("schema", PROBLEM, problem, RESTORE) for problem in wrong]
    advice = "holdfast did not make it: drop it with sqlite3, if you did not either"
    lines += [Diagnosis("schema", WARNING, f"there is a {part} besides", advice) for part in besides]
    return lines or [Diagnosis("schema", OK, "every table, index and trigger is the one holdfast makes")]


def _rows(database: Database) -> Findings:
    if schema_of(database) != SCHEMA_VERSION:
        return [Diagnosis("rows", OK, "not looked at: the schema is not that of this holdfast")]
    names = damaged_rows(database)
    lines = [
        Diagnosis("rows", PROBLEM, f"{name} cannot be read as it was written", RESTORE)
        for name in names[:MOST_LINES]
    ]
    if len(names) > MOST_LINES:
        lines.append(Diagnosis("rows", PROBLEM, f"{len(names) - MOST_LINES:,} more rows cannot", RESTORE))
    total = sum(_count(database, f"SELECT count(*) FROM {SHAPES[kind].table}") for kind in _DECODED)
    return lines or [Diagnosis("rows", OK, f"{total:,} can be read")]


def _full_text(database: Database) -> Diagnosis:
    if database.refusal:
        message = "not checked, because the store can only be read"
        return Diagnosis("full-text", WARNING, message)
    for table in INDEXED_TABLES:
        try:
            database.script(f"INSERT INTO {table}_fts ({table}_fts, rank) VALUES ('integrity-check', 1)")
        except StoreDamaged:
            message = f"the index of {table} does not match its rows"
            return Diagnosis("full-text", PROBLEM, message, _REPAIR)
    return Diagnosis("full-text", OK, f"{indexed_rows(database):,} rows are indexed")


def _change_log(database: Database) -> Diagnosis:
    wrong = 0
    for table in INDEXED_TABLES:
        entries = f"SELECT row FROM change WHERE target = '{table}' AND action != 'delete'"
        rows = f"SELECT seq FROM {table}"
        for first, second in ((rows, entries), (entries, rows)):
            wrong += cast("int", database.rows(f"SELECT count(*) FROM ({first} EXCEPT {second})")[0][0])
    if wrong:
        message = f"{wrong:,} rows and their entries in the change log differ"
        return Diagnosis("change-log", PROBLEM, message, _REPAIR)
    return Diagnosis("change-log", OK, "names every row")


def _audit_chain(database: Database) -> Diagnosis | Findings:
    events = broken_events(database)
    if events:
        advice = "compare it with the log of a backup; a log that was altered cannot be repaired"
        more = f" (and {len(events) - 1:,} more)" if len(events) > 1 else ""
        message = f"event {events[0]} does not fit the one before it: the log was altered{more}"
        return Diagnosis("audit-chain", PROBLEM, message, advice)
    return Diagnosis("audit-chain", OK, "every event fits the one before it")


def _vectors(database: Database) -> Diagnosis:
    """Say whether every row has its vectors or waits for them, and whether the files that hold them are whole."""
    advice = "`holdfast doctor --repair` lets those rows wait for vectors again"
    if astray := _astray(database):
        return Diagnosis(
            "vectors", PROBLEM, f"{astray:,} rows have wrong ones, or neither have any nor wait", advice
        )
    if unlike := _damaged_vectors(database):
        return Diagnosis("vectors", PROBLEM, f"those of {len(unlike):,} rows are not of length 1", advice)
    bad_files = damaged_files(database)
    if bad_files:
        advice = "`holdfast doctor --repair` removes it; `holdfast reindex --pending` makes it anew"
        return Diagnosis("vectors", WARNING, f"{bad_files[0].name} is damaged, and searches do without it", advice)
    return _vector_progress(SqliteVectors(database), database)


def _vector_progress(vectors: SqliteVectors, database: Database) -> Diagnosis:
    failure, model, waiting_rows = vectors.failure(), vectors.model(), sum(vectors.waiting().values())
    if failure:
        message = f"those of {failure.model} could not be made since {iso(failure.since)}: {failure.problem}"
        return Diagnosis("vectors", WARNING, message, "put that right, then run `holdfast reindex --pending`")
    rows = sum(_count(database, f"SELECT count(*) FROM {target}") for target in VECTOR_TARGETS)
    there = f"{rows - waiting_rows:,} rows have those of {model.name}" if model else "none yet"
    return Diagnosis("vectors", OK, f"{there}, {waiting_rows:,} wait for theirs" if waiting_rows else there)


def _damaged_vectors(database: Database) -> list[Row]:
    """Return the rows, with their targets, of vectors whose length is not 1."""
    import numpy as np

    bad_rows: list[Row] = []
    for page in _vector_pages(database):
        for target, row, _, blob in page:
            vector = np.frombuffer(cast("bytes", blob), np.float16).astype(np.float64)
            if not abs(vector @ vector - 1) < _LENGTH_SLACK and vector.any():  # NaN is not near 1 either
                bad_rows.append((target, row))
    return bad_rows


def _vector_pages(database: Database) -> Iterator[list[Row]]:
    after: Row = ("", 0, 0)
    while page := database.all(
        "vector_every", dict(zip(("target", "row", "chunk"), after, strict=True)) | {"limit": _CHUNK}
    ):
        yield page
        if page[-1][:3] <= after:
            raise StoreDamaged(path=database.path, problem="its vectors are out of order")
        after = page[-1][:3]


def _astray(database: Database) -> int:
    wrong = _count(
        database, "SELECT count(*) FROM (SELECT DISTINCT target, row FROM vector WHERE " + _WRONG_VECTORS + ")"
    )
    return wrong + sum(
        _count(database, _missing_statement(target, "SELECT count(*)")) for target in VECTOR_TARGETS
    )


def _missing_statement(target: str, verb: str) -> str:
    """Return a statement about the rows that neither have vectors nor wait for them."""
    return (
        f"{verb} FROM {target} WHERE seq NOT IN (SELECT row FROM vector WHERE target = '{target}') "
        f"AND seq NOT IN (SELECT row FROM unembedded WHERE target = '{target}')"
    )


def _count(database: Database, query: str) -> int:
    return cast("int", database.rows(query)[0][0])


def _scrub(database: Database) -> Diagnosis:
    row = database.one("meta_get", {"key": "scrub_pending"})
    if row and row[0]:
        message = "bytes of something forgotten wait in the log for another process to stop reading"
        advice = "close what uses the store, then run `holdfast doctor --repair`"
        return Diagnosis("scrub", WARNING, message, advice)
    return Diagnosis("scrub", OK, "nothing forgotten is left in the files")


def _mount(database: Database) -> Diagnosis:
    kind = disk.mount_kind(Path(database.path).parent)
    if kind:
        message = (
            f"the store lies on a network or shared folder ({kind}): no write-ahead log there, so it is slower"
        )
        advice = "set store.path to a local disk, if it must be fast"
        return Diagnosis("mount", WARNING, message, advice)
    return Diagnosis("mount", OK, "a local disk")


def _versions(database: Database) -> Diagnosis:
    schema = schema_of(database)
    message = (
        f"holdfast {holdfast.__version__}, SQLite {apsw.sqlite_lib_version()}, APSW {apsw.apsw_version()}, "
        f"schema {schema}"
    )
    if isinstance(database.refusal, StoreTooNew):
        advice = "upgrade holdfast; until then the store can only be read"
        return Diagnosis("versions", PROBLEM, message, advice)
    return Diagnosis("versions", OK, message)


def _writable(database: Database) -> Diagnosis:
    if database.refusal and not isinstance(database.refusal, StoreTooNew):
        message = f"it can only be read: {database.refusal.facts.get('problem')}"
        advice = "free space, or fix permissions or the mount"
        return Diagnosis("writable", PROBLEM, message, advice)
    return Diagnosis("writable", OK, "it can be written")


CHECKS: dict[str, Callable[[Database], Diagnosis | Findings]] = {
    "integrity": _integrity,
    "schema": _schema,
    "rows": _rows,
    "full-text": _full_text,
    "change-log": _change_log,
    "audit-chain": _audit_chain,
    "vectors": _vectors,
    "scrub": _scrub,
    "writable": _writable,
    "mount": _mount,
    "versions": _versions,
}
"""Every check of a file's contents, by the name of its diagnosis."""
