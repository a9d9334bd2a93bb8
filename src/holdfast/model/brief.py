"""The text handed to an agent, what went into it, and the record that is kept of it."""

from collections.abc import Mapping

from msgspec import Struct

from holdfast.model.memory import Conflict


class BriefItem(Struct, frozen=True, kw_only=True):
    """One memory, turn or summary in a brief, and why it is there."""

    id: str
    kind: str
    tier: str
    """The part of the brief it stands in: `always`, `bridge`, `retrieval`, `start` or `summaries`."""
    score: float
    why: Mapping[str, float]
    marks: tuple[str, ...] = ()
    """What a reader was told to mind: unconfirmed, changed file, other branch, superseded."""


class Brief(Struct, frozen=True, kw_only=True):
    """What an agent is told, within a token budget."""

    text: str
    tokens: int
    budget: int = 0
    items: tuple[BriefItem, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    cut: bool = False
    """Whether a time limit ended recall early."""
    degraded: bool = False
    """Whether less was looked at, because the latest briefs were slow."""
    took_ms: int = 0
    failure: str | None = None
    """Why it is empty, when recall failed: a failure never reaches an agent as an error."""


class Latency(Struct, frozen=True, kw_only=True):
    """How long a brief took."""

    took_ms: int
    cut: bool
    degraded: bool


class ReceiptItem(Struct, frozen=True, kw_only=True):
    """One entry that went into a brief."""

    id: str
    kind: str
    tier: str
    score: float
    why: Mapping[str, float]
    fetched_at: int | None = None
    """When it was first read afterwards; None when it was not, or not yet. Filled in by whoever lists receipts."""


class Receipt(Struct, frozen=True, kw_only=True):
    """The record of a brief: which entries went into it, and why. Its text is kept beside it, as long as it is."""

    id: str
    at: int
    agent: str
    session: str | None
    prompted: bool
    """Whether it answered a prompt; otherwise it opened a session."""
    budget: int
    tokens: int
    took_ms: int
    cut: bool
    degraded: bool
    items: tuple[ReceiptItem, ...] = ()


class Health(Struct, frozen=True, kw_only=True):
    """How fast the latest briefs were, and whether less is looked at because of it."""

    samples: int
    p95_ms: int | None
    """None before there are enough to judge."""
    degraded: bool
