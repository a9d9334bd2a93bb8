"""Our own exports, read back: JSON, JSONL, CSV and Markdown hold the same fields.

Also read: lists of objects that anybody wrote with at least a `content`, and the names that older systems of this
kind used (`type`, `entry_type` or `category` for the kind; importance from 1 to 10).
"""

import csv
import io
import json
import re
from collections.abc import Iterator

from holdfast.export.formats import CLOSING, FORMULA, OPENING
from holdfast.ingest.bundle import EntryStream, Part, source_label, unusable_file
from holdfast.ingest.records import SourceRecord, records_of
from holdfast.model.ids import is_full_id
from holdfast.model.inbox import VERBS, Proposal
from holdfast.model.ingest import Carried, Entry
from holdfast.model.memory import CONFLICT_KINDS, Conflict
from holdfast.model.requests import Draft

MARKDOWN = (".md", ".markdown", ".mdc")
OLD_KINDS = ("type", "entry_type", "category")
_SECTION = re.compile(rf"^## (?P<title>[^\n]*)\n+{re.escape(OPENING)}(?P<fields>[^\n]*){CLOSING}\n", re.MULTILINE)
_ESCAPE_MARK = re.compile(r"^\\(?=\\*<!-- holdfast:)", re.MULTILINE)
_LONGEST_CELL = 1_048_576


def read_own(part: Part) -> EntryStream:
    """Read one of our own exports, as JSON, JSONL, CSV or Markdown."""
    name = part.name.lower()
    records = _csv_records if name.endswith(".csv") else _sections if name.endswith(MARKDOWN) else records_of
    for record in records(part):
        yield _entry_of(record, part.name)


def _csv_records(part: Part) -> Iterator[SourceRecord]:
    """Read a table; its first row names the fields."""
    csv.field_size_limit(_LONGEST_CELL)
    rows = csv.reader(io.StringIO(part.text(), newline=""), strict=True)
    try:
        names = next(rows, [])
        if "content" not in names:
            raise unusable_file(f"{part.name}, line 1", "names no column `content`.")
        for row in rows:
            yield _from_row(names, row, f"{part.name}, line {rows.line_num}")
    except csv.Error as error:
        raise unusable_file(f"{part.name}, line {rows.line_num}", f"is not CSV: {error}.") from error


def _sections(part: Part) -> Iterator[SourceRecord]:
    """Read a document: what stands below a heading and its comment is the content."""
    text = part.text().replace("\r\n", "\n")
    section_matches = list(_SECTION.finditer(text))
    if text.count(f"\n{OPENING}") != len(section_matches):
        raise unusable_file(
            part.name, "has entries that cannot be told apart: each needs its heading and its comment."
        )
    for section, following in zip(section_matches, [*section_matches[1:], None], strict=True):
        content = text[section.end() : following.start() if following else None].strip("\n")
        where = f"{part.name}, line {text.count(chr(10), 0, section.start()) + 1}"
        values = _json(section["fields"], where)
        if not isinstance(values, dict):
            raise unusable_file(where, "has a comment that is no object.")
        texts = {"title": section["title"], "content": _ESCAPE_MARK.sub("", content)}
        yield SourceRecord(values | texts, where)


def _from_row(names: list[str], row: list[str], where: str) -> SourceRecord:
    if len(row) != len(names):
        raise unusable_file(where, f"has {len(row)} cells under {len(names)} names.")
    return SourceRecord(
        {name: _from_cell(name, cell, where) for name, cell in zip(names, row, strict=True)}, where
    )


_TEXTS = frozenset(
    "id kind title content context status trust source user session agent branch commit superseded_by".split()
)


def _from_cell(name: str, cell: str, where: str) -> object:
    if not cell:
        return None
    if name in _TEXTS:
        return cell[1:] if cell[0] == "'" and FORMULA.match(cell[1:]) else cell
    if name in ("tags", "files") and not cell.startswith("["):
        return cell
    return _json(cell, f"{where}, {name}")


def _json(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise unusable_file(where, f"is not JSON ({error}).") from error


def _entry_of(record: SourceRecord, name: str) -> Entry:
    """Turn the fields of an export into an entry."""
    content = record.text("content", "text")
    if content is None:
        raise unusable_file(record.where, "has no content.")
    sources = record.texts("sources") or record.texts("source")
    draft = Draft(
        content=content,
        kind=record.text("kind", *OLD_KINDS),
        title=record.text("title") or None,
        context=record.text("context"),
        tags=record.texts("tags"),
        files=record.texts("files"),
        importance=_importance(record),
        confidence=_or_default(record.number("confidence"), 1.0),
        source=source_label(name),
        expires=record.moment("expires", "expires_at"),
        metadata=record.named("metadata"),
        at=record.moment("created_at"),
    )
    return Entry(draft=draft, carried=_carried_fields(record, sources), where=record.where)


def _carried_fields(record: SourceRecord, sources: tuple[str, ...]) -> Carried:
    return Carried(
        id=_id(record, "id"),
        status=record.text("status"),
        trust=record.text("trust"),
        sources=sources,
        user=record.text("user"),
        agent=record.text("agent"),
        session=record.text("session"),
        branch=record.text("branch"),
        commit=record.text("commit"),
        file_hashes={file: str(digest) for file, digest in record.named("file_hashes").items()},
        updated_at=record.moment("updated_at"),
        renewed_at=record.moment("renewed_at"),
        accessed_at=record.moment("accessed_at"),
        reads=int(_or_default(record.number("reads"), 0)),
        valid_from=record.moment("valid_from"),
        valid_until=record.moment("valid_until"),
        superseded_by=_id(record, "superseded_by"),
        kind_confidence=record.number("kind_confidence"),
        conflicts=tuple(_conflicts(record)),
        proposals=tuple(_proposals(record)),
    )


def _rows(record: SourceRecord, name: str) -> Iterator[tuple[object, SourceRecord]]:
    """Hand out the items of a list, each as it is and as a record."""
    rows = record.values.get(name) or []
    if not isinstance(rows, list):
        raise record.wrong(name, "a list", rows)
    for item in rows:
        yield item, SourceRecord(item if isinstance(item, dict) else {}, record.where)


def _conflicts(record: SourceRecord) -> Iterator[Conflict]:
    for item, row in _rows(record, "conflicts"):
        conflict_id, first, detected_at = _id(row, "id"), _id(row, "first"), row.moment("detected_at")
        kind, second = row.text("kind"), _id(record, "id")
        if not (conflict_id and first and second and detected_at is not None and kind in CONFLICT_KINDS):
            raise record.wrong("conflicts", "a list of conflicts", item)
        yield Conflict(id=conflict_id, first=first, second=second, kind=kind, detected_at=detected_at)


def _proposals(record: SourceRecord) -> Iterator[Proposal]:
    memory = _id(record, "id")
    for item, row in _rows(record, "proposals"):
        proposal_id, at, verb = _id(row, "id"), row.moment("at"), row.text("verb")
        if not (proposal_id and memory and at is not None and verb in VERBS):
            raise record.wrong("proposals", "a list of proposals", item)
        yield Proposal(
            id=proposal_id,
            verb=verb,
            memory=memory,
            other=_id(row, "other"),
            arguments=row.named("arguments"),
            actor=row.text("actor") or "unknown",
            agent=row.text("agent"),
            at=at,
            why=row.text("why") or "",
            seen={name: look for name, look in row.named("seen").items() if isinstance(look, str)},
        )


def _id(record: SourceRecord, name: str) -> str | None:
    """Return an id of ours; the ids of others mean nothing here."""
    value = record.values.get(name)
    return value if isinstance(value, str) and is_full_id(value) else None


def _importance(record: SourceRecord) -> float | None:
    importance = record.number("importance")
    old = any(record.has(name) for name in OLD_KINDS) and not record.has("kind")
    return importance / 10 if importance is not None and old else importance


def _or_default(number: float | None, default: float) -> float:
    return default if number is None else number
