"""JSON as a row of records: one object a line, or a document that holds a list of them."""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import cast

from msgspec import Struct

from holdfast.capture.text.clean import echo
from holdfast.errors import InvalidInput
from holdfast.ingest.bundle import Part, unusable_file
from holdfast.model.times import Moment, parse_past

LISTS = ("results", "memories", "entries", "items", "entities", "relations", "observations")
"""Names under which documents keep their records."""


class SourceRecord(Struct, frozen=True):
    """One object of what was read, and where it stands; a value of the wrong type is an error that says so."""

    values: Mapping[str, object]
    where: str
    section: str = ""
    """The name of the list it came from, in a document that has several."""

    def has(self, *names: str) -> bool:
        """Say whether it has all of these."""
        return all(self.values.get(name) is not None for name in names)

    def text(self, *names: str) -> str | None:
        """Return the first of these that is there, as text."""
        value = self._first(names)
        if value is not None and not isinstance(value, str):
            raise self.wrong(names[0], "text", value)
        return value

    def texts(self, *names: str) -> tuple[str, ...]:
        """Return a list of texts; one text counts as a list of one, or of several with commas between them."""
        value = self._first(names)
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            raise self.wrong(names[0], "a list of texts", value)
        return tuple(value)

    def number(self, *names: str) -> float | None:
        """Return a number."""
        value = self._first(names)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise self.wrong(names[0], "a number", value)
        return value

    def moment(self, *names: str) -> int | None:
        """Return a time: epoch milliseconds, or ISO 8601."""
        value = self._first(names)
        if isinstance(value, float):
            value = round(value)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | str)):
            raise self.wrong(names[0], "a time", value)
        try:
            return parse_past(cast("Moment | None", value or None), names[0], 0)
        except InvalidInput:
            raise self.wrong(names[0], "a time", value) from None

    def named(self, *names: str) -> dict[str, object]:
        """Return an object; empty where there is none."""
        value = self._first(names)
        if value is not None and not isinstance(value, dict):
            raise self.wrong(names[0], "an object", value)
        return value or {}

    def wrong(self, name: str, requirement: str, value: object) -> Exception:
        """Make the error for a value of the wrong type."""
        return unusable_file(self.where, f"{name} must be {requirement}, not {echo(value)!r}.")

    def _first(self, names: tuple[str, ...]) -> object:
        return next((self.values[name] for name in names if self.values.get(name) is not None), None)


def records_of(part: Part) -> Iterator[SourceRecord]:
    """Hand out the records of a file, as they come."""
    if _is_lines(part):
        for number, line in part.lines():
            yield _record(_parse_json(line, part.name, number), f"{part.name}, line {number}")
    else:
        yield from _list_records(_parse_json(part.text(), part.name), part.name)


def _is_lines(part: Part) -> bool:
    """Say whether each line is a record: by its name, or because the first line is one whole object.

    One that stands alone may be a document that lists its records. Where more follow, each may have one: the
    MCP memory server calls its file of lines `memory.json`, and each has `observations`.
    """
    if part.name.lower().endswith((".jsonl", ".ndjson")):
        return True
    beginning = list(islice((line for _, line in part.lines() if line.strip()), 2))
    try:
        value = json.loads(beginning[0]) if beginning else None
    except (ValueError, RecursionError):
        return False
    alone = len(beginning) == 1
    return isinstance(value, dict) and not (alone and any(isinstance(value.get(name), list) for name in LISTS))


def _list_records(document: object, name: str) -> Iterator[SourceRecord]:
    match document:
        case list():
            yield from _number_records(document, name, "")
        case dict() if sections := [key for key in LISTS if isinstance(document.get(key), list)]:
            for section in sections:
                yield from _number_records(document[section], name, section)
        case dict():
            yield _record(document, name)
        case _:
            raise unusable_file(name, "is neither a list nor an object.")


def _number_records(items: list[object], name: str, section: str) -> Iterator[SourceRecord]:
    for number, item in enumerate(items, 1):
        yield _record(item, f"{name}, {section or 'item'} {number}", section)


def _record(value: object, where: str, section: str = "") -> SourceRecord:
    if not isinstance(value, dict):
        raise unusable_file(where, "is not an object.")
    return SourceRecord(value, where, section)


def _parse_json(text: str, name: str, line: int | None = None) -> object:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise unusable_file(f"{name}, line {line or error.lineno}", f"is not JSON: {error.msg}.") from error
    except (ValueError, RecursionError) as error:
        raise unusable_file(f"{name}, line {line or 1}", f"is not JSON that can be read ({error}).") from error


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no number")
