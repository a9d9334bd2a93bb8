"""Whether a store's rows, its facts about itself and its schema are as they were written; a line a finding.

A flipped bit may have changed a word of the schema: it is held against the one that holdfast makes.
"""

import re
from functools import cache
from typing import TYPE_CHECKING

import apsw

from holdfast.model.care import OK, PROBLEM, WARNING, Diagnosis
from holdfast.stores.sqlite.opening import schema_of
from holdfast.stores.sqlite.queries import SCHEMA_VERSION, read_sql
from holdfast.stores.sqlite.sealed import SEALED_TABLES, damaged_rows
from holdfast.stores.sqlite.seals import facts_are_sound

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.stores.sqlite.connection import Database, Row


MOST_LINES = 20
"""Damaged rows that get a line of their own; of more, the rest is counted."""

ADVICE = (
    "it is left out of every answer until then; `holdfast doctor --repair` brings it back from the newest backup "
    "that has it, and keeps the damaged file"
)
_REBUILD = (
    "`holdfast doctor --repair` makes the store anew from its rows, and from the newest backup what is missing"
)
SCHEMA = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
_OWN_OF_SQLITE = "sqlite_"
_COMMENT = re.compile(r"--[^\n]*")
_AROUND_SIGNS = re.compile(r" ?([(),]) ?")
Shape = dict[tuple[str, str], str]
"""What a schema is made of: by type and name, its SQL without comments and layout."""


def diagnose_rows(database: "Database") -> list[Diagnosis]:
    """Say of every row that is not as it was written which it is."""
    if schema_of(database) < SCHEMA_VERSION:
        return [Diagnosis("rows", OK, "not looked at: the next command brings the schema up to date first")]
    rows = damaged_rows(database)
    lines = [Diagnosis("rows", PROBLEM, f"{row} is not as it was written", ADVICE) for row in rows[:MOST_LINES]]
    if len(rows) > MOST_LINES:
        lines.append(Diagnosis("rows", PROBLEM, f"{len(rows) - MOST_LINES:,} more rows are not", ADVICE))
    if not lines:
        total = sum(database.script(f"SELECT count(*) FROM {table.name}")[0][0] for table in SEALED_TABLES)  # type: ignore[misc]  # a count
        lines.append(Diagnosis("rows", OK, f"{total:,} are as they were written"))
    return lines


def diagnose_facts(database: "Database") -> list[Diagnosis]:
    """Say whether what a store knows about itself is as it was written."""
    if facts_are_sound(database):
        return [Diagnosis("facts", OK, "the store's id, project and key are as they were written")]
    message = "the store's id, its project or the key of its marks is not as it was written"
    return [Diagnosis("facts", PROBLEM, message, _REBUILD)]


def diagnose_schema(database: "Database") -> list[Diagnosis]:
    """Say what is missing or wrong in the schema, and what does not belong there."""
    if schema_of(database) != SCHEMA_VERSION:
        return [Diagnosis("schema", OK, "not that of this holdfast: see `versions`")]
    wrong, besides = differences(database)
    lines = [Diagnosis("schema", PROBLEM, problem, _REBUILD) for problem in wrong]
    advice = "holdfast did not make it: drop it with sqlite3, if you did not either"
    lines += [Diagnosis("schema", WARNING, f"there is a {part} besides", advice) for part in besides]
    return lines or [Diagnosis("schema", OK, "every table, index and trigger is the one holdfast makes")]


def is_whole(database: "Database") -> bool:
    """Whether a file has the tables, indexes and triggers of today's schema."""
    return not differences(database)[0]


def differences(database: "Database") -> tuple[list[str], list[str]]:
    """Return what is missing or changed in a file's schema, and what is in it besides."""
    own_shape, expected_shape = shape_of(database.script(SCHEMA)), known_shape()
    wrong = [f"the {kind} {name} is missing" for kind, name in expected_shape if (kind, name) not in own_shape]
    wrong += [
        f"the {kind} {name} is not what holdfast makes"
        for (kind, name), sql in own_shape.items()
        if expected_shape.get((kind, name), sql) != sql
    ]
    return wrong, [f"{kind} {name}" for kind, name in own_shape if (kind, name) not in expected_shape]


def shape_of(rows: "Iterable[Row]") -> Shape:
    """Return what a schema is made of, whatever its layout."""
    return {
        (str(kind), str(name)): _AROUND_SIGNS.sub(r"\1", " ".join(_COMMENT.sub("", str(sql)).split()))
        for kind, name, sql in rows
        if not str(name).startswith(_OWN_OF_SQLITE)
    }


@cache
def known_shape() -> Shape:
    """Return what today's schema is made of."""
    connection = apsw.Connection(":memory:")
    try:
        for _ in connection.execute(read_sql("schema.sql")):
            pass
        return shape_of(connection.execute(SCHEMA))
    finally:
        connection.close()
