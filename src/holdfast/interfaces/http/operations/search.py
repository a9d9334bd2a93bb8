"""Searching, briefs, what disagrees, and what waits for a person."""

from holdfast.interfaces.http.operations import arguments as given
from holdfast.interfaces.http.operations.operation import GET, POST, Operation
from holdfast.model.brief import Brief
from holdfast.model.conflict import Conflict
from holdfast.model.kinds import KNOWN
from holdfast.model.search import Filters, Hit, Query
from holdfast.model.token import READ, WRITE
from holdfast.service.briefs import BriefRequest
from holdfast.service.service import Service


def _search(service: Service, arguments: given.Search) -> list[Hit]:
    filters = Filters(
        kinds=arguments.kinds,
        tags=arguments.tags,
        file=arguments.file,
        since=service.moment(arguments.since, "since"),
        until=service.moment(arguments.until, "until"),
        statuses=(arguments.status,) if arguments.status else (),
        min_importance=arguments.min_importance,
        contains=arguments.contains,
    )
    return service.search(
        Query(
            text=arguments.query,
            limit=arguments.limit,
            mode=arguments.mode,
            within=arguments.within or KNOWN,
            filters=filters,
        )
    )


def _context(service: Service, arguments: given.Context) -> Brief:
    wish = BriefRequest(
        prompt=arguments.prompt,
        budget=arguments.budget,
        remaining=arguments.remaining,
        agent=arguments.agent,
        files=arguments.files,
        session=arguments.session,
        bridge=arguments.bridge,
    )
    return service.briefs.context(wish)


OPERATIONS = (
    Operation(
        name="search_for",
        method=GET,
        path="/search",
        scope=READ,
        summary="Find memories, turns or sessions; titles and scores, not contents.",
        act=_search,
        arguments=given.Search,
        result=list[Hit],
        renamed=(("q", "query"),),
    ),
    Operation(
        name="search",
        method=POST,
        path="/search",
        scope=READ,
        summary="The same, for a question that should not stand in an address.",
        act=_search,
        arguments=given.Search,
        result=list[Hit],
    ),
    Operation(
        name="recall",
        method=POST,
        path="/recall",
        scope=READ,
        summary="The hits that answer a question best, with a second look where a reranker is set.",
        act=lambda service, arguments: service.recall(
            Query(text=arguments.query, limit=arguments.limit, filters=Filters(contains=arguments.contains))
        ),
        arguments=given.Recall,
        result=list[Hit],
    ),
    Operation(
        name="context_for",
        method=GET,
        path="/context",
        scope=READ,
        summary="What an agent is to know for a prompt or, without one, when a session starts.",
        act=_context,
        arguments=given.Context,
        result=Brief,
    ),
    Operation(
        name="context",
        method=POST,
        path="/context",
        scope=READ,
        summary="The same, for a prompt that should not stand in an address.",
        act=_context,
        arguments=given.Context,
        result=Brief,
    ),
    Operation(
        name="conflicts",
        method=GET,
        path="/conflicts",
        scope=READ,
        summary="The conflicts that nobody has resolved, newest first.",
        act=lambda service, arguments: service.conflicts(),
        result=list[Conflict],
    ),
    Operation(
        name="resolve",
        method=POST,
        path="/conflicts/{id}/resolve",
        scope=WRITE,
        summary="Settle a conflict: keep one of its memories, or both.",
        act=lambda service, asked: service.resolve(asked.id, asked.keep),
        arguments=given.Resolve,
        result=Conflict,
    ),
)
