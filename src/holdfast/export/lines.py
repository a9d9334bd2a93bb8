"""Exports as JSON: one object a line, or one list."""

import json
from collections.abc import Iterable, Iterator

from holdfast.export.fields import ExportedMemory


def to_jsonl(entries: Iterable[ExportedMemory]) -> Iterator[str]:
    """Write each entry on a line of its own."""
    for entry in entries:
        yield json.dumps(entry, ensure_ascii=False) + "\n"


def to_json(entries: Iterable[ExportedMemory]) -> Iterator[str]:
    """Write all entries as one list, indented for people."""
    before = "["
    for entry in entries:
        entry_text = json.dumps(entry, ensure_ascii=False, indent=2).replace("\n", "\n  ")
        yield f"{before}\n  {entry_text}"
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"
