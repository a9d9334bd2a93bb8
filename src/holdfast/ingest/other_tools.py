"""Stores of other tools: exports of mem0 (what `get_all` returns, and OpenMemory's backups), the file of the MCP
memory server (entities with observations, and relations between them), and the database of claude-mem
(observations, session summaries and directives).

claude-mem holds the memory of every project that its user worked on, by the name of the project's folder. Its
prompts are not taken: they are messages, not memories.
"""

import json
from collections.abc import Callable, Iterable, Mapping

from holdfast.ingest.bundle import EntryStream, Omission, Part, Tables, entry_of, source_label, unusable_file
from holdfast.ingest.records import SourceRecord, records_of
from holdfast.model.ingest import Entry
from holdfast.model.kinds import KINDS
from holdfast.model.limits import FILES, NAME_CHARS, PATH_CHARS, TAGS
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
    draft = Draft(
        content=record.text("memory", "content") or "",
        tags=record.texts("categories", "tags"),
        source=source_label(name),
        metadata=record.named("metadata")
        | {"mem0": {id_name: record.values[id_name] for id_name in _IDS if record.has(id_name)}},
        at=record.moment("created_at"),
        expires=record.moment("expiration_date"),
    )
    return entry_of(draft, record.where)


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
    return entry_of(draft, where)


ALL_PROJECTS = "*"
_SECONDS = 100_000_000_000
"""Epochs below this are in seconds; it lies in the year 5138 as seconds, in 1973 as milliseconds."""

_SUMMARY = ("request", "investigated", "learned", "completed", "next_steps", "notes")


def read_claude_mem(part: Part, tables: Tables, project: str, only: str | None = None) -> EntryStream:
    """Read the rows of one project: the one named, else this one by its name, else the only one there is."""
    if part.path is None:
        raise unusable_file(part.name, "is a database inside an archive. Unpack it first.")
    path = part.path
    rows = {
        name: [SourceRecord(row, f"{part.name}, {name} {row.get('id')}") for row in tables(path, name)]
        for name in _READERS
    }
    wanted_project = only or _project(rows["observations"], project, part.name)
    for name, reader in _READERS.items():
        for record in rows[name]:
            if wanted_project == ALL_PROJECTS or record.values.get("project") in (wanted_project, None):
                yield from reader(record, part.name)


def _project(observations: Iterable[SourceRecord], project: str, name: str) -> str:
    there = sorted({str(record.values.get("project")) for record in observations})
    if project in there or not there:
        return project
    if len(there) == 1:
        return there[0]
    raise unusable_file(
        name, f"has nothing on {project!r}. Choose with --only: {', '.join(there)}, or {ALL_PROJECTS!r} for all."
    )


def _observation(record: SourceRecord, name: str) -> EntryStream:
    facts = _json_texts(record, "facts")
    body = record.text("narrative") or record.text("text") or record.text("subtitle") or ""
    lines = [body, *(f"- {fact}" for fact in facts if fact not in body)]
    content = "\n".join(line for line in lines if line.strip()) or record.text("title") or ""
    kind = record.text("type")
    draft = Draft(
        content=content,
        kind=kind if kind in KINDS else None,
        title=record.text("title") or None,
        context=record.text("subtitle") if body != record.text("subtitle") else None,
        tags=_json_texts(record, "concepts")[:TAGS],
        files=_files(record),
        source=source_label(name),
        metadata={"claude_mem": {"observation": record.values.get("id")}},
        at=_epoch(record),
    )
    yield entry_of(draft, record.where)


def _summary(record: SourceRecord, name: str) -> EntryStream:
    named_texts = [(part, record.text(part) or "") for part in _SUMMARY]
    content = "\n".join(
        f"{part.replace('_', ' ').capitalize()}: {text}" for part, text in named_texts if text.strip()
    )
    draft = Draft(
        content=content,
        kind="observation",
        title=record.text("request") or None,
        tags=("session-summary",),
        source=source_label(name),
        metadata={"claude_mem": {"summary": record.values.get("id")}},
        at=_epoch(record),
    )
    yield entry_of(draft, record.where)


def _directive(record: SourceRecord, name: str) -> EntryStream:
    if record.text("status") not in (None, "active"):
        yield Omission("not active there")
        return
    content = record.text("content") or ""
    draft = Draft(content=content, kind="preference", source=source_label(name), at=_epoch(record))
    yield entry_of(draft, record.where)


_READERS: Mapping[str, Callable[[SourceRecord, str], EntryStream]] = {
    "observations": _observation,
    "session_summaries": _summary,
    "directives": _directive,
}


def _json_texts(record: SourceRecord, name: str) -> tuple[str, ...]:
    """Return a list that is kept as JSON in a text; whatever else stands there is no list."""
    try:
        values = json.loads(record.text(name) or "[]")
    except (ValueError, RecursionError):
        return ()
    texts = values if isinstance(values, list) else []
    return tuple(text for text in texts if isinstance(text, str) and text.strip())


def _files(record: SourceRecord) -> tuple[str, ...]:
    paths = [*_json_texts(record, "files_modified"), *_json_texts(record, "files_read")]
    return tuple(dict.fromkeys(path for path in paths if len(path) <= PATH_CHARS))[:FILES]


def _epoch(record: SourceRecord) -> int | None:
    epoch = record.number("created_at_epoch")
    if epoch is None:
        return record.moment("created_at")
    return int(epoch if epoch > _SECONDS else epoch * 1000)
