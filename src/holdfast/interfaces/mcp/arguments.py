"""What each tool takes: one frozen value a tool, from which its input schema is made.

Limits and vocabularies are the service's to check; here stand types, defaults and what a model needs to be told.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from holdfast.interfaces.arguments import takes
from holdfast.model.kinds import KNOWN
from holdfast.model.requests import Changes, Draft, PruneRequest, SearchRequest

Action = Literal["edit", "pin", "unpin", "confirm", "supersede", "reinstate", "resolve"]


def _as_list(value: object) -> object:
    """Take one text for a list of one; some agents send a list as JSON inside a string, or without brackets."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return [value]


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_list)]
Id = Annotated[str, Field(description="id, as a hit shows it")]
EDITABLE = ("content", "kind", "title", "context", "tags", "files", "importance", "expires")
"""What an agent may change in a memory."""


def in_few_words(kind: Any, rules: Mapping[str, Any], optional: bool) -> Any:
    """Return a field's type with what a model needs to be told: every agent pays for every word of it."""
    shape = str if date in get_args(kind) else Texts if kind == tuple[str, ...] else kind
    shape = Literal[rules["one_of"]] if "one_of" in rules else shape
    shape = shape | None if optional else shape
    if "known" in rules and kind is str:
        shape = Annotated[shape, Field(json_schema_extra={"enum": list(rules["known"])})]
    return Annotated[shape, Field(description=rules["hint"])] if rules.get("hint") else shape


@takes(in_few_words, SearchRequest, without=("scope",))
class SearchArguments:
    """A search: the question, and what a hit must be."""

    within = KNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineArguments:
    """A memory, and how much around it."""

    id: Id
    window: Annotated[int, Field(description="how many before and after")] = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class GetArguments:
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

    id: Annotated[str, Field(description="the memory; for resolve, the conflict")]
    action: Annotated[Action, Field(description="edit: the fields given; reinstate: undo supersede")] = "edit"
    by: Annotated[str | None, Field(description="supersede: the newer id")] = None
    keep: Annotated[str | None, Field(description="resolve: id that holds, or both")] = None
    kind: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteArguments:
    """The memory to forget."""

    id: Id


@takes(in_few_words, PruneRequest, "days", "max_score", "source", "confirm")
class PruneArguments:
    """What counts as old, and whether to delete it."""

    days = 30
    confirm: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsArguments:
    """Nothing: everything is counted."""
