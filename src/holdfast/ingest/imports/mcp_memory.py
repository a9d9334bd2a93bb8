"""The file of the official MCP memory server: entities with observations, and relations between them."""

from holdfast.ingest.imports.outcome import EntryStream, Omission, source_label, unusable
from holdfast.ingest.part import Part, unusable_file
from holdfast.ingest.records import SourceRecord, records_of
from holdfast.model.ingest import Entry
from holdfast.model.limits import NAME_CHARS
from holdfast.model.requests import Draft


def recognises(record: SourceRecord) -> bool:
    """Say whether a record is a node or an edge of that graph."""
    return record.has("name", "entityType") or record.has("from", "to", "relationType")


def read_entries(part: Part) -> EntryStream:
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
