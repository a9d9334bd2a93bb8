"""What the viewer's pages ask with: the fields of a request, and what stands in an address."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from holdfast.interfaces.arguments import takes
from holdfast.interfaces.http.operations.arguments import Id, Kind, Texts, When, Where, in_json
from holdfast.interfaces.http.operations.operation import Arguments
from holdfast.model.requests import BriefRequest, SearchRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class TodayQuery(Arguments):
    """How many sessions."""

    sessions: Annotated[int, Field(ge=1, le=50)] = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineQuery(Arguments):
    """What of the past to list."""

    what: Literal["all", "memories", "sessions"] = "all"
    kind: tuple[Kind, ...] = ()
    status: Texts = ()
    trust: Texts = ()
    agent: Texts = ()
    branch: Texts = ()
    tag: Texts = ()
    file: str | None = None
    contains: str | None = None
    since: When | None = None
    until: When | None = None
    history: bool = False
    scope: Where | None = None
    cursor: Annotated[str, Field(max_length=1_000)] | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


@takes(in_json, SearchRequest, without=("scope",))
class SearchQuery(Arguments):
    """A question, and what a hit must be."""

    limit = 20


@takes(in_json, BriefRequest, "prompt", "budget", "remaining", "agent", "files", "session")
class PreviewQuery(Arguments):
    """A brief as an agent would ask for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsQuery(Arguments):
    """A session, and from where on."""

    id: Id
    after: str | None = None
    before: str | None = None
    around: str | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxQuery(Arguments):
    """What of the inbox to show."""

    sort: Literal["conflict", "proposal", "candidate"] | None = None
    imported: bool = False
    limit: Annotated[int, Field(ge=1, le=50)] = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetQuery(Arguments):
    """What to forget, and whether that can be taken back for a moment."""

    id: Id
    at_once: bool = False
