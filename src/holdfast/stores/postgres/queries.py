"""The SQL of the PostgreSQL store: where its files are."""

import os
import re
from collections.abc import Mapping, Sequence
from functools import cache

from holdfast.stores.sql.queries import load_folder, read_text

_HERE = os.path.dirname(os.path.abspath(__file__))


def read_sql(*path: str) -> str:
    """Return the text of a file in this backend's folder."""
    return read_text(_HERE, *path)


@cache
def load() -> dict[str, str]:
    """Return every query by name."""
    return load_folder(os.path.join(_HERE, "queries"))


def schema_steps() -> list[tuple[int, str, str]]:
    """Return what makes the schema: number, name, text. The first makes it, later ones change it."""
    folder = os.path.join(_HERE, "migrations")
    files = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    later = [(int(file[:4]), file[:-4], read_sql("migrations", file)) for file in files]
    return [(1, "schema", read_sql("schema.sql")), *later]


def several(query: str, rows: Sequence[Mapping[str, object]]) -> tuple[str, dict[str, object]]:
    """Return a query that inserts one row of values as one that inserts several, and its parameters."""
    lead, values, rest = _around_values(query)
    params = {f"{name}_{number}": value for number, row in enumerate(rows) for name, value in row.items()}
    texts = [_PARAMETER.sub(rf"%(\1_{number})s", values) for number in range(len(rows))]
    return lead + ", ".join(texts) + rest, params


@cache
def _around_values(query: str) -> tuple[str, str, str]:
    """Split a query at the parentheses after its VALUES."""
    start = query.index("(", query.index("VALUES"))
    depth, end = 0, start
    for end in range(start, len(query)):
        depth += {"(": 1, ")": -1}.get(query[end], 0)
        if not depth:
            break
    return query[:start], query[start : end + 1], query[end + 1 :]


_PARAMETER = re.compile(r"%\((\w+)\)s")
