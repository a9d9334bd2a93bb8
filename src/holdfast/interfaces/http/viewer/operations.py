"""What the viewer's pages ask for: thin over the views of a service, for nobody else, and so in no document."""

from typing import Any

import holdfast
from holdfast.errors import UnknownId
from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.http.operations.arguments import ById
from holdfast.interfaces.http.operations.operation import Nothing, Operation
from holdfast.interfaces.http.viewer import arguments as given
from holdfast.model.actor import READ, WRITE
from holdfast.model.memory import Forgotten
from holdfast.model.requests import BriefRequest, Reach, SearchRequest
from holdfast.model.search import Filters
from holdfast.service.forget_window import Leaving
from holdfast.service.service import Service
from holdfast.service.views.inbox_page import InboxPage, InboxRow
from holdfast.service.views.lines import MemoryLine
from holdfast.service.views.searching import SearchPage
from holdfast.service.views.session_page import TurnsPlace
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


def _today(service: Service, wish: given.Lately) -> Json:
    page = service.views.today(wish.sessions)
    return {**fields_of(page), "inbox": {**fields_of(page.inbox), "total": page.inbox.total}}


def _timeline(service: Service, wish: given.TimelineWish) -> TimelinePage:
    filters = Filters(
        kinds=wish.kind,
        statuses=wish.status,
        trusts=wish.trust,
        agents=wish.agent,
        branches=wish.branch,
        tags=wish.tag,
        file=wish.file,
        contains=wish.contains,
        since=service.moment(wish.since, "since"),
        until=service.moment(wish.until, "until"),
    )
    request = TimelineRequest(
        what=wish.what,
        filters=filters,
        history=wish.history,
        scope=wish.scope,
        cursor=wish.cursor,
        limit=wish.limit,
    )
    return service.views.timeline(request)


def _search(service: Service, wish: given.SearchWish) -> Json:
    page: SearchPage = service.views.search(request_of(SearchRequest, wish))
    hits = [{**fields_of(row.hit), "short": row.short, "parts": row.parts} for row in page.hits]
    return {**fields_of(page), "hits": hits}


def _inbox(service: Service, wish: given.InboxWish) -> Json:
    page: InboxPage = service.views.inbox(wish.limit, wish.sort, imported=wish.imported)
    return {**fields_of(page), "items": list(map(_inbox_row, page.items))}


def _inbox_row(row: InboxRow) -> Json:
    sides = [{**fields_of(side.side), "cut": side.cut} for side in row.sides]
    return {**fields_of(row.item), "sides": sides}


def _forget(service: Service, wish: given.ForgetWish) -> Leaving:
    """Forget with a window, where a person asks who may take it back; else on the spot."""
    service.check_on()
    memory = service.peek(wish.id)
    if memory is None:
        raise UnknownId(noun="memory", id=wish.id, near=service.near_id(wish.id))
    if service.views.for_person and not wish.at_once:
        return service.forget_window.begin(memory.id)
    service.forget(memory.id)
    return Leaving(id=memory.id, title="", forgets_at=0, done=True)


def _would_forget(service: Service, wish: ById) -> Json:
    outcome: Forgotten = service.forget(wish.id, Reach(dry_run=True))
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


def _undo_forget(service: Service, wish: ById) -> MemoryLine:
    service.check_on()
    memory = service.forget_window.undo(wish.id)
    return service.views.memory(memory.id).line


def _page(name: str, route: str, act: Any, arguments: Any = Nothing, **options: Any) -> "Operation[Any]":
    settings = {"scope": READ, **options}
    return Operation(name=f"viewer_{name}", route=route, summary="", act=act, arguments=arguments, **settings)


VIEWER_OPERATIONS = {
    operation.name: operation
    for operation in (
        _page("today", "GET /today", _today, given.Lately),
        _page("timeline", "GET /timeline", _timeline, given.TimelineWish),
        _page(
            "search",
            "GET /search",
            _search,
            given.SearchWish,
            renamed=(("q", "query"), ("kind", "kinds"), ("tag", "tags")),
        ),
        _page("memory", "GET /memories/{id}", lambda service, wish: service.views.memory(wish.id), ById),
        _page("session", "GET /sessions/{id}", lambda service, wish: service.views.session(wish.id), ById),
        _page(
            "turns",
            "GET /sessions/{id}/turns",
            lambda service, wish: service.views.turns(
                wish.id, TurnsPlace(after=wish.after, before=wish.before, around=wish.around), wish.limit
            ),
            given.TurnsWish,
        ),
        _page("brief", "GET /briefs/{id}", lambda service, wish: service.views.brief(wish.id), ById),
        _page(
            "preview",
            "POST /preview",
            lambda service, wish: service.views.preview(request_of(BriefRequest, wish)),
            given.PreviewWish,
        ),
        _page("health", "GET /health", lambda service, wish: service.views.health()),
        _page("inbox", "GET /inbox", _inbox, given.InboxWish),
        _page("would_forget", "GET /memories/{id}/forget", _would_forget, ById),
        _page("forget", "POST /memories/{id}/forget", _forget, given.ForgetWish, scope=WRITE),
        _page("undo_forget", "POST /memories/{id}/forget/undo", _undo_forget, ById, scope=WRITE),
        _page("forgetting", "GET /forgetting", lambda service, wish: service.forget_window.leaving()),
    )
}
"""Every operation of the viewer by its name."""
