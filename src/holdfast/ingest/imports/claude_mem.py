"""The database of claude-mem: observations, session summaries and directives.

It holds the memory of every project that its user worked on, by the name of the project's folder. Its prompts are
not taken: they are messages, not memories.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from holdfast.ingest.imports.outcome import Left, Read, Tables, source_label, unusable
from holdfast.ingest.part import Part, refused
from holdfast.ingest.records import Record
from holdfast.model.entry import Entry
from holdfast.model.kinds import KINDS
from holdfast.model.limits import FILES, PATH_CHARS, TAGS
from holdfast.model.memory import Draft

ALL = "*"
_SECONDS = 100_000_000_000
"""Epochs below this are in seconds; it lies in the year 5138 as seconds, in 1973 as milliseconds."""

_SUMMARY = ("request", "investigated", "learned", "completed", "next_steps", "notes")


def read(part: Part, tables: Tables, project: str, only: str | None = None) -> Read:
    """Read the rows of one project: the one named, else this one by its name, else the only one there is."""
    if part.path is None:
        raise refused(part.name, "is a database inside an archive. Unpack it first.")
    path = part.path
    rows = {
        name: [Record(row, f"{part.name}, {name} {row.get('id')}") for row in tables(path, name)]
        for name in _READERS
    }
    wanted = only or _project(rows["observations"], project, part.name)
    for name, reader in _READERS.items():
        for record in rows[name]:
            if wanted == ALL or record.values.get("project") in (wanted, None):
                yield from reader(record, part.name)


def _project(observations: Iterable[Record], project: str, name: str) -> str:
    there = sorted({str(record.values.get("project")) for record in observations})
    if project in there or not there:
        return project
    if len(there) == 1:
        return there[0]
    raise refused(name, f"has nothing on {project!r}. Choose with --only: {', '.join(there)}, or {ALL!r} for all.")


def _observation(record: Record, name: str) -> Read:
    facts = _listed(record, "facts")
    body = record.text("narrative") or record.text("text") or record.text("subtitle") or ""
    lines = [body, *(f"- {fact}" for fact in facts if fact not in body)]
    content = "\n".join(line for line in lines if line.strip()) or record.text("title") or ""
    kind = record.text("type")
    draft = Draft(
        content=content,
        kind=kind if kind in KINDS else None,
        title=record.text("title") or None,
        context=record.text("subtitle") if body != record.text("subtitle") else None,
        tags=_listed(record, "concepts")[:TAGS],
        files=_files(record),
        source=source_label(name),
        metadata={"claude_mem": {"observation": record.values.get("id")}},
        at=_epoch(record),
    )
    yield unusable(content) or Entry(draft=draft, where=record.where)


def _summary(record: Record, name: str) -> Read:
    said = [(part, record.text(part) or "") for part in _SUMMARY]
    content = "\n".join(f"{part.replace('_', ' ').capitalize()}: {text}" for part, text in said if text.strip())
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


def _directive(record: Record, name: str) -> Read:
    if record.text("status") not in (None, "active"):
        yield Left("not active there")
        return
    content = record.text("content") or ""
    draft = Draft(content=content, kind="preference", source=source_label(name), at=_epoch(record))
    yield unusable(content) or Entry(draft=draft, where=record.where)


_READERS: Mapping[str, Callable[[Record, str], Read]] = {
    "observations": _observation,
    "session_summaries": _summary,
    "directives": _directive,
}


def _listed(record: Record, name: str) -> tuple[str, ...]:
    """Return a list that is kept as JSON in a text; whatever else stands there is no list."""
    try:
        values = json.loads(record.text(name) or "[]")
    except (ValueError, RecursionError):
        return ()
    return tuple(one for one in values if isinstance(one, str) and one.strip()) if isinstance(values, list) else ()


def _files(record: Record) -> tuple[str, ...]:
    named: Iterator[str] = (one for name in ("files_modified", "files_read") for one in _listed(record, name))
    return tuple(dict.fromkeys(one for one in named if len(one) <= PATH_CHARS))[:FILES]


def _epoch(record: Record) -> int | None:
    given = record.number("created_at_epoch")
    if given is None:
        return record.moment("created_at")
    return int(given if given > _SECONDS else given * 1000)
