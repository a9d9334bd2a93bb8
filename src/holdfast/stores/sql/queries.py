"""SQL kept in `.sql` files as named, described queries. Light."""

import os

FRAGMENTS = (
    "memory_filter", "memory_columns", "session_columns", "turn_filter", "turn_columns", "conflict_columns",
    "proposal_columns", "finding_columns", "receipt_columns", "thread_columns",
)  # fmt: skip
"""Queries that are parts of others, which name them as `/*memory_filter*/`."""


def read_text(*path: str) -> str:
    """Return the text of a file."""
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def parse(text: str) -> dict[str, str]:
    """Split a `.sql` text at its `-- name:` lines; the comment under a name describes it and is left out."""
    queries = {}
    for block in text.split("-- name: ")[1:]:
        name, _, body = block.partition("\n")
        lines = [line for line in body.splitlines() if not line.startswith("--")]
        queries[name.strip()] = "\n".join(lines).strip()
    return queries


def load_folder(folder: str) -> dict[str, str]:
    """Return every query of a folder by name, with the shared fragments put in place."""
    queries: dict[str, str] = {}
    for file in sorted(os.listdir(folder)):
        queries.update(parse(read_text(folder, file)))
    for fragment in FRAGMENTS:
        text = queries.pop(fragment)
        mark = f"/*{fragment}*/"
        queries = {name: query.replace(mark, text) for name, query in queries.items()}
    return queries
