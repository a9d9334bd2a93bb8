"""The file of the official MCP memory server: entities with observations, and relations between them."""

from holdfast.ingest.imports.outcome import Left, Read, source_label, unusable
from holdfast.ingest.part import Part, refused
from holdfast.ingest.records import Record, records_of
from holdfast.model.entry import Entry
from holdfast.model.limits import NAME_CHARS
from holdfast.model.memory import Draft


def recognises(record: Record) -> bool:
    """Say whether a record is a node or an edge of that graph."""
    return record.has("name", "entityType") or record.has("from", "to", "relationType")


def read(part: Part) -> Read:
    """Read each observation and each relation as a memory that can be understood alone."""
    for record in records_of(part):
        if record.has("relationType"):
            yield _relation(record, part.name)
        elif record.has("name"):
            yield from _entity(record, part.name)
        else:
            raise refused(record.where, "is neither an entity nor a relation.")


def _entity(record: Record, name: str) -> Read:
    subject, sort = record.text("name") or "", record.text("entityType") or ""
    if not isinstance(record.values.get("observations"), list):
        raise record.wrong("observations", "a list of texts", record.values.get("observations"))
    seen = record.texts("observations")
    for observation in seen:
        yield _fact(f"{subject}: {observation}", (sort, subject), record.where, name)
    if not seen:
        yield Left("an entity without observations")


def _relation(record: Record, name: str) -> Entry | Left:
    ends = [record.text(one) or "" for one in ("from", "relationType", "to")]
    return _fact(" ".join(ends).replace("_", " "), (ends[0], ends[2]), record.where, name)


def _fact(content: str, tags: tuple[str, ...], where: str, name: str) -> Entry | Left:
    labels = tuple(tag[:NAME_CHARS] for tag in tags if tag.strip())
    draft = Draft(content=content, kind="fact", tags=labels, source=source_label(name))
    return unusable(content) or Entry(draft=draft, where=where)
