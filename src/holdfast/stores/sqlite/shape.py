"""Whether a file's schema is the one that holdfast makes: a flipped bit may have changed a word of it."""

import re
from functools import cache
from typing import TYPE_CHECKING

import apsw

from holdfast.stores.sqlite import migrate
from holdfast.stores.sqlite.queries import latest_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.stores.sqlite.connection import Database, Row

SCHEMA = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
_OWN_OF_SQLITE = "sqlite_"
_COMMENT = re.compile(r"--[^\n]*")
_AROUND_SIGNS = re.compile(r" ?([(),]) ?")

Shape = dict[tuple[str, str], str]
"""What a schema is made of: by type and name, its SQL without comments and layout."""


def shape_of(rows: "Iterable[Row]") -> Shape:
    """Return what a schema is made of, whatever its layout."""
    return {
        (str(kind), str(name)): _AROUND_SIGNS.sub(r"\1", " ".join(_COMMENT.sub("", str(sql)).split()))
        for kind, name, sql in rows
        if not str(name).startswith(_OWN_OF_SQLITE)
    }


@cache
def known_shape(version: int) -> Shape:
    """Return what the schema of a version is made of."""
    connection = apsw.Connection(":memory:")
    try:
        for _ in connection.execute(migrate.schema_at(version)):
            pass
        return shape_of(connection.execute(SCHEMA))
    finally:
        connection.close()


def differences(database: "Database", version: int) -> tuple[list[str], list[str]]:
    """Return what is missing or changed in a file's schema, and what is in it besides."""
    shape, expected_shape = shape_of(database.script(SCHEMA)), known_shape(version)
    wrong = [f"the {kind} {name} is missing" for kind, name in expected_shape if (kind, name) not in shape]
    wrong += [
        f"the {kind} {name} is not what holdfast makes"
        for (kind, name), sql in shape.items()
        if expected_shape.get((kind, name), sql) != sql
    ]
    return wrong, [f"{kind} {name}" for kind, name in shape if (kind, name) not in expected_shape]


def is_whole(database: "Database") -> bool:
    """Whether a file has the tables, indexes and triggers of today's schema."""
    return not differences(database, latest_schema())[0]
