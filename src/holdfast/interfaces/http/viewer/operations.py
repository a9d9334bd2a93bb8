"""The operations of the viewer's pages: thin over the views of a service, for nobody else, and so in no document.

Also the timer that carries out what was forgotten with a window, when the window is over or the server stops.
A server that is killed leaves that to the next upkeep of the store.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta

import holdfast
from holdfast.errors import UnknownId
from holdfast.interfaces.arguments import takes
from holdfast.interfaces.http import monitoring
from holdfast.interfaces.http.arguments import (
    Arguments,
    ById,
    Id,
    Kind,
    Nothing,
    Operation,
    Texts,
    When,
    Where,
    in_json,
    operation,
)
from holdfast.interfaces.http.projects import Caller
from holdfast.model.actor import READ, WRITE
from holdfast.model.memory import Forgotten
from holdfast.model.plain import filled
from holdfast.model.requests import BriefRequest, Reach, SearchRequest
from holdfast.model.search import Filters
from holdfast.service.forget import WINDOW_MS, Leaving
from holdfast.service.service import Service
from holdfast.service.views.explained import SearchPage
from holdfast.service.views.lines import MemoryLine
from holdfast.service.views.session import TurnsPage, TurnsPlace
from holdfast.service.views.timeline import TimelinePage, TimelineRequest
from holdfast.service.views.today import InboxPage, InboxRow

EXCERPTS = 20
"""Excerpts that are shown of what a forget would take."""

EXCERPT_CHARS = 500
Json = dict[str, object]
R = TypeVar("R")


class TodayQuery(Arguments, frozen=True, kw_only=True):
    """How many sessions."""

    sessions: Annotated[int, Meta(ge=1, le=50)] = 12


class TimelineQuery(Arguments, frozen=True, kw_only=True):
    """What of the past to list."""

    what: Literal["all", "memories", "sessions"] = "all"
    kinds: tuple[Kind, ...] = ()
    statuses: Texts = ()
    trusts: Texts = ()
    agents: Texts = ()
    branches: Texts = ()
    tags: Texts = ()
    file: str | None = None
    contains: str | None = None
    since: When | None = None
    until: When | None = None
    history: bool = False
    scope: Where | None = None
    cursor: Annotated[str, Meta(max_length=1_000)] | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


@takes(in_json, SearchRequest, without=("scope",))
class SearchQuery(Arguments, frozen=True, kw_only=True):
    """A question, and what a hit must be."""

    limit = 20


@takes(in_json, BriefRequest, "prompt", "budget", "remaining", "agent", "files", "session")
class PreviewQuery(Arguments, frozen=True, kw_only=True):
    """A brief as an agent would ask for it."""


class TurnsQuery(Arguments, frozen=True, kw_only=True):
    """A session, and from where on."""

    id: Id
    after: str | None = None
    before: str | None = None
    around: str | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 100


class InboxQuery(Arguments, frozen=True, kw_only=True):
    """What of the inbox to show."""

    sort: Literal["conflict", "proposal", "candidate"] | None = None
    imported: bool = False
    limit: Annotated[int, Meta(ge=1, le=50)] = 20


class ForgetQuery(Arguments, frozen=True, kw_only=True):
    """What to forget, and whether that can be taken back for a moment."""

    id: Id
    at_once: bool = False


def me_at(service: Service) -> Json:
    """Say whose memory it is, and what there is to choose from; what was to be forgotten by now is."""
    if not service.read_only():
        service.forget_window.carry_out()
    return {"version": holdfast.__version__, **fields_of(service.views.facts())}


def fields_of(value: Any) -> Json:
    """Return the fields of a value by name."""
    return {name: getattr(value, name) for name in value.__struct_fields__}


def page(route: str, scope: str = READ, **renamed: str) -> Callable[[Callable[[Service, Any], R]], Operation[R]]:
    """Declare a function as an operation of the viewer."""

    def declare(act: Callable[[Service, Any], R]) -> Operation[R]:
        return operation(route, scope, name=f"viewer_{act.__name__}", renamed=renamed)(act)

    return declare


@page("GET /today")
def today(service: Service, arguments: TodayQuery) -> Json:
    view = service.views.today(arguments.sessions)
    return {**fields_of(view), "inbox": {**fields_of(view.inbox), "total": view.inbox.total}}


@page(
    "GET /timeline",
    kinds="kind",
    statuses="status",
    trusts="trust",
    agents="agent",
    branches="branch",
    tags="tag",
)
def timeline(service: Service, arguments: TimelineQuery) -> TimelinePage:
    since, until = service.moment(arguments.since, "since"), service.moment(arguments.until, "until")
    filters = filled(Filters, arguments, since=since, until=until)
    return service.views.timeline(filled(TimelineRequest, arguments, filters=filters))


@page("GET /search", query="q", kinds="kind", tags="tag")
def search(service: Service, arguments: SearchQuery) -> Json:
    found: SearchPage = service.views.search(filled(SearchRequest, arguments))
    hits = [{**fields_of(row.hit), "short": row.short, "parts": row.parts} for row in found.hits]
    return {**fields_of(found), "hits": hits}


@page("GET /memories/{id}")
def memory(service: Service, arguments: ById) -> object:
    return service.views.memory(arguments.id)


@page("GET /sessions/{id}")
def session(service: Service, arguments: ById) -> object:
    return service.views.session(arguments.id)


@page("GET /sessions/{id}/turns")
def turns(service: Service, arguments: TurnsQuery) -> TurnsPage:
    place = TurnsPlace(after=arguments.after, before=arguments.before, around=arguments.around)
    return service.views.turns(arguments.id, place, arguments.limit)


@page("GET /briefs/{id}")
def brief(service: Service, arguments: ById) -> object:
    return service.views.brief(arguments.id)


@page("POST /preview")
def preview(service: Service, arguments: PreviewQuery) -> object:
    return service.views.preview(filled(BriefRequest, arguments))


@page("GET /health")
def health(service: Service, _: Nothing) -> object:
    return service.views.health()


@page("GET /inbox")
def inbox(service: Service, arguments: InboxQuery) -> Json:
    view: InboxPage = service.views.inbox(arguments.limit, arguments.sort, imported=arguments.imported)
    return {**fields_of(view), "items": list(map(_inbox_row, view.items))}


def _inbox_row(row: InboxRow) -> Json:
    sides = [{**fields_of(side.side), "cut": side.cut} for side in row.sides]
    return {**fields_of(row.item), "sides": sides}


@page("POST /memories/{id}/forget", WRITE)
def forget(service: Service, arguments: ForgetQuery) -> Leaving:
    """Forget with a window, where a person asks who may take it back; else on the spot."""
    service.check_on()
    memory = service.peek(arguments.id)
    if memory is None:
        raise UnknownId(noun="memory", id=arguments.id, near=service.near_id(arguments.id))
    if service.views.for_person and not arguments.at_once:
        return service.forget_window.begin(memory.id)
    service.forget(memory.id)
    return Leaving(id=memory.id, title="", forgets_at=0, done=True)


@page("GET /memories/{id}/forget")
def would_forget(service: Service, arguments: ById) -> Json:
    outcome: Forgotten = service.forget(arguments.id, Reach(dry_run=True))
    excerpts = [
        {**fields_of(excerpt), "text": excerpt.text[:EXCERPT_CHARS]} for excerpt in outcome.excerpts[:EXCERPTS]
    ]
    return {
        "memories": len(outcome.ids),
        "sentences": outcome.sentences,
        "sessions": outcome.sessions,
        "similar": outcome.similar,
        "excerpts": excerpts,
        "account": outcome.account,
        "backups": len(outcome.backups),
    }


@page("POST /memories/{id}/forget/undo", WRITE)
def undo_forget(service: Service, arguments: ById) -> MemoryLine:
    service.check_on()
    memory = service.forget_window.undo(arguments.id)
    return service.views.memory(memory.id).line


@page("GET /forgetting")
def forgetting(service: Service, _: Nothing) -> Sequence[Leaving]:
    return service.forget_window.leaving()


Key = tuple[str, str | None, str]

RETRY_S = 5.0
"""How soon what could not be forgotten, as while hooks write, is tried again."""

SPARE_S = 0.05
"""How much later than the end of the window: a timer may wake a little early."""


class ForgetTimer:
    """What waits to be forgotten in one worker, by whose memory it is in."""

    def __init__(self, carry_out: Callable[[Caller, bool], Awaitable[int]]) -> None:
        self._carry_out = carry_out
        self._waiting: dict[Key, tuple[Caller, set[asyncio.Task[None]]]] = {}

    def start(self, caller: Caller) -> None:
        """Let what was just asked to be forgotten go when its window is over."""
        key = (caller.token.tenant, caller.project, caller.token.name)
        _, tasks = self._waiting.setdefault(key, (caller, set()))
        task = asyncio.create_task(self._after_window(caller))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def end(self) -> None:
        """Forget now what is still on its way: nobody can take it back from here any more."""
        for caller, tasks in self._waiting.values():
            if tasks:
                for task in tuple(tasks):
                    task.cancel()
                await self._forget(caller, everything=True)

    async def _after_window(self, caller: Caller) -> None:
        await asyncio.sleep(WINDOW_MS / 1000 + SPARE_S)
        while not await self._forget(caller, everything=False):
            await asyncio.sleep(RETRY_S)

    async def _forget(self, caller: Caller, *, everything: bool) -> bool:
        """Say whether nothing is left that is due."""
        try:
            return not await self._carry_out(caller, everything)
        except Exception as error:  # whatever it was, it is tried again, here or by who looks after the store next
            monitoring.note("forget", error=type(error).__name__)
            return False
