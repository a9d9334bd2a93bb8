"""The SQL files, as they are read."""

import re

from holdfast.stores.sql.queries import parse
from holdfast.stores.sqlite.connection import load

TEXT = """-- name: first
-- What it does.
SELECT 1;

-- name: second
-- Two lines
-- of description.
SELECT 2
FROM t; -- stays

"""


def test_a_file_is_split_at_its_names_without_the_descriptions() -> None:
    """The SQL between them is kept as it stands."""
    assert parse(TEXT) == {"first": "SELECT 1;", "second": "SELECT 2\nFROM t; -- stays"}


def test_what_stands_before_the_first_name_is_no_query() -> None:
    """A file may begin with a remark."""
    assert parse("-- a remark\nSELECT 0;\n" + TEXT).keys() == {"first", "second"}


def test_every_fragment_is_put_in_its_place() -> None:
    """No mark is left, and no fragment is left as a query."""
    queries = load()
    assert [name for name, sql in queries.items() if re.search(r"/\*\w+\*/", sql)] == []
    assert [name for name in queries if name.endswith(("_filter", "_columns"))] == []
    assert all(sql.startswith(("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")) for sql in queries.values())
