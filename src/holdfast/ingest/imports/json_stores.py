"""Stores of other tools that are JSON: exports of mem0 (what `get_all` returns, and OpenMemory's backups), and the
file of the official MCP memory server (entities with observations, and relations between them)."""

from collections.abc import Mapping

from holdfast.ingest.part import EntryStream, Omission, Part, source_label, unusable, unusable_file
from holdfast.ingest.records import SourceRecord, records_of
from holdfast.model.ingest import Entry
from holdfast.model.limits import NAME_CHARS
from holdfast.model.requests import Draft

_IDS = ("id", "user_id", "agent_id", "run_id", "app_id", "actor_id", "app")


def recognises_mem0(record: SourceRecord) -> bool:
    """Say whether a record is one of mem0's."""
    return record.has("memory") or (record.has("content", "state") and not record.has("kind"))


def read_mem0(part: Part) -> EntryStream:
    """Read each memory: its text, its categories as tags, and whose it was as metadata."""
    for record in records_of(part):
        if record.section in ("", "results", "memories"):
            yield _mem0_entry(record, part.name)


def _mem0_entry(record: SourceRecord, name: str) -> Entry | Omission:
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


def recognises_mcp_memory(record: SourceRecord) -> bool:
    """Say whether a record is a node or an edge of that graph."""
    return record.has("name", "entityType") or record.has("from", "to", "relationType")


def read_mcp_memory(part: Part) -> EntryStream:
    """Read each observation and each relation as a memory that can be understood alone."""
    for record in records_of(part):
        if record.has("relationType"):
            yield _relation(record, part.name)
        elif record.has("name"):
            yield from _entity(record, part.name)
        else:
            raise unusable_file(record.where, "is neither an entity nor a relation.")


def _entity(record: SourceRecord, name: str) -> EntryStream:
    subject, sort = record.text("name") or "", record.text("entityType") or ""
    if not isinstance(record.values.get("observations"), list):
        raise record.wrong("observations", "a list of texts", record.values.get("observations"))
    observations = record.texts("observations")
    for observation in observations:
        yield _fact(f"{subject}: {observation}", (sort, subject), record.where, name)
    if not observations:
        yield Omission("an entity without observations")


def _relation(record: SourceRecord, name: str) -> Entry | Omission:
    ends = [record.text(field_name) or "" for field_name in ("from", "relationType", "to")]
    return _fact(" ".join(ends).replace("_", " "), (ends[0], ends[2]), record.where, name)


def _fact(content: str, tags: tuple[str, ...], where: str, name: str) -> Entry | Omission:
    labels = tuple(tag[:NAME_CHARS] for tag in tags if tag.strip())
    draft = Draft(content=content, kind="fact", tags=labels, source=source_label(name))
    return unusable(content) or Entry(draft=draft, where=where)
