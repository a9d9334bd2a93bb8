"""The SQL of the embedded store: where its files are. Light."""

import os
from functools import cache

from holdfast.stores.sql.queries import load_folder, read_text

SCHEMA_VERSION = 1
"""The version of the schema that this code writes; `schema.sql` says how another one is made."""

_HERE = os.path.dirname(os.path.abspath(__file__))


def read_sql(*path: str) -> str:
    """Return the text of a file in this backend's folder."""
    return read_text(_HERE, *path)


@cache
def load() -> dict[str, str]:
    """Return every query by name."""
    return load_folder(os.path.join(_HERE, "queries"))
