"""Operations and their arguments: requests as JSON has them, and the gaps of addresses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property
from inspect import get_annotations
from types import MappingProxyType
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args

from pydantic import ConfigDict, Field

from holdfast.interfaces.arguments import takes
from holdfast.model import kinds
from holdfast.model.inbox import SORTS
from holdfast.model.requests import (
    BriefRequest,
    Changes,
    Draft,
    ForgetRequest,
    Message,
    PruneRequest,
    Reach,
    SearchRequest,
)
from holdfast.service.service import Service

R = TypeVar("R")


class Arguments:
    """What an operation takes: a frozen value whose fields come from the path, the query or the body."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing(Arguments):
    """Nothing is needed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Operation(Generic[R]):
    """One operation, and what it returns."""

    name: str
    route: str
    """The method and the path, with a gap in braces for each argument that stands in it."""
    scope: str
    summary: str
    act: Callable[[Service, Any], R]
    arguments: Any
    """The type of what it takes: a kind of `Arguments`."""
    result: type[R] | None
    """The type of what it returns; None: nothing."""
    renamed: Mapping[str, str]
    """Arguments that have a short name in the query."""
    media_type: str

    @property
    def method(self) -> str:
        """How it is asked for."""
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        """Where it is asked for."""
        return self.route.partition(" ")[2]

    @property
    def in_body(self) -> bool:
        """Whether arguments come in the body; otherwise in the query."""
        return self.method in ("POST", "PATCH")

    @cached_property
    def in_path(self) -> tuple[str, ...]:
        """The names of the arguments that stand in the path."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @cached_property
    def shown(self) -> dict[str, str]:
        """The arguments outside the path: the name a caller writes, and ours."""
        names = (field.name for field in fields(self.arguments))
        return {self.renamed.get(name, name): name for name in names if name not in self.in_path}


def operation(
    route: str,
    scope: str,
    *,
    name: str = "",
    renamed: Mapping[str, str] = MappingProxyType({}),
    media_type: str = "application/json",
) -> Callable[[Callable[[Service, Any], R]], Operation[R]]:
    """Declare a function as an operation: its name, its docstring and its annotations say the rest."""

    def declare(act: Callable[[Service, Any], R]) -> Operation[R]:
        _, arguments, result = get_annotations(act).values()
        return Operation(
            name=name or act.__name__,
            route=route,
            scope=scope,
            summary=act.__doc__ or "",
            act=act,
            arguments=arguments,
            result=result,
            renamed=renamed,
            media_type=media_type,
        )

    return declare


Texts = tuple[str, ...]
Moment = int | str
Kind = Annotated[str, Field(json_schema_extra={"enum": list(kinds.KINDS)})]
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]
Where = Literal["project", "user"]
Limit = Annotated[int, Field(ge=1, le=100_000)]
Id = Annotated[str, Field(description="The id, whole or its last eight digits.")]
When = Annotated[
    Moment, Field(description="Epoch milliseconds, an ISO 8601 date or time, or a length such as 7d.")
]


def in_json(kind: Any, rules: Mapping[str, Any], optional: bool) -> Any:
    """Return a field's type with every rule that a schema can state."""
    return _with_rules(kind, rules) | None if optional else _with_rules(kind, rules)


def _with_rules(kind: Any, rules: Mapping[str, Any]) -> Any:
    if date in get_args(kind):
        return When
    if "one_of" in rules:
        return Literal[rules["one_of"]]
    if "known" in rules:
        return Kind if kind is str else tuple[Kind, ...]
    if "most" in rules:
        return Annotated[kind, Field(ge=rules["least"], le=rules["most"])]
    return Name if "name" in rules else kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ById(Arguments):
    """One entry."""

    id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount(Arguments):
    """How many."""

    limit: Limit = 50


@takes(in_json, Draft)
class Add(Arguments):
    """What to remember."""

    content: Annotated[str, Field(description="What to remember: at most 65,536 bytes.")]
    quote: Annotated[
        str | None,
        Field(description="The user's exact words it rests on; said in a running session, they make it theirs."),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMany(Arguments):
    """Many things to remember: all of them, or none."""

    items: Annotated[list[Add], Field(max_length=10_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GetMany(Arguments):
    """The memories to read."""

    ids: Annotated[tuple[str, ...], Field(max_length=1_000)]


@takes(in_json, Changes)
class Update(Arguments):
    """What to change in a memory; what is left out stays."""

    id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class Supersede(Arguments):
    """The memory that no longer holds, and the one that took its place."""

    id: Id
    new: Annotated[str, Field(description="The id of the memory that holds now.")]


@takes(in_json, Reach)
class Forget(ById):
    """What to retract, and how far that goes."""


@takes(in_json, ForgetRequest)
class ForgetWhere(Arguments):
    """What to retract: everything from a source, from a session, or that holds a text."""


@takes(in_json, SearchRequest, without=("scope",))
class Search(Arguments):
    """A question, and what a hit must be."""


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


@takes(in_json, BriefRequest, without=("session_ref", "told", "later"))
class Context(Arguments):
    """A brief as an agent asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolve(Arguments):
    """A conflict, and which side holds."""

    id: Id
    keep: Annotated[str, Field(description="The id of the memory that holds, or `both`.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxListing(Arguments):
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


@takes(in_json, Message)
class Record(Arguments):
    """One message of a session."""

    id: Id


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


@takes(in_json, SearchRequest, "query", "limit", "contains")
class Recall(Arguments):
    """A question, and how many answers."""

    limit = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun(Arguments):
    """Whether it is only tried."""

    dry_run: bool = False


@takes(in_json, PruneRequest)
class PruneWhere(Arguments):
    """What to delete: by age, by decayed importance, or by source."""


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
