"""What a brief is asked for, and what it is made from: the two values that its steps share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.model.conflict import Conflict
from holdfast.model.memory import Memory
from holdfast.ports import Reranker, Store
from holdfast.recall.brief.fill import Page
from holdfast.recall.brief.keywords import Asked
from holdfast.recall.brief.notes import Note
from holdfast.recall.brief.selection import HEALTHY, Limits
from holdfast.recall.brief.weights import Scene

if TYPE_CHECKING:
    from holdfast.ports import Floats

LIMIT_MS = 200
"""How long candidates may be looked for; what was found by then is what there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a brief is asked for."""

    asked: Asked | None
    """The prompt; None at the start of a session."""
    vector: "Floats | None"
    scene: Scene
    page: Page
    session: str | None = None
    """The session that asks: it knows what was said in it."""
    branch: str | None = None
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    bridge: Sequence[Note] = ()
    told: frozenset[str] = frozenset()
    """The last eight digits of the ids of what the session was told already."""
    limits: Limits = HEALTHY
    limit_ms: int = LIMIT_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What a brief is made from."""

    stores: Sequence[Store]
    """The project's first, where sessions live; then the user's own."""
    short: Callable[[str], str]
    """The short id of a memory."""
    changed: Callable[[Memory], Sequence[str]] = lambda memory: ()
    """Which of a memory's files hold something else than when it was captured."""
    recent: Callable[[Sequence[str]], Sequence[str]] = lambda files: ()
    """Which of these files were changed lately."""
    conflicts: Callable[[Sequence[str]], Sequence[Conflict]] = lambda ids: ()
    """The unresolved conflicts that touch these memories."""
    summaries: Callable[[], Sequence[Note]] = lambda: ()
    """How the last session went."""
    reranker: Reranker | None = None
