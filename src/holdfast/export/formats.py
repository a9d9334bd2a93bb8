"""Memories as JSONL, JSON, CSV and Markdown: the one shape of names and JSON values that every export has, how a
format writes it down, and a file that appears whole or not at all."""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from holdfast.errors import InvalidInput
from holdfast.machine import durable
from holdfast.model.inbox import Proposal
from holdfast.model.ingest import Tie
from holdfast.model.memory import Conflict, Memory
from holdfast.model.plain import Plain, plain

LEFT_OUT = ("project", "tenant", "fingerprint")
"""What belongs to the store that keeps a memory, or follows from its content."""

FIELDS = (
    *(memory_field.name for memory_field in fields(Memory) if memory_field.name not in LEFT_OUT),
    "source",
    "conflicts",
    "proposals",
)

ExportedMemory = dict[str, Plain]
Writer = Callable[[Iterable[ExportedMemory]], Iterator[str]]

FORMULA = re.compile(r"['=+\-@\t\r\n]")
"""How a cell begins that a spreadsheet would run, or that begins with the mark that keeps it from that."""

OPENING = "<!-- holdfast:memory "
CLOSING = " -->"
HEADING = "# Memories\n"

ESCAPE_POINT = re.compile(r"^(\\*)(?=<!-- holdfast:)", re.MULTILINE)
"""Where a line of content could be taken for one of our comments; a backslash before it says that it is not."""

SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".md": "markdown"}


def export_memory(memory: Memory, ties: Sequence[Tie] = ()) -> ExportedMemory:
    """Return a memory as it is written down, with conflicts in which it is the later side, and what waits."""
    shape = plain(memory)
    assert isinstance(shape, dict)  # noqa: S101 - a memory is an object, whatever `plain` returns for others
    conflicts = [
        plain(_conflict_fields(conflict))
        for conflict in ties
        if isinstance(conflict, Conflict) and conflict.second == memory.id
    ]
    proposals = [
        plain(_proposal_fields(proposal))
        for proposal in ties
        if isinstance(proposal, Proposal) and proposal.memory == memory.id
    ]
    return {name: shape[name] for name in FIELDS if name in shape} | {
        "conflicts": conflicts,
        "proposals": proposals,
    }


def _proposal_fields(proposal: Proposal) -> Mapping[str, object]:
    names = ("id", "verb", "other", "arguments", "actor", "agent", "at", "why", "seen")
    return {name: getattr(proposal, name) for name in names}


def _conflict_fields(conflict: Conflict) -> Mapping[str, object]:
    return {"id": conflict.id, "first": conflict.first, "kind": conflict.kind, "detected_at": conflict.detected_at}


def to_jsonl(entries: Iterable[ExportedMemory]) -> Iterator[str]:
    """Write each entry on a line of its own."""
    for entry in entries:
        yield json.dumps(entry, ensure_ascii=False) + "\n"


def to_json(entries: Iterable[ExportedMemory]) -> Iterator[str]:
    """Write all entries as one list, indented for people."""
    before = "["
    for entry in entries:
        entry_text = json.dumps(entry, ensure_ascii=False, indent=2).replace("\n", "\n  ")
        yield f"{before}\n  {entry_text}"
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


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


def to_markdown(entries: Iterable[ExportedMemory]) -> Iterator[str]:
    """Write each entry as a section: its title, its fields in a comment, its content."""
    yield HEADING
    for entry in entries:
        other_fields = {name: value for name, value in entry.items() if name not in ("title", "content")}
        title = " ".join(str(entry["title"]).split())
        content = ESCAPE_POINT.sub(r"\\\1", str(entry["content"]))
        yield f"\n## {title}\n\n{OPENING}{_comment(other_fields)}{CLOSING}\n\n{content}\n"


def _comment(fields: ExportedMemory) -> str:
    """Return fields as JSON that cannot end the comment it stands in."""
    text = json.dumps(fields, ensure_ascii=False)
    return text.replace(">", "\\u003e").replace("--", "-\\u002d")


FORMATS: Mapping[str, Writer] = {"jsonl": to_jsonl, "json": to_json, "csv": to_csv, "markdown": to_markdown}


def format_for(name: str | None, output: Path | None) -> str:
    """Return the format asked for; else the one that the file's name says; else JSONL."""
    if name is None:
        return SUFFIXES.get(output.suffix.lower(), "jsonl") if output else "jsonl"
    if name not in FORMATS:
        raise InvalidInput(field="--format", problem=f"{name!r} is none of: {', '.join(FORMATS)}.")
    return name


class HashedPieces:
    """Pieces of text on their way out, with the hash of all that passed."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = pieces
        self._hash = hashlib.sha256()

    def __iter__(self) -> Iterator[str]:
        for piece in self._pieces:
            self._hash.update(piece.encode())
            yield piece

    @property
    def digest(self) -> str:
        """The SHA-256 of what has passed."""
        return self._hash.hexdigest()


def save(pieces: Iterable[str], path: Path, mode: int = 0o600) -> None:
    """Write a file, for its owner alone unless told otherwise, and put it in its place when it is complete."""
    durable.replace_file(path, pieces, mode)
