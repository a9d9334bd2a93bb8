"""The text handed to an agent, and what went into it."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.model.conflict import Conflict


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefItem:
    """One memory or turn in a brief, and why it is there."""

    id: str
    kind: str
    why: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What an agent is told, within a token budget."""

    text: str
    tokens: int
    items: tuple[BriefItem, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    cut: bool = False
    """Whether a time limit ended recall early."""
