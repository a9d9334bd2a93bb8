"""What operations take: types, defaults and what a caller needs to be told. Limits are the service's to check."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from holdfast.interfaces.http.operations.operation import Arguments
from holdfast.model import kinds
from holdfast.model.inbox import SORTS

Texts = tuple[str, ...]
Moment = int | str
Kind = Annotated[str, Field(json_schema_extra={"enum": list(kinds.KINDS)})]
Mode = Literal["hybrid", "keyword", "vector"]
Within = Literal["known", "memories", "turns", "tool", "sessions", "all"]
Status = Literal["candidate", "confirmed", "pinned"]
Trust = Literal["user", "agent", "tool", "imported"]
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]
Where = Literal["project", "user"]
Share = Annotated[float, Field(ge=0, le=1)]
Limit = Annotated[int, Field(ge=1, le=100_000)]
Id = Annotated[str, Field(description="The id, whole or its last eight digits.")]
When = Annotated[
    Moment, Field(description="Epoch milliseconds, an ISO 8601 date or time, or a length such as 7d.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ById(Arguments):
    """One entry."""

    id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited(Arguments):
    """How many."""

    limit: Limit = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Add(Arguments):
    """What to remember."""

    content: Annotated[str, Field(description="What to remember: at most 65,536 bytes.")]
    kind: Kind | None = None
    title: str | None = None
    context: str | None = None
    tags: Texts = ()
    files: Texts = ()
    importance: Share | None = None
    confidence: Share = 1.0
    source: Name = "manual"
    trust: Trust = "agent"
    scope: Where = "project"
    expires: When | None = None
    supersedes: str | None = None
    session: str | None = None
    metadata: dict[str, object] | None = None
    at: When | None = None
    quote: Annotated[
        str | None,
        Field(description="The user's exact words it rests on; said in a running session, they make it theirs."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMany(Arguments):
    """Many things to remember: all of them, or none."""

    items: Annotated[list[Add], Field(max_length=10_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GetMany(Arguments):
    """The memories to read."""

    ids: Annotated[tuple[str, ...], Field(max_length=1_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(Arguments):
    """What to change in a memory; what is left out stays."""

    id: Id
    content: str | None = None
    kind: Kind | None = None
    title: str | None = None
    context: str | None = None
    tags: Texts | None = None
    files: Texts | None = None
    importance: Share | None = None
    confidence: Share | None = None
    expires: When | None = None
    metadata: dict[str, object] | None = None
    trust: Trust = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Supersede(Arguments):
    """The memory that no longer holds, and the one that took its place."""

    id: Id
    new: Annotated[str, Field(description="The id of the memory that holds now.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget(ById):
    """What to retract, and how far that goes."""

    dry_run: bool = False
    """Only say what would go."""
    backups: bool = False
    """Also from the backups; for the scope admin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetWhere(Arguments):
    """What to retract: everything from a source, from a session, or that holds a text."""

    source: str | None = None
    session: str | None = None
    matching: str | None = None
    dry_run: bool = False
    """Only say what would go."""
    backups: bool = False
    """Also from the backups; alone: what was forgotten before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search(Arguments):
    """A question, and what a hit must be."""

    query: str
    limit: Annotated[int, Field(ge=1, le=1_000)] = 10
    mode: Mode = "hybrid"
    within: Within | None = None
    kinds: tuple[Kind, ...] = ()
    tags: Texts = ()
    file: str | None = None
    since: When | None = None
    until: When | None = None
    status: Status | None = None
    min_importance: Share | None = None
    contains: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline(Arguments):
    """A memory, and how many before and after it."""

    id: Id
    window: Annotated[int, Field(ge=0, le=100)] = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(Arguments):
    """Which memories to list."""

    limit: Limit = 50
    kind: Kind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context(Arguments):
    """A brief as an agent asks for it."""

    prompt: str | None = None
    budget: Annotated[int, Field(ge=0, le=200_000)] | None = None
    remaining: Annotated[int, Field(ge=0, le=100_000_000)] | None = None
    agent: str = "codex"
    files: Texts = ()
    bridge: Texts | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolve(Arguments):
    """A conflict, and which side holds."""

    id: Id
    keep: Annotated[str, Field(description="The id of the memory that holds, or `both`.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(Arguments):
    """What of the inbox to list."""

    limit: Limit = 50
    sort: Annotated[str, Field(description=f"Only these: {', '.join(SORTS)}.")] | None = None
    imported: Annotated[bool, Field(description="Also what was taken in from files, history and imports.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reword(Arguments):
    """Something that waits, and what it is to say."""

    id: Id
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(Arguments):
    """What to take back: what was decided last, unless an item is named."""

    id: Id | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartSession(Arguments):
    """The agent whose session begins."""

    agent: Name = "http"
    at: When | None = None
    ref: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Arguments):
    """One message of a session."""

    id: Id
    role: Name
    text: str
    at: When | None = None
    ref: Name | None = None
    tool: Name | None = None
    files: Texts = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAlias(Arguments):
    """A word, and what else it is called."""

    word: Name
    meanings: Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveAlias(Arguments):
    """A word, and which of its meanings go: all of them unless some are named."""

    word: Name
    meanings: Texts = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Accesses(Arguments):
    """How far back."""

    days: Annotated[int, Field(ge=1, le=36_500)] = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(Arguments):
    """A question, and how many answers."""

    query: str
    limit: Annotated[int, Field(ge=1, le=1_000)] = 5
    contains: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried(Arguments):
    """Whether it is only tried."""

    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneWhere(Arguments):
    """What to delete: by age, by decayed importance, or by source."""

    days: Annotated[int, Field(ge=0, le=36_500)] | None = None
    max_score: Share | None = None
    source: str | None = None
    mine: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindex(Arguments):
    """Whose vectors are made anew."""

    scope: Where = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Log(Arguments):
    """Which events of the log to show."""

    action: str | None = None
    actor: str | None = None
    since: When | None = None
    limit: Annotated[int, Field(ge=1, le=5_000)] = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Export(Arguments):
    """What to write down."""

    format: Literal["jsonl", "json", "csv", "markdown"] = "jsonl"
    scope: Where = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Import(Arguments):
    """An export, ours or another tool's, as text."""

    data: Annotated[str, Field(description="The text of the file.")]
    name: Annotated[str, Field(description="The file's name: its ending helps to tell the format.")] = (
        "import.jsonl"
    )
    format: str | None = None
    own: bool = False
    confirmed: bool = False
    dry_run: bool = False
