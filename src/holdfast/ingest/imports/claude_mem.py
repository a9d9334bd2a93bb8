"""The database of claude-mem: observations, session summaries and directives.

It holds the memory of every project that its user worked on, by the name of the project's folder. Its prompts are
not taken: they are messages, not memories.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from holdfast.ingest.part import EntryStream, Omission, Part, Tables, source_label, unusable, unusable_file
from holdfast.ingest.records import SourceRecord
from holdfast.model.ingest import Entry
from holdfast.model.kinds import KINDS
from holdfast.model.limits import FILES, PATH_CHARS, TAGS
from holdfast.model.requests import Draft

ALL_PROJECTS = "*"
_SECONDS = 100_000_000_000
"""Epochs below this are in seconds; it lies in the year 5138 as seconds, in 1973 as milliseconds."""

_SUMMARY = ("request", "investigated", "learned", "completed", "next_steps", "notes")


def read_entries(part: Part, tables: Tables, project: str, only: str | None = None) -> EntryStream:
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
    yield unusable(content) or Entry(draft=draft, where=record.where)


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
    yield unusable(content) or Entry(draft=draft, where=record.where)


def _directive(record: SourceRecord, name: str) -> EntryStream:
    if record.text("status") not in (None, "active"):
        yield Omission("not active there")
        return
    content = record.text("content") or ""
    draft = Draft(content=content, kind="preference", source=source_label(name), at=_epoch(record))
    yield unusable(content) or Entry(draft=draft, where=record.where)


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
    return (
        tuple(text for text in values if isinstance(text, str) and text.strip())
        if isinstance(values, list)
        else ()
    )


def _files(record: SourceRecord) -> tuple[str, ...]:
    paths: Iterator[str] = (
        path for name in ("files_modified", "files_read") for path in _json_texts(record, name)
    )
    return tuple(dict.fromkeys(path for path in paths if len(path) <= PATH_CHARS))[:FILES]


def _epoch(record: SourceRecord) -> int | None:
    epoch = record.number("created_at_epoch")
    if epoch is None:
        return record.moment("created_at")
    return int(epoch if epoch > _SECONDS else epoch * 1000)
