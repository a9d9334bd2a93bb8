"""The SQL of the embedded store: where its files are. Light."""

import os
from functools import cache

from holdfast.stores.sql.queries import load_folder, read_text

_HERE = os.path.dirname(os.path.abspath(__file__))


def read_sql(*path: str) -> str:
    """Return the text of a file in this backend's folder."""
    return read_text(_HERE, *path)


def latest_schema() -> int:
    """Return the version of the schema that this code writes, by the names of the migrations."""
    names = os.listdir(os.path.join(_HERE, "migrations"))
    return max(int(name.split("_")[0]) for name in names if name[0].isdigit())


@cache
def load() -> dict[str, str]:
    """Return every query by name."""
    return load_folder(os.path.join(_HERE, "queries"))
