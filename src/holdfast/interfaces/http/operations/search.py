"""Searching, briefs, and what disagrees."""

from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.http.operations import arguments as inputs
from holdfast.interfaces.http.operations.operation import Operation
from holdfast.model.actor import READ, WRITE
from holdfast.model.brief import Brief
from holdfast.model.memory import Conflict
from holdfast.model.requests import BriefRequest, SearchRequest
from holdfast.model.search import Hit
from holdfast.service.service import Service


def _search(service: Service, arguments: inputs.Search) -> list[Hit]:
    return service.search(request_of(SearchRequest, arguments))


def _context(service: Service, arguments: inputs.Context) -> Brief:
    return service.briefs.context(request_of(BriefRequest, arguments))


SEARCH_FOR = Operation(
    name="search_for",
    route="GET /search",
    scope=READ,
    summary="Find memories, turns or sessions; titles and scores, not contents.",
    act=_search,
    arguments=inputs.Search,
    result=list[Hit],
    renamed=(("q", "query"),),
)
SEARCH = Operation(
    name="search",
    route="POST /search",
    scope=READ,
    summary="The same, for a question that should not stand in an address.",
    act=_search,
    arguments=inputs.Search,
    result=list[Hit],
)
RECALL = Operation(
    name="recall",
    route="POST /recall",
    scope=READ,
    summary="The hits that answer a question best, with a second look where a reranker is set.",
    act=lambda service, arguments: service.recall(request_of(SearchRequest, arguments)),
    arguments=inputs.Recall,
    result=list[Hit],
)
CONTEXT_FOR = Operation(
    name="context_for",
    route="GET /context",
    scope=READ,
    summary="What an agent is to know for a prompt or, without one, when a session starts.",
    act=_context,
    arguments=inputs.Context,
    result=Brief,
)
CONTEXT = Operation(
    name="context",
    route="POST /context",
    scope=READ,
    summary="The same, for a prompt that should not stand in an address.",
    act=_context,
    arguments=inputs.Context,
    result=Brief,
)
CONFLICTS = Operation(
    name="conflicts",
    route="GET /conflicts",
    scope=READ,
    summary="The conflicts that nobody has resolved, newest first.",
    act=lambda service, arguments: service.conflicts(),
    result=list[Conflict],
)
RESOLVE = Operation(
    name="resolve",
    route="POST /conflicts/{id}/resolve",
    scope=WRITE,
    summary="Settle a conflict: keep one of its memories, or both.",
    act=lambda service, arguments: service.resolve(arguments.id, arguments.keep),
    arguments=inputs.Resolve,
    result=Conflict,
)
