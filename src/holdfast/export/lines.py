"""Exports as JSON: one object a line, or one list."""

import json
from collections.abc import Iterable, Iterator

from holdfast.export.fields import Exported


def to_jsonl(entries: Iterable[Exported]) -> Iterator[str]:
    """Write each entry on a line of its own."""
    for entry in entries:
        yield json.dumps(entry, ensure_ascii=False) + "\n"


def to_json(entries: Iterable[Exported]) -> Iterator[str]:
    """Write all entries as one list, indented for people."""
    before = "["
    for entry in entries:
        shown = json.dumps(entry, ensure_ascii=False, indent=2).replace("\n", "\n  ")
        yield f"{before}\n  {shown}"
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"
