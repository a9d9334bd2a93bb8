"""Exports of mem0: what `get_all` returns, and OpenMemory's backups."""

from collections.abc import Mapping

from holdfast.ingest.imports.outcome import EntryStream, Omission, source_label, unusable
from holdfast.ingest.part import Part
from holdfast.ingest.records import SourceRecord, records_of
from holdfast.model.ingest import Entry
from holdfast.model.requests import Draft

_IDS = ("id", "user_id", "agent_id", "run_id", "app_id", "actor_id", "app")


def recognises(record: SourceRecord) -> bool:
    """Say whether a record is one of mem0's."""
    return record.has("memory") or (record.has("content", "state") and not record.has("kind"))


def read_entries(part: Part) -> EntryStream:
    """Read each memory: its text, its categories as tags, and whose it was as metadata."""
    for record in records_of(part):
        if record.section in ("", "results", "memories"):
            yield _entry(record, part.name)


def _entry(record: SourceRecord, name: str) -> Entry | Omission:
    state = record.text("state")
    if state not in (None, "active"):
        return Omission(f"{state} there")
    content = record.text("memory", "content") or ""
    draft = Draft(
        content=content,
        tags=record.texts("categories", "tags"),
        source=source_label(name),
        metadata=_metadata(record),
        at=record.moment("created_at"),
        expires=record.moment("expiration_date"),
    )
    return unusable(content) or Entry(draft=draft, where=record.where)


def _metadata(record: SourceRecord) -> Mapping[str, object]:
    return {**record.named("metadata"), "mem0": {name: record.values[name] for name in _IDS if record.has(name)}}
