"""Rows to values and back. The order of columns is that of the `*_columns` fragments in the queries.

Every row is sealed when it is written, and its seal is checked when it is read: reading raises one of
`seals.UNREADABLE` for a row that is not as it was written.
"""

import json
from collections.abc import Mapping, Sequence

from holdfast.model.conflict import Conflict
from holdfast.model.memory import Memory
from holdfast.model.proposal import Proposal
from holdfast.model.search import Filters
from holdfast.model.session import Session, Turn
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.analyser import identifiers
from holdfast.stores.sqlite.seals import Seal

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Row, Value

_MEMORY_FIELDS = (
    "id", "project", "tenant", "user", "kind", "title", "content", "context", "tags", "files", "file_hashes",
    "importance", "confidence", "status", "trust", "sources", "session", "agent", "branch", "commit",
    "created_at", "updated_at", "renewed_at", "accessed_at", "reads", "valid_from", "valid_until",
    "superseded_by", "expires", "fingerprint", "metadata", "kind_confidence", "fades",
)  # fmt: skip
_LISTS = frozenset(("tags", "files", "sources"))
_OBJECTS = frozenset(("file_hashes", "metadata"))
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
_REALS = frozenset(("importance", "confidence", "kind_confidence"))
"""Columns of floats: SQLite makes one of a whole number, so that is what is sealed."""

MEMORY_SEAL = Seal(_MEMORY_FIELDS, ("accessed_at", "reads", "fades"))
SESSION_SEAL = Seal(_SESSION_FIELDS, ("last_turn_at", "tool_calls", "turns", "heard_at"))
CONFLICT_SEAL = Seal(_CONFLICT_FIELDS)
PROPOSAL_SEAL = Seal(_PROPOSAL_FIELDS)
TURN_SEAL = Seal(_TURN_FIELDS)


to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""Write a list or an object as a column. Made once: json.dumps would make the encoder anew at every call."""


def json_list(values: Sequence[str]) -> "str | None":
    """Write a filter's values; None for no restriction."""
    return to_json(list(values)) if values else None


def memory_of(row: "Row") -> Memory:
    """Read a memory."""
    MEMORY_SEAL.check(row)
    fields: dict[str, object] = dict(zip(_MEMORY_FIELDS, row, strict=False))  # its seal has been read
    for name in _LISTS:
        fields[name] = () if fields[name] == "[]" else tuple(json.loads(cast(str, fields[name])))
    for name in _OBJECTS:
        fields[name] = {} if fields[name] == "{}" else json.loads(cast(str, fields[name]))
    return Memory(**fields)  # type: ignore[arg-type]  # the columns carry the field's types


def numbered_memory(row: "Row") -> tuple[int, Memory]:
    """Read a memory with the number of its row before it."""
    return cast(int, row[0]), memory_of(row[1:])


def memory_row(memory: Memory) -> "Mapping[str, Value]":
    """Write a memory, with the identifier parts its index holds."""
    row: dict[str, Value] = {}
    for name in _MEMORY_FIELDS:
        value = getattr(memory, name)
        if name in _LISTS:
            value = to_json(list(value))
        elif name in _OBJECTS:
            value = to_json(dict(value))
        elif name in _REALS and value is not None:
            value = float(value)
        row[name] = value
    row["identifiers"] = identifiers(memory.title, memory.content, memory.context, " ".join(memory.files))
    row["seal"] = MEMORY_SEAL.of_row(row)
    return row


def session_of(row: "Row") -> Session:
    """Read a session."""
    SESSION_SEAL.check(row)
    return Session(**dict(zip(_SESSION_FIELDS, row, strict=False)))  # type: ignore[arg-type]  # as above


def session_row(session: Session) -> "Mapping[str, Value]":
    """Write a session."""
    return _sealed(SESSION_SEAL, {name: getattr(session, name) for name in _SESSION_FIELDS})


def turn_of(row: "Row") -> Turn:
    """Read a turn."""
    TURN_SEAL.check(row)
    fields: dict[str, object] = dict(zip(_TURN_FIELDS, row, strict=False))
    fields["files"] = tuple(json.loads(cast(str, fields["files"])))
    return Turn(**fields)  # type: ignore[arg-type]  # as above


def turn_row(turn: Turn) -> "Mapping[str, Value]":
    """Write a turn, with the identifier parts its index holds."""
    row: dict[str, Value] = {name: getattr(turn, name) for name in _TURN_FIELDS}
    row["files"] = to_json(list(turn.files))
    row["identifiers"] = identifiers(turn.text, " ".join(turn.files))
    return _sealed(TURN_SEAL, row)


def conflict_of(row: "Row") -> Conflict:
    """Read a conflict."""
    CONFLICT_SEAL.check(row)
    return Conflict(**dict(zip(_CONFLICT_FIELDS, row, strict=False)))  # type: ignore[arg-type]  # as above


def conflict_row(conflict: Conflict) -> "Mapping[str, Value]":
    """Write a conflict."""
    return _sealed(CONFLICT_SEAL, {name: getattr(conflict, name) for name in _CONFLICT_FIELDS})


def proposal_of(row: "Row") -> Proposal:
    """Read a proposal."""
    PROPOSAL_SEAL.check(row)
    fields: dict[str, object] = dict(zip(_PROPOSAL_FIELDS, row, strict=False))
    for name in ("arguments", "seen"):
        fields[name] = json.loads(cast(str, fields[name]))
    return Proposal(**fields)  # type: ignore[arg-type]  # as above


def proposal_row(proposal: Proposal) -> "Mapping[str, Value]":
    """Write a proposal."""
    row: dict[str, Value] = {name: getattr(proposal, name) for name in _PROPOSAL_FIELDS}
    row["arguments"], row["seen"] = to_json(dict(proposal.arguments)), to_json(dict(proposal.seen))
    return _sealed(PROPOSAL_SEAL, row)


def _sealed(seal: Seal, row: "dict[str, Value]") -> "Mapping[str, Value]":
    row["seal"] = seal.of_row(row)
    return row


def filter_row(filters: Filters) -> "dict[str, Value]":
    """Write filters as the parameters of the `*_filter` fragments."""
    return {
        "kinds": json_list(filters.kinds),
        "projects": json_list(filters.projects),
        "tags": json_list(filters.tags),
        "file": filters.file.rstrip("/") if filters.file else None,
        "since": filters.since,
        "until": filters.until,
        "statuses": json_list(filters.statuses),
        "trusts": json_list(filters.trusts),
        "min_importance": filters.min_importance,
        "contains": filters.contains.casefold() if filters.contains else None,
        "sources": json_list(filters.sources),
        "session": filters.session,
        "said": filters.spoken,
        "current_at": filters.current_at,
    }
