"""What each tool returns: one frozen value a tool, from which its output schema is made. Ids are short ones."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HitLine:
    """One search result: enough to decide whether to read the rest."""

    id: str
    title: str
    kind: str
    score: float
    date: str
    trust: str
    source: str
    status: str | None = None
    session: str | None = None
    """Of a turn: where it was said."""
    snippet: str | None = None
    """Where the title does not show it: its file, and some of it with the words of the question between `**`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Hits, best first."""

    hits: tuple[HitLine, ...]
    conflicts: tuple[str, ...] | None = None
    """What disagrees with a hit: the conflict's id, and what the two say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineLine:
    """A memory in its place in time."""

    id: str
    title: str
    kind: str
    date: str
    trust: str
    status: str
    excerpt: str
    anchor: bool | None = None
    """True for the memory that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineResult:
    """Memories in the order of time."""

    entries: tuple[TimelineLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FullMemory:
    """A memory in full."""

    id: str
    kind: str
    title: str
    content: str
    date: str
    trust: str
    status: str
    source: str
    importance: float
    score: float | None = None
    context: str | None = None
    tags: tuple[str, ...] | None = None
    files: tuple[str, ...] | None = None
    branch: str | None = None
    expires: str | None = None
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoriesResult:
    """Memories in full, what else has one of the ids, and the ids that nothing has."""

    memories: tuple[FullMemory, ...]
    quotes: tuple[str, ...] | None = None
    conflicts: tuple[str, ...] | None = None
    unknown: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddResult:
    """What became of what was to be remembered."""

    id: str | None = None
    created: bool
    duplicate: bool
    rejected: str | None = None
    conflicts: tuple[str, ...] | None = None
    similar_to: tuple[str, ...] | None = None
    proposal: str | None = None
    """What waits for the user: that it takes the place of something that is theirs."""
    quote: str | None = None
    """What became of its quote: whether it made this the user's word, and else why not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateResult:
    """How a memory, or a conflict, stands now."""

    id: str
    title: str | None = None
    kind: str | None = None
    status: str | None = None
    trust: str | None = None
    superseded_by: str | None = None
    kept: str | None = None
    proposal: str | None = None
    """Under which id this waits for the user: nothing was changed."""
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteResult:
    """What was forgotten."""

    ids: tuple[str, ...]
    account: str
    """How much went, from the talk too, and how many backups still hold it."""
    pending: bool
    """Whether the last bytes wait for another process to stop reading."""
    proposal: str | None = None
    """Under which id this waits for the user: nothing was deleted."""
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneResult:
    """What was deleted, or would be."""

    deleted: bool
    count: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsResult:
    """Counts, and how memory is doing."""

    project: str
    memories: int
    superseded: int
    expired: int
    faded: int
    conflicts: int
    by_kind: Mapping[str, int]
    by_status: Mapping[str, int]
    by_trust: Mapping[str, int]
    user_memories: int
    sessions: int
    turns: int
    reads: int
    bytes: int
    model: str | None = None
    waiting: int
    """What has no vector yet and is found by its words only."""
    problems: tuple[str, ...]
