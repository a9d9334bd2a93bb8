"""Importing: from what somebody hands in to memories. open → tell the format → read all of it → take it in."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from holdfast.capture.adopt import Terms
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
from holdfast.ingest.imports.outcome import Left, Read, Tables
from holdfast.ingest.part import Limits, Part, refused
from holdfast.model.entry import Adopted, Entry
from holdfast.model.ingest import Imported
from holdfast.service.entries import Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
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
    limits: Limits = Limits()  # noqa: RUF009 - frozen

    def run(self, path: Path, wanted: Wanted) -> Imported:
        """Import what lies at a path; nothing is written unless all of it can be read."""
        if wanted.format not in (None, *FORMATS):
            raise InvalidInput(field="--format", problem=f"{wanted.format!r} is none of: {', '.join(FORMATS)}.")
        parts = open_bundle(path, self.limits)
        formats = [wanted.format or format_of(part) for part in parts]
        own = set(formats) == {HOLDFAST} and (wanted.own or self._is_ours(path))
        if wanted.own and not own:
            raise InvalidInput(field="--own", problem="is for exports of holdfast; this is another tool's.")
        entries, left = self._read(parts, formats, wanted)
        terms = Terms(own=own, confirmed=wanted.confirmed, scope=wanted.scope)
        adopted = self.exchange.adopt(entries, terms, dry_run=wanted.dry_run)
        return _told(adopted, left, formats=tuple(dict.fromkeys(formats)), own=own, dry_run=wanted.dry_run)

    def _read(
        self, parts: Sequence[Part], formats: Sequence[str], wanted: Wanted
    ) -> tuple[list[Entry], Counter[str]]:
        entries: list[Entry] = []
        left: Counter[str] = Counter()
        for part, kind in zip(parts, formats, strict=True):
            for one in self._entries(part, parts, kind, wanted.only):
                if isinstance(one, Left):
                    left[one.reason] += 1
                    continue
                entries.append(one)
                if len(entries) > self.limits.entries:
                    raise refused(part.name, f"brings more than {self.limits.entries:,} entries. Split it.")
        return entries, left

    def _entries(self, part: Part, parts: Sequence[Part], kind: str, only: str | None) -> Read:
        readers: dict[str, Callable[[], Read]] = {
            HOLDFAST: lambda: read_own(part),
            MEM0: lambda: mem0.read(part),
            CLAUDE_MEM: lambda: claude_mem.read(part, self.tables, self.project, only),
            BASIC_MEMORY: lambda: basic_memory.read(part),
            MCP_MEMORY: lambda: mcp_memory.read(part),
            AGENT_FILE: lambda: agent_file.read(part, {one.name for one in parts}),
        }
        return readers[kind]()

    def _is_ours(self, path: Path) -> bool:
        """Say whether a file is an export of this user's, byte for byte."""
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return self.made_here(hashlib.file_digest(file, "sha256").hexdigest())


def _told(adopted: Adopted, left: Counter[str], *, formats: tuple[str, ...], own: bool, dry_run: bool) -> Imported:
    results = adopted.results
    return Imported(
        formats=formats,
        own=own,
        dry_run=dry_run,
        entries=len(results),
        created=sum(one.created for one in results),
        duplicates=sum(one.duplicate for one in results) - adopted.known,
        known=adopted.known,
        superseded=adopted.superseded,
        rejected=dict(Counter(one.rejected for one in results if one.rejected)),
        conflicts=sum(len(one.conflicts) for one in results),
        left=dict(left.most_common()),
    )
