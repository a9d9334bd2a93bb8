"""Importing: from what somebody hands in to memories. open → tell the format → read all of it → take it in.

The format is told by what is in a file, not by its name, wherever that can be.
"""

import hashlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from holdfast.capture.adopt import AdoptionTerms
from holdfast.errors import InvalidInput
from holdfast.export.formats import OPENING
from holdfast.ingest import notes, other_tools, own
from holdfast.ingest.bundle import (
    SQLITE,
    EntryStream,
    ImportLimits,
    Omission,
    Part,
    Tables,
    open_bundle,
    unusable_file,
)
from holdfast.ingest.records import records_of
from holdfast.model.ingest import Adopted, Entry, Imported
from holdfast.service.entries import Exchange, Progressing, not_shown

HOLDFAST, MEM0, CLAUDE_MEM, BASIC_MEMORY, MCP_MEMORY, AGENT_FILE = FORMATS = (
    "holdfast",
    "mem0",
    "claude-mem",
    "basic-memory",
    "mcp-memory",
    "agent-file",
)
_LOOKED_AT = 65_536


class ImportOptions(Struct, frozen=True, kw_only=True):
    """How an import is to be done."""

    format: str | None = None
    """One of `FORMATS`; None: what it looks like."""
    only: str | None = None
    """Of a file that holds several projects, this one."""
    own: bool = False
    """The user says that it is their own export, whatever machine it comes from."""
    confirmed: bool = False
    scope: str = "project"
    dry_run: bool = False


class Importer(Struct, frozen=True, kw_only=True):
    """What reads exports into a project's memory."""

    exchange: Exchange
    project: str
    """The name of the project's folder, by which other tools may know it."""
    tables: Tables
    made_here: Callable[[str], bool] = lambda digest: False
    """Whether this user made an export with these bytes."""
    limits: ImportLimits = ImportLimits()

    def run(self, path: Path, options: ImportOptions, show: Progressing = not_shown) -> Imported:
        """Import what lies at a path; nothing is written unless all of it can be read."""
        if options.format not in (None, *FORMATS):
            raise InvalidInput(field="--format", problem=f"{options.format!r} is none of: {', '.join(FORMATS)}.")
        parts = open_bundle(path, self.limits)
        formats = [options.format or format_of(part) for part in parts]
        own = set(formats) == {HOLDFAST} and (options.own or self._is_ours(path))
        if options.own and not own:
            raise InvalidInput(field="--own", problem="is for exports of holdfast; this is another tool's.")
        entries, omissions = self._collect_entries(parts, formats, options)
        terms = AdoptionTerms(own=own, confirmed=options.confirmed, scope=options.scope)
        adoption = self.exchange.adopt(entries, terms, dry_run=options.dry_run, show=show)
        return _import_report(
            adoption, omissions, formats=tuple(dict.fromkeys(formats)), own=own, dry_run=options.dry_run
        )

    def _collect_entries(
        self, parts: Sequence[Part], formats: Sequence[str], options: ImportOptions
    ) -> tuple[list[Entry], Counter[str]]:
        entries: list[Entry] = []
        omissions: Counter[str] = Counter()
        for part, kind in zip(parts, formats, strict=True):
            for entry in self._entries(part, parts, kind, options.only):
                if isinstance(entry, Omission):
                    omissions[entry.reason] += 1
                    continue
                entries.append(entry)
                if len(entries) > self.limits.entries:
                    raise unusable_file(part.name, f"brings more than {self.limits.entries:,} entries. Split it.")
        return entries, omissions

    def _entries(self, part: Part, parts: Sequence[Part], kind: str, only: str | None) -> EntryStream:
        readers: dict[str, Callable[[], EntryStream]] = {
            HOLDFAST: lambda: own.read_own(part),
            MEM0: lambda: other_tools.read_mem0(part),
            CLAUDE_MEM: lambda: other_tools.read_claude_mem(part, self.tables, self.project, only),
            BASIC_MEMORY: lambda: notes.read_basic_memory(part),
            MCP_MEMORY: lambda: other_tools.read_mcp_memory(part),
            AGENT_FILE: lambda: notes.read_agent_file(part, {other_part.name for other_part in parts}),
        }
        return readers[kind]()

    def _is_ours(self, path: Path) -> bool:
        """Say whether a file is an export of this user's, byte for byte."""
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return self.made_here(hashlib.file_digest(file, "sha256").hexdigest())


def _import_report(
    adoption: Adopted, omissions: Counter[str], *, formats: tuple[str, ...], own: bool, dry_run: bool
) -> Imported:
    results = adoption.results
    return Imported(
        formats=formats,
        own=own,
        dry_run=dry_run,
        entries=len(results),
        created=sum(result.created for result in results),
        duplicates=sum(result.duplicate for result in results) - adoption.known,
        known=adoption.known,
        superseded=adoption.superseded,
        rejected=dict(Counter(result.rejected for result in results if result.rejected)),
        conflicts=sum(len(result.conflicts) for result in results),
        left=dict(omissions.most_common()),
    )


def format_of(part: Part) -> str:
    """Return the name of a part's format."""
    if part.head(len(SQLITE)) == SQLITE:
        return CLAUDE_MEM
    name = part.name.lower()
    if name.endswith(own.MARKDOWN):
        return _markdown_format(part.text())
    if name.endswith(".csv"):
        return HOLDFAST
    start = part.head(_LOOKED_AT).removeprefix(BOM_UTF8).lstrip()[:1]
    if start not in (b"[", b"{") and not name.endswith((".json", ".jsonl", ".ndjson")):
        raise unusable_file(
            part.name, f"has no format that can be told. Name it with --format: {', '.join(FORMATS)}."
        )
    return _json_format(part)


def _markdown_format(text: str) -> str:
    if f"\n{OPENING}" in text:
        return HOLDFAST
    return BASIC_MEMORY if notes.recognises_basic_memory(text.replace("\r\n", "\n")) else AGENT_FILE


def _json_format(part: Part) -> str:
    first = next(records_of(part), None)
    if first is None:
        return HOLDFAST
    if other_tools.recognises_mcp_memory(first):
        return MCP_MEMORY
    if other_tools.recognises_mem0(first):
        return MEM0
    if first.has("content") or first.has("text"):
        return HOLDFAST
    raise unusable_file(first.where, f"has no content, and is no entry of: {', '.join(FORMATS)}.")
