"""Rows to values and back. The order of columns is that of the `*_columns` fragments in the queries."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg.types.json import Json

from holdfast.model.conflict import Conflict
from holdfast.model.finding import Evidence, Finding
from holdfast.model.ids import is_full_id
from holdfast.model.kinds import GENERIC_ROLES, QUARANTINE
from holdfast.model.memory import Memory
from holdfast.model.proposal import Proposal
from holdfast.model.search import Filters
from holdfast.model.session import Session, Turn
from holdfast.model.times import written_day
from holdfast.stores.analyser import identifiers, tokens

if TYPE_CHECKING:
    from holdfast.stores.postgres.connection import Row

_MEMORY_FIELDS = (
    "id", "project", "tenant", "user", "kind", "title", "content", "context", "tags", "files", "file_hashes",
    "importance", "confidence", "status", "trust", "sources", "session", "agent", "branch", "commit",
    "created_at", "updated_at", "renewed_at", "accessed_at", "reads", "valid_from", "valid_until",
    "superseded_by", "expires", "fingerprint", "metadata", "kind_confidence", "fades",
)  # fmt: skip
_SESSION_FIELDS = (
    "id", "project", "tenant", "user", "agent", "status", "ref", "parent", "started_at", "ended_at",
    "last_turn_at", "summary", "tool_calls", "turns", "private_depth", "read_to", "turns_read", "forked_at",
    "heard_at",
)  # fmt: skip
_CONFLICT_FIELDS = ("id", "first", "second", "kind", "detected_at", "resolved_at", "kept")
_PROPOSAL_FIELDS = (
    "id", "verb", "memory", "other", "arguments", "actor", "agent", "at", "why", "settled_at", "outcome",
    "seen",
)  # fmt: skip
_TURN_FIELDS = ("id", "session", "role", "text", "at", "ref", "tool", "files")
_UNHELD = re.compile("[\0\ud800-\udfff]")
_LISTS = frozenset(("tags", "files", "sources"))
_OBJECTS = frozenset(("file_hashes", "metadata"))


def known_ids(ids: Iterable[str]) -> list[str]:
    """Return those of the ids that can be somebody's: the column takes nothing else."""
    return [one for one in ids if is_full_id(one)]


def id_or_none(text: str | None) -> str | None:
    """Return an id if it can be somebody's."""
    return text if text is not None and is_full_id(text) else None


def sought(text: str) -> str:
    """Return a text as it can be asked for: what the server's texts cannot hold becomes what none does hold."""
    return _UNHELD.sub("\uffff", text)


def memory_of(row: "Row") -> Memory:
    """Read a memory; its version comes last and is the store's own."""
    fields: dict[str, object] = dict(zip(_MEMORY_FIELDS, row[:-1], strict=True))
    for name in _LISTS:
        fields[name] = tuple(fields[name])  # type: ignore[arg-type]  # an array column
    return Memory(**fields)  # type: ignore[arg-type]  # the columns carry the field's types


def memory_row(memory: Memory) -> dict[str, object]:
    """Write a memory; whose it is the store says."""
    row: dict[str, object] = {}
    for name in _MEMORY_FIELDS:
        value = getattr(memory, name)
        if name in _LISTS:
            value = list(value)
        elif name in _OBJECTS:
            value = Json(dict(value))
        row[name] = value
    del row["tenant"]
    return row | {"judged": QUARANTINE in memory.metadata}


def memory_texts(memory: Memory) -> list[str]:
    """Return what a memory is indexed by, in the order of `weights.MEMORY_COLUMNS`."""
    files = " ".join(memory.files)
    joined = identifiers(memory.title, memory.content, memory.context, files)
    return [memory.content, memory.title, " ".join(memory.tags), files, memory.context, memory.kind, joined]


def turn_texts(turn: Turn) -> list[str]:
    """Return what a turn is indexed by, in the order of `weights.TURN_COLUMNS`."""
    files = " ".join(turn.files)
    speaker = "" if turn.role.lower() in GENERIC_ROLES else turn.role
    return [turn.text, files, speaker, identifiers(turn.text, files), written_day(turn.at)]


@dataclass(frozen=True, slots=True)
class Document:
    """What is indexed of a row: how often each index form stands in each column, and the bytes of its texts."""

    words: list[Counter[str]]
    size: int

    @property
    def terms(self) -> list[str]:
        """Every index form once."""
        return sorted({term for column in self.words for term in column})

    @property
    def length(self) -> int:
        """How many words there are."""
        return sum(column.total() for column in self.words)


def document(texts: Sequence[str]) -> Document:
    """Count the index forms of each column."""
    return Document([Counter(tokens(text)) for text in texts], sum(len(text.encode()) for text in texts))


def session_of(row: "Row") -> Session:
    """Read a session; its version comes last and is the store's own."""
    return Session(**dict(zip(_SESSION_FIELDS, row[:-1], strict=True)))


def session_row(session: Session) -> dict[str, object]:
    """Write a session; whose it is the store says."""
    return {name: getattr(session, name) for name in _SESSION_FIELDS if name != "tenant"}


def turn_of(row: "Row") -> Turn:
    """Read a turn."""
    fields = dict(zip(_TURN_FIELDS, row, strict=True))
    fields["files"] = tuple(fields["files"])
    return Turn(**fields)


def turn_row(turn: Turn) -> dict[str, object]:
    """Write a turn."""
    return {name: getattr(turn, name) for name in _TURN_FIELDS} | {"files": list(turn.files)}


def conflict_of(row: "Row") -> Conflict:
    """Read a conflict."""
    return Conflict(**dict(zip(_CONFLICT_FIELDS, row, strict=True)))


def conflict_row(conflict: Conflict) -> dict[str, object]:
    """Write a conflict."""
    return {name: getattr(conflict, name) for name in _CONFLICT_FIELDS}


def proposal_of(row: "Row") -> Proposal:
    """Read a proposal."""
    return Proposal(**dict(zip(_PROPOSAL_FIELDS, row, strict=True)))


def proposal_row(proposal: Proposal) -> dict[str, object]:
    """Write a proposal."""
    row = {name: getattr(proposal, name) for name in _PROPOSAL_FIELDS}
    return row | {"arguments": Json(dict(proposal.arguments)), "seen": Json(dict(proposal.seen))}


def finding_of(row: "Row") -> Finding:
    """Read a finding."""
    finding_id, session, kind, content, fingerprint, turns, starts, stops, *rest = row
    importance, confidence, signals, files, created_at, memory = rest
    places = zip(turns, starts, stops, strict=True)
    return Finding(
        id=finding_id,
        session=session,
        kind=kind,
        content=content,
        fingerprint=fingerprint,
        evidence=tuple(Evidence(turn=turn, start=start, end=stop) for turn, start, stop in places),
        importance=importance,
        confidence=confidence,
        signals=tuple(signals),
        files=tuple(files),
        created_at=created_at,
        memory=memory,
    )


def finding_row(finding: Finding) -> dict[str, object]:
    """Write a finding."""
    return {
        "id": finding.id,
        "session": finding.session,
        "kind": finding.kind,
        "importance": finding.importance,
        "confidence": finding.confidence,
        "created_at": finding.created_at,
        "memory": finding.memory,
        "fingerprint": finding.fingerprint,
        "signals": list(finding.signals),
        "files": list(finding.files),
        "content": finding.content,
        "turns": [one.turn for one in finding.evidence],
        "starts": [one.start for one in finding.evidence],
        "stops": [one.end for one in finding.evidence],
    }


def filter_row(filters: Filters) -> dict[str, object]:
    """Write filters as the parameters of the `*_filter` fragments."""
    return {
        "kinds": _some(filters.kinds),
        "projects": _some(filters.projects),
        "tags": _some(filters.tags),
        "file": sought(filters.file.rstrip("/")) if filters.file else None,
        "since": filters.since,
        "until": filters.until,
        "statuses": _some(filters.statuses),
        "trusts": _some(filters.trusts),
        "min_importance": filters.min_importance,
        "contains": sought(filters.contains.casefold()) if filters.contains else None,
        "sources": _some(filters.sources),
        "session": filters.session if filters.session is None or is_full_id(filters.session) else NOBODY,
        "said": filters.spoken,
        "current_at": filters.current_at,
    }


NOBODY = "00000000-0000-0000-0000-000000000000"
"""The id that nothing has: what can be no id matches nothing."""


def _some(values: Sequence[str]) -> list[str] | None:
    return list(map(sought, values)) or None
