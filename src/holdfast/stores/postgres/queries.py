"""The SQL of the PostgreSQL store: where its files are."""

import os
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


def migrations() -> list[tuple[int, str, str]]:
    """Return the numbered migrations: number, name, text."""
    files = sorted(file for file in os.listdir(os.path.join(_HERE, "migrations")) if file.endswith(".sql"))
    return [(int(file[:4]), file[:-4], read_sql("migrations", file)) for file in files]
