"""Operations and their arguments: requests as JSON has them, and the gaps of addresses."""

from collections.abc import Callable, Mapping
from datetime import date
from functools import cached_property
from inspect import get_annotations
from types import MappingProxyType
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args

from msgspec import Meta, Struct

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


class Arguments(Struct, frozen=True, forbid_unknown_fields=True):
    """What an operation takes: a frozen value whose fields come from the path, the query or the body."""


class Nothing(Arguments, frozen=True, kw_only=True):
    """Nothing is needed."""


class Operation(Struct, Generic[R], frozen=True, kw_only=True, eq=False, dict=True):
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
        names = self.arguments.__struct_fields__
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
Kind = Annotated[str, Meta(extra_json_schema={"enum": list(kinds.KINDS)})]
Name = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
Where = Literal["project", "user"]
Limit = Annotated[int, Meta(ge=1, le=100_000)]
Id = Annotated[str, Meta(description="The id, whole or its last eight digits.")]
When = Annotated[Moment, Meta(description="Epoch milliseconds, an ISO 8601 date or time, or a length such as 7d.")]


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
        return Annotated[kind, Meta(ge=rules["least"], le=rules["most"])]
    return Name if "name" in rules else kind


class ById(Arguments, frozen=True, kw_only=True):
    """One entry."""

    id: Id


class Amount(Arguments, frozen=True, kw_only=True):
    """How many."""

    limit: Limit = 50


@takes(in_json, Draft)
class Add(Arguments, frozen=True, kw_only=True):
    """What to remember."""

    content: Annotated[str, Meta(description="What to remember: at most 65,536 bytes.")]
    quote: Annotated[
        str | None,
        Meta(description="The user's exact words it rests on; said in a running session, they make it theirs."),
    ]


class AddMany(Arguments, frozen=True, kw_only=True):
    """Many things to remember: all of them, or none."""

    items: Annotated[list[Add], Meta(max_length=10_000)]


class GetMany(Arguments, frozen=True, kw_only=True):
    """The memories to read."""

    ids: Annotated[tuple[str, ...], Meta(max_length=1_000)]


@takes(in_json, Changes)
class Update(Arguments, frozen=True, kw_only=True):
    """What to change in a memory; what is left out stays."""

    id: Id


class Supersede(Arguments, frozen=True, kw_only=True):
    """The memory that no longer holds, and the one that took its place."""

    id: Id
    new: Annotated[str, Meta(description="The id of the memory that holds now.")]


@takes(in_json, Reach)
class Forget(ById, frozen=True, kw_only=True):
    """What to retract, and how far that goes."""


@takes(in_json, ForgetRequest)
class ForgetWhere(Arguments, frozen=True, kw_only=True):
    """What to retract: everything from a source, from a session, or that holds a text."""


@takes(in_json, SearchRequest, without=("scope",))
class Search(Arguments, frozen=True, kw_only=True):
    """A question, and what a hit must be."""


class Timeline(Arguments, frozen=True, kw_only=True):
    """A memory, and how many before and after it."""

    id: Id
    window: Annotated[int, Meta(ge=0, le=100)] = 5


class Listing(Arguments, frozen=True, kw_only=True):
    """Which memories to list."""

    limit: Limit = 50
    kind: Kind | None = None


@takes(in_json, BriefRequest, without=("session_ref", "told", "later"))
class Context(Arguments, frozen=True, kw_only=True):
    """A brief as an agent asks for it."""


class Resolve(Arguments, frozen=True, kw_only=True):
    """A conflict, and which side holds."""

    id: Id
    keep: Annotated[str, Meta(description="The id of the memory that holds, or `both`.")]


class InboxListing(Arguments, frozen=True, kw_only=True):
    """What of the inbox to list."""

    limit: Limit = 50
    sort: Annotated[str, Meta(description=f"Only these: {', '.join(SORTS)}.")] | None = None
    imported: Annotated[bool, Meta(description="Also what was taken in from files, history and imports.")] = False


class Reword(Arguments, frozen=True, kw_only=True):
    """Something that waits, and what it is to say."""

    id: Id
    content: str


class Undo(Arguments, frozen=True, kw_only=True):
    """What to take back: what was decided last, unless an item is named."""

    id: Id | None = None


class StartSession(Arguments, frozen=True, kw_only=True):
    """The agent whose session begins."""

    agent: Name = "http"
    at: When | None = None
    ref: Name | None = None


@takes(in_json, Message)
class Record(Arguments, frozen=True, kw_only=True):
    """One message of a session."""

    id: Id


class AddAlias(Arguments, frozen=True, kw_only=True):
    """A word, and what else it is called."""

    word: Name
    meanings: Texts


class RemoveAlias(Arguments, frozen=True, kw_only=True):
    """A word, and which of its meanings go: all of them unless some are named."""

    word: Name
    meanings: Texts = ()


class Accesses(Arguments, frozen=True, kw_only=True):
    """How far back."""

    days: Annotated[int, Meta(ge=1, le=36_500)] = 30


@takes(in_json, SearchRequest, "query", "limit", "contains")
class Recall(Arguments, frozen=True, kw_only=True):
    """A question, and how many answers."""

    limit = 5


class DryRun(Arguments, frozen=True, kw_only=True):
    """Whether it is only tried."""

    dry_run: bool = False


@takes(in_json, PruneRequest)
class PruneWhere(Arguments, frozen=True, kw_only=True):
    """What to delete: by age, by decayed importance, or by source."""


class Reindex(Arguments, frozen=True, kw_only=True):
    """Whose vectors are made anew."""

    scope: Where = "project"


class Log(Arguments, frozen=True, kw_only=True):
    """Which events of the log to show."""

    action: str | None = None
    actor: str | None = None
    since: When | None = None
    limit: Annotated[int, Meta(ge=1, le=5_000)] = 50


class Export(Arguments, frozen=True, kw_only=True):
    """What to write down."""

    format: Literal["jsonl", "json", "csv", "markdown"] = "jsonl"
    scope: Where = "project"


class Import(Arguments, frozen=True, kw_only=True):
    """An export, ours or another tool's, as text."""

    data: Annotated[str, Meta(description="The text of the file.")]
    name: Annotated[str, Meta(description="The file's name: its ending helps to tell the format.")] = (
        "import.jsonl"
    )
    format: str | None = None
    own: bool = False
    confirmed: bool = False
    dry_run: bool = False
