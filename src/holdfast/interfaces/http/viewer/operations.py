"""The operations of the viewer's pages: thin over the views of a service, for nobody else, and so in no document.

Also the timer that carries out what was forgotten with a window, when the window is over or the server stops.
A server that is killed leaves that to the next upkeep of the store.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

import holdfast
from holdfast.errors import UnknownId
from holdfast.interfaces.arguments import request_of, takes
from holdfast.interfaces.http import monitoring
from holdfast.interfaces.http.operations.arguments import (
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
)
from holdfast.interfaces.http.projects import Caller
from holdfast.model.actor import READ, WRITE
from holdfast.model.memory import Forgotten
from holdfast.model.requests import BriefRequest, Reach, SearchRequest
from holdfast.model.search import Filters
from holdfast.service.forget_window import WINDOW_MS, Leaving
from holdfast.service.service import Service
from holdfast.service.views.inbox_page import InboxPage, InboxRow
from holdfast.service.views.lines import MemoryLine
from holdfast.service.views.searching import SearchPage
from holdfast.service.views.session_page import TurnsPage, TurnsPlace
from holdfast.service.views.timeline import TimelinePage, TimelineRequest

EXCERPTS = 20
"""Excerpts that are shown of what a forget would take."""

EXCERPT_CHARS = 500
FORGET = "viewer_forget"

Json = dict[str, object]


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


def me_at(service: Service) -> Json:
    """Say whose memory it is, and what there is to choose from; what was to be forgotten by now is."""
    if not service.read_only():
        service.forget_window.carry_out()
    return {"version": holdfast.__version__, **fields_of(service.views.facts())}


def fields_of(value: Any) -> Json:
    """Return the fields of a value by name."""
    return {name: getattr(value, name) for name in value.__slots__}


def _today(service: Service, arguments: TodayQuery) -> Json:
    page = service.views.today(arguments.sessions)
    return {**fields_of(page), "inbox": {**fields_of(page.inbox), "total": page.inbox.total}}


def _timeline(service: Service, arguments: TimelineQuery) -> TimelinePage:
    filters = Filters(
        kinds=arguments.kind,
        statuses=arguments.status,
        trusts=arguments.trust,
        agents=arguments.agent,
        branches=arguments.branch,
        tags=arguments.tag,
        file=arguments.file,
        contains=arguments.contains,
        since=service.moment(arguments.since, "since"),
        until=service.moment(arguments.until, "until"),
    )
    request = TimelineRequest(
        what=arguments.what,
        filters=filters,
        history=arguments.history,
        scope=arguments.scope,
        cursor=arguments.cursor,
        limit=arguments.limit,
    )
    return service.views.timeline(request)


def _search(service: Service, arguments: SearchQuery) -> Json:
    page: SearchPage = service.views.search(request_of(SearchRequest, arguments))
    hits = [{**fields_of(row.hit), "short": row.short, "parts": row.parts} for row in page.hits]
    return {**fields_of(page), "hits": hits}


def _turns(service: Service, arguments: TurnsQuery) -> TurnsPage:
    place = TurnsPlace(after=arguments.after, before=arguments.before, around=arguments.around)
    return service.views.turns(arguments.id, place, arguments.limit)


def _inbox(service: Service, arguments: InboxQuery) -> Json:
    page: InboxPage = service.views.inbox(arguments.limit, arguments.sort, imported=arguments.imported)
    return {**fields_of(page), "items": list(map(_inbox_row, page.items))}


def _inbox_row(row: InboxRow) -> Json:
    sides = [{**fields_of(side.side), "cut": side.cut} for side in row.sides]
    return {**fields_of(row.item), "sides": sides}


def _forget(service: Service, arguments: ForgetQuery) -> Leaving:
    """Forget with a window, where a person asks who may take it back; else on the spot."""
    service.check_on()
    memory = service.peek(arguments.id)
    if memory is None:
        raise UnknownId(noun="memory", id=arguments.id, near=service.near_id(arguments.id))
    if service.views.for_person and not arguments.at_once:
        return service.forget_window.begin(memory.id)
    service.forget(memory.id)
    return Leaving(id=memory.id, title="", forgets_at=0, done=True)


def _would_forget(service: Service, arguments: ById) -> Json:
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


def _undo_forget(service: Service, arguments: ById) -> MemoryLine:
    service.check_on()
    memory = service.forget_window.undo(arguments.id)
    return service.views.memory(memory.id).line


def _page(name: str, route: str, act: Any, arguments: Any = Nothing, **options: Any) -> "Operation[Any]":
    settings = {"scope": READ, **options}
    return Operation(name=f"viewer_{name}", route=route, summary="", act=act, arguments=arguments, **settings)


VIEWER_OPERATIONS = {
    operation.name: operation
    for operation in (
        _page("today", "GET /today", _today, TodayQuery),
        _page("timeline", "GET /timeline", _timeline, TimelineQuery),
        _page(
            "search",
            "GET /search",
            _search,
            SearchQuery,
            renamed=(("q", "query"), ("kind", "kinds"), ("tag", "tags")),
        ),
        _page("memory", "GET /memories/{id}", lambda service, arguments: service.views.memory(arguments.id), ById),
        _page(
            "session", "GET /sessions/{id}", lambda service, arguments: service.views.session(arguments.id), ById
        ),
        _page(
            "turns",
            "GET /sessions/{id}/turns",
            _turns,
            TurnsQuery,
        ),
        _page("brief", "GET /briefs/{id}", lambda service, arguments: service.views.brief(arguments.id), ById),
        _page(
            "preview",
            "POST /preview",
            lambda service, arguments: service.views.preview(request_of(BriefRequest, arguments)),
            PreviewQuery,
        ),
        _page("health", "GET /health", lambda service, arguments: service.views.health()),
        _page("inbox", "GET /inbox", _inbox, InboxQuery),
        _page("would_forget", "GET /memories/{id}/forget", _would_forget, ById),
        _page("forget", "POST /memories/{id}/forget", _forget, ForgetQuery, scope=WRITE),
        _page("undo_forget", "POST /memories/{id}/forget/undo", _undo_forget, ById, scope=WRITE),
        _page("forgetting", "GET /forgetting", lambda service, arguments: service.forget_window.leaving()),
    )
}
"""Every operation of the viewer by its name."""


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
