"""Importing: from what somebody hands in to memories. open → tell the format → read all of it → take it in."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from holdfast.capture.adopt import AdoptionTerms
from holdfast.errors import InvalidInput
from holdfast.ingest.bundle import open_bundle
from holdfast.ingest.imports import agent_file, basic_memory, claude_mem, mcp_memory, mem0
from holdfast.ingest.imports.detect import (
    AGENT_FILE,
    BASIC_MEMORY,
    CLAUDE_MEM,
    FORMATS,
    HOLDFAST,
    MCP_MEMORY,
    MEM0,
    format_of,
    read_own,
)
from holdfast.ingest.imports.outcome import EntryStream, Omission, Tables
from holdfast.ingest.part import ImportLimits, Part, unusable_file
from holdfast.model.ingest import Adopted, Entry, Imported
from holdfast.service.entries import Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """What reads exports into a project's memory."""

    exchange: Exchange
    project: str
    """The name of the project's folder, by which other tools may know it."""
    tables: Tables
    made_here: Callable[[str], bool] = lambda digest: False
    """Whether this user made an export with these bytes."""
    limits: ImportLimits = ImportLimits()  # noqa: RUF009 - frozen

    def run(self, path: Path, options: ImportOptions) -> Imported:
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
        adoption = self.exchange.adopt(entries, terms, dry_run=options.dry_run)
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
            HOLDFAST: lambda: read_own(part),
            MEM0: lambda: mem0.read_entries(part),
            CLAUDE_MEM: lambda: claude_mem.read_entries(part, self.tables, self.project, only),
            BASIC_MEMORY: lambda: basic_memory.read_entries(part),
            MCP_MEMORY: lambda: mcp_memory.read_entries(part),
            AGENT_FILE: lambda: agent_file.read_entries(part, {other_part.name for other_part in parts}),
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
