"""What candidates are looked for, and how far: the same for memories and for evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.model.search import Term

if TYPE_CHECKING:
    from holdfast.ports import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for."""

    terms: Sequence[Term]
    vector: "Floats | None" = None
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The project's own."""
    but: frozenset[str] = frozenset()
    """Sessions that do not count: the one that asks."""
    prompt: str = ""
    """What was asked; a turn that says just that is no evidence."""
    enough: float = 0.0
    """The relevance from which on meaning need not be asked alone."""
    most: int = 500
