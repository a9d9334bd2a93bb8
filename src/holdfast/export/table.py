"""Exports as CSV: one row an entry, one column a field."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator

from holdfast.export.fields import FIELDS, ExportedMemory
from holdfast.model.plain import Plain

FORMULA = re.compile(r"['=+\-@\t\r\n]")
"""How a cell begins that a spreadsheet would run, or that begins with the mark that keeps it from that."""


def to_csv(entries: Iterable[ExportedMemory]) -> Iterator[str]:
    """Write a row an entry below the names of the fields."""
    yield _row(FIELDS)
    for entry in entries:
        yield _row(_cell(entry[name]) for name in FIELDS)


def _cell(value: Plain) -> str:
    """Return a value as text: lists and objects as JSON, nothing as nothing, a formula behind an apostrophe."""
    match value:
        case None:
            return ""
        case str():
            return f"'{value}" if FORMULA.match(value) else value
        case _:
            return json.dumps(value, ensure_ascii=False)


def _row(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue()
