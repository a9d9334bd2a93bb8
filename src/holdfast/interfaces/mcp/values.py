"""The values of tools: what each takes and returns, with the text of a result. Their schemas are made from them.

Limits and vocabularies of arguments are the service's to check; here stand types, defaults and what a model
needs to be told. Ids of results are short ones. Measured with five clients: two show the model the structured
result, two the text, one shows both. So a text says what the result says, in as few words as it can.
"""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, Struct

from holdfast.interfaces.arguments import takes
from holdfast.model.kinds import KNOWN
from holdfast.model.requests import Changes, Draft, PruneRequest, SearchRequest

Action = Literal["edit", "pin", "unpin", "confirm", "supersede", "reinstate", "resolve"]


Texts = tuple[str, ...]
Id = Annotated[str, Meta(description="id, as a hit shows it")]
EDITABLE = ("content", "kind", "title", "context", "tags", "files", "importance", "expires")
"""What an agent may change in a memory."""


def in_few_words(kind: Any, rules: Mapping[str, Any], optional: bool) -> Any:
    """Return a field's type with what a model needs to be told: every agent pays for every word of it."""
    shape = str if date in get_args(kind) else Texts if kind == tuple[str, ...] else kind
    shape = Literal[rules["one_of"]] if "one_of" in rules else shape
    shape = shape | None if optional else shape
    if "known" in rules and kind is str:
        shape = Annotated[shape, Meta(extra_json_schema={"enum": list(rules["known"])})]
    return Annotated[shape, Meta(description=rules["hint"])] if rules.get("hint") else shape


@takes(in_few_words, SearchRequest, without=("scope",))
class SearchArguments:
    """A search: the question, and what a hit must be."""

    within = KNOWN


class TimelineArguments(Struct, frozen=True, kw_only=True):
    """A memory, and how much around it."""

    id: Id
    window: Annotated[int, Meta(description="how many before and after")] = 5


class GetArguments(Struct, frozen=True, kw_only=True):
    """The memories to read."""

    ids: Texts


@takes(
    in_few_words,
    Draft,
    *("content", "kind", "title", "quote", "context", "tags", "files", "importance", "confidence"),
    *("metadata", "expires", "supersedes", "scope"),
)
class AddArguments:
    """What to remember."""


@takes(in_few_words, SearchRequest, "query", "k", "contains")
class RecallArguments:
    """A question, and how many answers."""

    query: str
    k: int = 5
    contains: str | None


@takes(in_few_words, Changes, "id", "action", "by", "keep", *EDITABLE)
class UpdateArguments:
    """A memory, what to do to it, and what that takes."""

    id: Annotated[str, Meta(description="the memory; for resolve, the conflict")]
    action: Annotated[Action, Meta(description="edit: the fields given; reinstate: undo supersede")] = "edit"
    by: Annotated[str | None, Meta(description="supersede: the newer id")] = None
    keep: Annotated[str | None, Meta(description="resolve: id that holds, or both")] = None
    kind: str | None


class DeleteArguments(Struct, frozen=True, kw_only=True):
    """The memory to forget."""

    id: Id


@takes(in_few_words, PruneRequest, "days", "max_score", "source", "confirm")
class PruneArguments:
    """What counts as old, and whether to delete it."""

    days = 30
    confirm: bool = False


class StatsArguments(Struct, frozen=True, kw_only=True):
    """Nothing: everything is counted."""


class HitLine(Struct, frozen=True, kw_only=True):
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

    @property
    def text(self) -> str:
        """The text that an agent reads."""
        status_text = " candidate" if self.status == "candidate" else ""
        place = f", session {self.session}" if self.session else ""
        line = f"{self.id} {self.kind} {self.date} {self.score} {self.trust}{status_text}{place}: {self.title}"
        return f"{line}\n  {self.snippet}" if self.snippet else line


class SearchResult(Struct, frozen=True, kw_only=True):
    """Hits, best first."""

    hits: tuple[HitLine, ...]
    conflicts: tuple[str, ...] | None = None
    """What disagrees with a hit: the conflict's id, and what the two say."""

    @property
    def text(self) -> str:
        """One line a hit."""
        return "\n".join([*(hit.text for hit in self.hits), *(self.conflicts or ())]) or "Nothing found."


class TimelineLine(Struct, frozen=True, kw_only=True):
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

    @property
    def text(self) -> str:
        """The text that an agent reads."""
        mark = "> " if self.anchor else ""
        text = f"{mark}{self.id} {self.kind} {self.date} {self.trust}, {self.status}: {self.title}"
        return text if self.excerpt == self.title else f"{text}\n  {self.excerpt}"


class TimelineResult(Struct, frozen=True, kw_only=True):
    """Memories in the order of time."""

    entries: tuple[TimelineLine, ...]

    @property
    def text(self) -> str:
        """One line and an excerpt an entry."""
        return "\n".join(entry.text for entry in self.entries)


class FullMemory(Struct, frozen=True, kw_only=True):
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

    @property
    def text(self) -> str:
        """The text that an agent reads."""
        facts = [f"{self.id} {self.kind} {self.date}", f"trust {self.trust}", self.status, self.source]
        facts += [f"score {self.score}"] if self.score is not None else []
        facts += [f"importance {self.importance}"]
        facts += [f"tags {' '.join(self.tags)}"] if self.tags else []
        facts += [f"files {' '.join(self.files)}"] if self.files else []
        facts += [f"branch {self.branch}"] if self.branch else []
        facts += [f"expires {self.expires}"] if self.expires else []
        facts += [f"SUPERSEDED by {self.superseded_by}"] if self.superseded_by else []
        parts = [", ".join(facts)]
        if not self.content.startswith(self.title.removesuffix("…")):
            parts.append(self.title)
        parts.append(self.content)
        if self.context:
            parts.append(f"Context: {self.context}")
        return "\n".join(parts)


class MemoriesResult(Struct, frozen=True, kw_only=True):
    """Memories in full, what else has one of the ids, and the ids that nothing has."""

    memories: tuple[FullMemory, ...]
    quotes: tuple[str, ...] | None = None
    conflicts: tuple[str, ...] | None = None
    unknown: tuple[str, ...] | None = None

    @property
    def text(self) -> str:
        """Every memory with what is known of it."""
        unknown = [f"Nothing has the id {memory_id}." for memory_id in self.unknown or ()]
        blocks = [*(memory.text for memory in self.memories), *(self.quotes or ())]
        return "\n\n".join([*blocks, *(self.conflicts or ()), *unknown]) or "Nothing found."


class AddResult(Struct, frozen=True, kw_only=True):
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

    @property
    def text(self) -> str:
        """What became of it."""
        if self.rejected:
            return f"Not remembered: {self.rejected}."
        sentences = [f"{'Remembered as' if self.created else 'Known already as'} {self.id}."]
        if self.quote:
            sentences.append(f"Quote {self.quote}.")
        if self.conflicts:
            sentences += ["Tell the user:", *self.conflicts]
        if self.similar_to:
            sentences.insert(1, f"Similar: {', '.join(self.similar_to)}.")
        if self.proposal:
            sentences.append(_waits(self.proposal, "That it replaces what is the user's"))
        return " ".join(sentences)


class UpdateResult(Struct, frozen=True, kw_only=True):
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

    @property
    def text(self) -> str:
        """How it stands now."""
        if self.proposal:
            return f"Not changed: {self.why}. {_waits(self.proposal)}"
        if self.superseded_by:
            return f"{self.id} is history; {self.superseded_by} took its place."
        if self.kept:
            return f"Resolved {self.id}: kept {self.kept}."
        return f"{self.id} {self.status}, trust {self.trust}: {self.title}"


class DeleteResult(Struct, frozen=True, kw_only=True):
    """What was forgotten."""

    ids: tuple[str, ...]
    account: str
    """How much went, from the talk too, and how many backups still hold it."""
    pending: bool
    """Whether the last bytes wait for another process to stop reading."""
    proposal: str | None = None
    """Under which id this waits for the user: nothing was deleted."""
    why: str | None = None

    @property
    def text(self) -> str:
        """What was forgotten."""
        if self.proposal:
            return f"Not deleted: {self.why}. {_waits(self.proposal)}"
        waits = " Its last bytes go when another process stops reading." if self.pending else ""
        return f"Forgotten: {', '.join(self.ids)} ({self.account}).{waits}"


class PruneResult(Struct, frozen=True, kw_only=True):
    """What was deleted, or would be."""

    deleted: bool
    count: int
    ids: tuple[str, ...]

    @property
    def text(self) -> str:
        """What went, or would."""
        if not self.count:
            return "Nothing to prune."
        ids = f"{', '.join(self.ids)}"
        more = "" if len(self.ids) == self.count else ", …"
        if self.deleted:
            return f"Deleted {self.count}: {ids}{more}."
        return f"{self.count} would go: {ids}{more}. Nothing was deleted; confirm=true deletes them."


class StatsResult(Struct, frozen=True, kw_only=True):
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

    @property
    def text(self) -> str:
        """The counts on a few lines."""
        lines = [
            f"{self.project}: {self.memories} memories ({_group_text(self.by_kind)}), "
            f"{self.superseded} superseded, {self.expired} expired, {self.faded} faded, "
            f"{self.conflicts} conflicts, {self.user_memories} of the user's own.",
            f"Status: {_group_text(self.by_status)}. Trust: {_group_text(self.by_trust)}. Reads: {self.reads}.",
            f"{self.sessions} sessions, {self.turns} turns, {self.bytes} bytes, vectors by "
            f"{self.model or 'nothing'}, {self.waiting} waiting.",
        ]
        return "\n".join([*lines, *self.problems])


def _waits(proposal: str, subject: str = "It") -> str:
    return f"{subject} waits for the user as proposal {proposal}; they accept or drop it with `holdfast review`."


def _group_text(groups: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in groups.items()) or "none"
