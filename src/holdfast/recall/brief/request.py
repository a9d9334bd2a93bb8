"""What a brief is asked for, and what it is made from: the two values that its steps share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from holdfast.model.memory import Conflict, Memory
from holdfast.recall.brief.account import HEALTHY_LIMITS, Account, BriefLimits
from holdfast.recall.brief.fill import Page
from holdfast.recall.brief.notes import BriefNote
from holdfast.recall.brief.prompt import Prompt
from holdfast.recall.brief.weights import Scene

if TYPE_CHECKING:
    from holdfast.ports import Reranker, Store, Vector

LIMIT_MS = 200
"""How long candidates may be looked for; what was found by then is what there is."""


class Request(Struct, frozen=True):
    """What a brief is asked for."""

    prompt: Prompt | None
    """The prompt; None at the start of a session."""
    vector: Vector | None
    scene: Scene
    page: Page
    session: str | None = None
    """The session that asks: it knows what was said in it."""
    branch: str | None = None
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    bridge: Sequence[BriefNote] = ()
    told: frozenset[str] = frozenset()
    """The last eight digits of the ids of what the session was told already."""
    later: bool = False
    """Whether the session had a prompt before."""
    nudge: bool = False
    """Whether the agent is asked to note what lasts."""
    limits: BriefLimits = HEALTHY_LIMITS
    limit_ms: int = LIMIT_MS
    account: Account | None = None
    """Where it is noted what was left out, for who asks why."""


class BriefSources(Struct, frozen=True):
    """What a brief is made from."""

    stores: Sequence[Store]
    """The project's first, where sessions live; then the user's own."""
    short: Callable[[str], str]
    """The short id of a memory."""
    changed: Callable[[Memory], Sequence[str]] = lambda memory: ()
    """Which of a memory's files hold something else than when it was captured."""
    at_hand: Callable[[], Sequence[str]] = lambda: ()
    """The files that are being worked on, as git knows them; asked for only where they decide something."""
    widths: Callable[[Sequence[str]], Mapping[str, float]] = lambda ids: {}
    """How near memories come to what most sessions do."""
    conflicts: Callable[[Sequence[str]], Sequence[Conflict]] = lambda ids: ()
    """The unresolved conflicts that touch these memories."""
    summaries: Callable[[], Sequence[BriefNote]] = lambda: ()
    """How the last session went."""
    reranker: Reranker | None = None
