"""The SQL of the PostgreSQL store: where its files are, and which of the queries are parts of others."""

import os
from functools import cache

from holdfast.stores import named

_HERE = os.path.dirname(os.path.abspath(__file__))
_FRAGMENTS = (
    "memory_filter", "memory_columns", "session_columns", "turn_filter", "turn_columns", "conflict_columns",
    "proposal_columns", "finding_columns",
)  # fmt: skip


def read_sql(*path: str) -> str:
    """Return the text of a file in this backend's folder."""
    return named.read_text(_HERE, *path)


@cache
def load() -> dict[str, str]:
    """Return every query by name."""
    return named.load(os.path.join(_HERE, "queries"), _FRAGMENTS)


def migrations() -> list[tuple[int, str, str]]:
    """Return the numbered migrations: number, name, text."""
    files = sorted(file for file in os.listdir(os.path.join(_HERE, "migrations")) if file.endswith(".sql"))
    return [(int(file[:4]), file[:-4], read_sql("migrations", file)) for file in files]
