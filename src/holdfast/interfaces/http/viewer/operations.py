"""What the viewer's pages ask for: thin over the views of a service, for nobody else, and so in no document."""

from typing import Any

import holdfast
from holdfast.errors import UnknownId
from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.http.operations.arguments import ById
from holdfast.interfaces.http.operations.operation import Nothing, Operation
from holdfast.interfaces.http.viewer import arguments as inputs
from holdfast.model.actor import READ, WRITE
from holdfast.model.memory import Forgotten
from holdfast.model.requests import BriefRequest, Reach, SearchRequest
from holdfast.model.search import Filters
from holdfast.service.forget_window import Leaving
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


def me_at(service: Service) -> Json:
    """Say whose memory it is, and what there is to choose from; what was to be forgotten by now is."""
    if not service.read_only():
        service.forget_window.carry_out()
    return {"version": holdfast.__version__, **fields_of(service.views.facts())}


def fields_of(value: Any) -> Json:
    """Return the fields of a value by name."""
    return {name: getattr(value, name) for name in value.__slots__}


def _today(service: Service, arguments: inputs.TodayQuery) -> Json:
    page = service.views.today(arguments.sessions)
    return {**fields_of(page), "inbox": {**fields_of(page.inbox), "total": page.inbox.total}}


def _timeline(service: Service, arguments: inputs.TimelineQuery) -> TimelinePage:
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


def _search(service: Service, arguments: inputs.SearchQuery) -> Json:
    page: SearchPage = service.views.search(request_of(SearchRequest, arguments))
    hits = [{**fields_of(row.hit), "short": row.short, "parts": row.parts} for row in page.hits]
    return {**fields_of(page), "hits": hits}


def _turns(service: Service, arguments: inputs.TurnsQuery) -> TurnsPage:
    place = TurnsPlace(after=arguments.after, before=arguments.before, around=arguments.around)
    return service.views.turns(arguments.id, place, arguments.limit)


def _inbox(service: Service, arguments: inputs.InboxQuery) -> Json:
    page: InboxPage = service.views.inbox(arguments.limit, arguments.sort, imported=arguments.imported)
    return {**fields_of(page), "items": list(map(_inbox_row, page.items))}


def _inbox_row(row: InboxRow) -> Json:
    sides = [{**fields_of(side.side), "cut": side.cut} for side in row.sides]
    return {**fields_of(row.item), "sides": sides}


def _forget(service: Service, arguments: inputs.ForgetQuery) -> Leaving:
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
        _page("today", "GET /today", _today, inputs.TodayQuery),
        _page("timeline", "GET /timeline", _timeline, inputs.TimelineQuery),
        _page(
            "search",
            "GET /search",
            _search,
            inputs.SearchQuery,
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
            inputs.TurnsQuery,
        ),
        _page("brief", "GET /briefs/{id}", lambda service, arguments: service.views.brief(arguments.id), ById),
        _page(
            "preview",
            "POST /preview",
            lambda service, arguments: service.views.preview(request_of(BriefRequest, arguments)),
            inputs.PreviewQuery,
        ),
        _page("health", "GET /health", lambda service, arguments: service.views.health()),
        _page("inbox", "GET /inbox", _inbox, inputs.InboxQuery),
        _page("would_forget", "GET /memories/{id}/forget", _would_forget, ById),
        _page("forget", "POST /memories/{id}/forget", _forget, inputs.ForgetQuery, scope=WRITE),
        _page("undo_forget", "POST /memories/{id}/forget/undo", _undo_forget, ById, scope=WRITE),
        _page("forgetting", "GET /forgetting", lambda service, arguments: service.forget_window.leaving()),
    )
}
"""Every operation of the viewer by its name."""
