"""Whether a store's rows, its facts about itself and its schema are as they were written; a line a finding."""

from typing import TYPE_CHECKING

from holdfast.model.care import OK, PROBLEM, WARNING, Diagnosis
from holdfast.stores.sqlite import shape
from holdfast.stores.sqlite.opening import schema_of
from holdfast.stores.sqlite.queries import latest_schema
from holdfast.stores.sqlite.sealed import SEALED_TABLES, damaged_rows
from holdfast.stores.sqlite.seals import facts_are_sound

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Database

MOST_LINES = 20
"""Damaged rows that get a line of their own; of more, the rest is counted."""

ADVICE = (
    "it is left out of every answer until then; `holdfast doctor --repair` brings it back from the newest backup "
    "that has it, and keeps the damaged file"
)
_REBUILD = (
    "`holdfast doctor --repair` makes the store anew from its rows, and from the newest backup what is missing"
)


def diagnose_rows(database: "Database") -> list[Diagnosis]:
    """Say of every row that is not as it was written which it is."""
    if schema_of(database) < latest_schema():
        return [_diagnosis("rows", OK, "not looked at: the next command brings the schema up to date first")]
    rows = damaged_rows(database)
    lines = [_diagnosis("rows", PROBLEM, f"{row} is not as it was written", ADVICE) for row in rows[:MOST_LINES]]
    if len(rows) > MOST_LINES:
        lines.append(_diagnosis("rows", PROBLEM, f"{len(rows) - MOST_LINES:,} more rows are not", ADVICE))
    if not lines:
        total = sum(database.script(f"SELECT count(*) FROM {table.name}")[0][0] for table in SEALED_TABLES)  # type: ignore[misc]  # a count
        lines.append(_diagnosis("rows", OK, f"{total:,} are as they were written"))
    return lines


def diagnose_facts(database: "Database") -> list[Diagnosis]:
    """Say whether what a store knows about itself is as it was written."""
    if facts_are_sound(database):
        return [_diagnosis("facts", OK, "the store's id, project and key are as they were written")]
    message = "the store's id, its project or the key of its marks is not as it was written"
    return [_diagnosis("facts", PROBLEM, message, _REBUILD)]


def diagnose_schema(database: "Database") -> list[Diagnosis]:
    """Say what is missing or wrong in the schema, and what does not belong there."""
    version = schema_of(database)
    if is_misnumbered(database):
        message = f"the file's head says {version}, but the tables are those of schema {latest_schema()}"
        return [_diagnosis("schema", PROBLEM, message, "`holdfast doctor --repair` puts the number right")]
    if not 1 <= version <= latest_schema():
        return [_diagnosis("schema", OK, "not known here: see `versions`")]
    wrong, besides = shape.differences(database, version)
    lines = [_diagnosis("schema", PROBLEM, problem, _REBUILD) for problem in wrong]
    advice = "holdfast did not make it: drop it with sqlite3, if you did not either"
    lines += [_diagnosis("schema", WARNING, f"there is a {part} besides", advice) for part in besides]
    return lines or [_diagnosis("schema", OK, "every table, index and trigger is the one holdfast makes")]


def is_misnumbered(database: "Database") -> bool:
    """Whether the file's head gives another number than that of the schema which is there."""
    return schema_of(database) != latest_schema() and shape.is_whole(database)


def _diagnosis(name: str, severity: str, message: str, advice: str = "") -> Diagnosis:
    return Diagnosis(name=name, severity=severity, message=message, advice=advice)
