"""The SQL of the embedded store: named, described queries from the `.sql` files beside this one. Light."""

import os

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "queries")
_FRAGMENTS = (
    "memory_filter", "memory_columns", "session_columns", "turn_filter", "turn_columns", "conflict_columns",
    "finding_columns", "hook_columns", "hook_current",
)  # fmt: skip


def read_sql(*path: str) -> str:
    """Return the text of a file in this backend's folder."""
    with open(os.path.join(os.path.dirname(_FOLDER), *path), encoding="utf-8") as file:
        return file.read()


def parse(text: str) -> dict[str, str]:
    """Split a `.sql` text at its `-- name:` lines; the comment under a name describes it and is left out."""
    found = {}
    for block in text.split("-- name: ")[1:]:
        name, _, body = block.partition("\n")
        lines = [line for line in body.splitlines() if not line.startswith("--")]
        found[name.strip()] = "\n".join(lines).strip()
    return found


def load() -> dict[str, str]:
    """Return every query by name, with the shared fragments put in place."""
    queries: dict[str, str] = {}
    for file in sorted(os.listdir(_FOLDER)):
        queries.update(parse(read_sql("queries", file)))
    for fragment in _FRAGMENTS:
        text = queries.pop(fragment)
        mark = f"/*{fragment}*/"
        queries = {name: query.replace(mark, text) for name, query in queries.items()}
    return queries
