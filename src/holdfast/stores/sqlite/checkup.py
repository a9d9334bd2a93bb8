"""Whether what is in a store's file fits together, and putting right what can be made anew from the rows."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import apsw

import holdfast
from holdfast.errors import StoreDamaged, StoreError, StoreTooNew
from holdfast.machine import kill_points
from holdfast.model.care import OK, PROBLEM, WARNING, Diagnosis
from holdfast.stores.sqlite import files, shape
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.opening import schema_of
from holdfast.stores.sqlite.queries import latest_schema
from holdfast.stores.sqlite.records import broken_events
from holdfast.stores.sqlite.row_checkup import diagnose_facts, diagnose_rows, diagnose_schema, is_misnumbered
from holdfast.stores.sqlite.sealed import damaged_rows
from holdfast.stores.sqlite.seals import facts_are_sound
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.stores.sqlite.topics import Topics
from holdfast.stores.sqlite.vector_checkup import diagnose_vectors, repair_vectors, wrong_vectors

INDEXED_TABLES = ("memory", "turn")
"""Tables with a full-text index and a change log."""

_REPAIR = "`holdfast doctor --repair` makes it anew from the rows"
_SALVAGE = (
    "`holdfast doctor --repair` sets the file aside and makes the store anew: from the rows that can be read, and "
    "from the newest backup what is missing"
)
_MADE_ANEW = ("missing from index", "wrong # of entries in index", "inverted index")
"""What integrity_check says of indexes, which hold nothing that the rows do not."""

Progress = Callable[[int], None]
_CHUNK = 1_000


Findings = list[Diagnosis]


def diagnose(database: Database) -> list[Diagnosis]:
    """Run every check; each finding has a line of its own."""
    return [diagnosis for name, check in CHECKS.items() for diagnosis in _safely(name, check, database)]


def is_damaged(database: Database) -> bool:
    """Whether the file is damaged in more than its indexes: in its pages, its rows or its schema."""
    try:
        if is_misnumbered(database) or schema_of(database) != latest_schema():
            return bool(broken_pages(database))
        wrong = bool(damaged_rows(database)) or not facts_are_sound(database) or not shape.is_whole(database)
        return wrong or bool(broken_pages(database))
    except StoreError:
        return True


def broken_pages(database: Database) -> list[str]:
    """Return what is wrong with the file itself, other than with its indexes."""
    return [message for message in _integrity_messages(database) if not _is_index(message)]


def rebuild_indexes(database: Database, progress: Progress = lambda count: None) -> int:
    """Make every index anew from the rows, in one transaction; return how many rows were indexed."""
    row_count = 0
    with database.writing():
        kill_points.pass_point(kill_points.REINDEX)
        database.script("REINDEX")
        for table in INDEXED_TABLES:
            row_count += _rebuild_full_text(database, table, progress)
            kill_points.pass_point(kill_points.REINDEX)
        Topics(database).refill()
        kill_points.pass_point(kill_points.REINDEX)
    kill_points.pass_point(kill_points.REINDEX)
    return row_count


def indexed_rows(database: Database) -> int:
    """Return how many rows the indexes cover."""
    return sum(cast(int, database.rows(f"SELECT count(*) FROM {table}")[0][0]) for table in INDEXED_TABLES)


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
        last = cast(int, chunk[-1][0])
        database.rows(
            f"INSERT INTO {table}_fts (rowid, {columns}) SELECT seq, {columns} FROM {table} "
            "WHERE seq > ? AND seq <= ?",
            (after, last),
        )
        after, row_count = last, row_count + len(chunk)
        progress(len(chunk))


def _safely(name: str, check: "Callable[[Database], Diagnosis | Findings]", database: Database) -> Findings:
    try:
        findings = check(database)
        return findings if isinstance(findings, list) else [findings]
    except StoreError as error:
        problem = str(error.facts.get("problem", error))
        return [Diagnosis(name=name, severity=PROBLEM, message=problem, advice=_SALVAGE)]


def _integrity(database: Database) -> Diagnosis | Findings:
    messages = _integrity_messages(database)
    if messages:
        return [
            Diagnosis(
                name="integrity",
                severity=PROBLEM,
                message=message,
                advice=_REPAIR if _is_index(message) else _SALVAGE,
            )
            for message in messages
        ]
    return Diagnosis(name="integrity", severity=OK, message="every page and every reference is sound")


def _integrity_messages(database: Database) -> list[str]:
    messages = [str(row[0]) for row in database.rows("PRAGMA integrity_check(20)") if row[0] != "ok"]
    messages += [f"a row of {row[0]!s} refers to nothing" for row in database.rows("PRAGMA foreign_key_check")]
    return messages


def _is_index(message: str) -> bool:
    return any(words in message for words in _MADE_ANEW)


def _full_text(database: Database) -> Diagnosis:
    if database.refusal:
        message = "not checked, because the store can only be read"
        return Diagnosis(name="full-text", severity=WARNING, message=message)
    for table in INDEXED_TABLES:
        try:
            database.script(f"INSERT INTO {table}_fts ({table}_fts, rank) VALUES ('integrity-check', 1)")
        except StoreDamaged:
            message = f"the index of {table} does not match its rows"
            return Diagnosis(name="full-text", severity=PROBLEM, message=message, advice=_REPAIR)
    return Diagnosis(name="full-text", severity=OK, message=f"{indexed_rows(database):,} rows are indexed")


def _change_log(database: Database) -> Diagnosis:
    wrong = 0
    for table in INDEXED_TABLES:
        entries = f"SELECT row FROM change WHERE target = '{table}' AND action != 'delete'"
        rows = f"SELECT seq FROM {table}"
        for first, second in ((rows, entries), (entries, rows)):
            wrong += cast(int, database.rows(f"SELECT count(*) FROM ({first} EXCEPT {second})")[0][0])
    if wrong:
        message = f"{wrong:,} rows and their entries in the change log differ"
        return Diagnosis(name="change-log", severity=PROBLEM, message=message, advice=_REPAIR)
    return Diagnosis(name="change-log", severity=OK, message="names every row")


def _audit_chain(database: Database) -> Diagnosis | Findings:
    events = broken_events(database)
    if events:
        advice = "compare it with the log of a backup; it cannot be repaired, only known"
        more = f" (and {len(events) - 1:,} more)" if len(events) > 1 else ""
        message = f"event {events[0]} does not fit the one before it: the log was altered{more}"
        return Diagnosis(name="audit-chain", severity=PROBLEM, message=message, advice=advice)
    return Diagnosis(name="audit-chain", severity=OK, message="every event fits the one before it")


def _scrub(database: Database) -> Diagnosis:
    row = database.one("meta_get", {"key": "scrub_pending"})
    if row and row[0]:
        message = "bytes of something forgotten wait in the log for another process to stop reading"
        advice = "close what uses the store, then run `holdfast doctor --repair`"
        return Diagnosis(name="scrub", severity=WARNING, message=message, advice=advice)
    return Diagnosis(name="scrub", severity=OK, message="nothing forgotten is left in the files")


def _mount(database: Database) -> Diagnosis:
    kind = files.mount_kind(Path(database.path).parent)
    if kind:
        message = (
            f"the store lies on a network or shared folder ({kind}): no write-ahead log there, so it is slower"
        )
        advice = "set store.path to a local disk, if it must be fast"
        return Diagnosis(name="mount", severity=WARNING, message=message, advice=advice)
    return Diagnosis(name="mount", severity=OK, message="a local disk")


def _versions(database: Database) -> Diagnosis:
    schema = schema_of(database)
    message = (
        f"holdfast {holdfast.__version__}, SQLite {apsw.sqlite_lib_version()}, APSW {apsw.apsw_version()}, "
        f"schema {schema}"
    )
    if isinstance(database.refusal, StoreTooNew):
        advice = "upgrade holdfast; until then the store can only be read"
        return Diagnosis(name="versions", severity=PROBLEM, message=message, advice=advice)
    return Diagnosis(name="versions", severity=OK, message=message)


def _writable(database: Database) -> Diagnosis:
    if database.refusal and not isinstance(database.refusal, StoreTooNew):
        message = f"it can only be read: {database.refusal.facts.get('problem')}"
        advice = "free space, or fix permissions or the mount"
        return Diagnosis(name="writable", severity=PROBLEM, message=message, advice=advice)
    return Diagnosis(name="writable", severity=OK, message="it can be written")


CHECKS: dict[str, Callable[[Database], Diagnosis | Findings]] = {
    "integrity": _integrity,
    "schema": diagnose_schema,
    "facts": diagnose_facts,
    "rows": diagnose_rows,
    "full-text": _full_text,
    "change-log": _change_log,
    "audit-chain": _audit_chain,
    "vectors": diagnose_vectors,
    "scrub": _scrub,
    "writable": _writable,
    "mount": _mount,
    "versions": _versions,
}
"""Every check of a file's contents, by the name of its diagnosis."""


def _wrong(database: Database) -> set[str]:
    return {diagnosis.name for diagnosis in diagnose(database) if diagnosis.severity != OK}


def repair(database: Database) -> list[str]:
    """Put right what the checks find and the rows can answer; return what that was."""
    repairs = []
    if is_misnumbered(database):
        database.script(f"PRAGMA user_version = {latest_schema()}")
        repairs.append("put the schema's number right in the file's head")
    wrong = _wrong(database)
    if wrong & {"integrity", "full-text"}:
        repairs.append(f"made the indexes of {rebuild_indexes(database):,} rows anew")
        wrong = _wrong(database)  # an index may have hidden what a table has
    if "change-log" in wrong:
        repair_change_log(database)
        repairs.append("made the change log fit the rows")
    if wrong_vectors(database):
        repair_vectors(database)
        repairs.append("let go of damaged vectors; `holdfast reindex --pending` makes them anew")
    if "scrub" in wrong and not SqliteStore(database).scrub():
        repairs.append("drove what was forgotten out of the index, the vectors and the log")
    return repairs
