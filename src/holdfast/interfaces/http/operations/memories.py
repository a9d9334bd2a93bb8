"""Operations on memories: remembering, changing, forgetting; searching, briefs, conflicts."""

from holdfast.errors import UnknownId
from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.http.operations import arguments as inputs
from holdfast.interfaces.http.operations.arguments import Operation
from holdfast.model.actor import ADMIN, READ, WRITE
from holdfast.model.brief import Brief
from holdfast.model.memory import Added, Conflict, Forgotten, Memory, TimelineEntry
from holdfast.model.requests import BriefRequest, Changes, Draft, ForgetRequest, Reach, SearchRequest
from holdfast.model.search import Filters, Hit
from holdfast.service.service import Service


def _list(service: Service, arguments: inputs.Listing) -> list[Memory]:
    return service.list(Filters(kinds=(arguments.kind,) if arguments.kind else ()), arguments.limit)


def _get(service: Service, arguments: inputs.ById) -> Memory:
    memories = service.get([arguments.id])
    if not memories:
        raise UnknownId(noun="memory", id=arguments.id, near=service.near_id(arguments.id))
    return memories[0]


LIST = Operation(
    name="list",
    route="GET /memories",
    scope=READ,
    summary="Current memories, newest first.",
    act=_list,
    arguments=inputs.Listing,
    result=list[Memory],
)
ADD = Operation(
    name="add",
    route="POST /memories",
    scope=WRITE,
    summary="Remember something. A duplicate is not an error: the entry there is gains by it.",
    act=lambda service, arguments: service.add(request_of(Draft, arguments)),
    arguments=inputs.Add,
    result=Added,
)
ADD_MANY = Operation(
    name="add_many",
    route="POST /memories/batch",
    scope=WRITE,
    summary="Remember many things, once all of them can be; results in the same order.",
    act=lambda service, arguments: service.add_many([request_of(Draft, item) for item in arguments.items]),
    arguments=inputs.AddMany,
    result=list[Added],
)
GET_MANY = Operation(
    name="get",
    route="POST /memories/get",
    scope=READ,
    summary="Memories in full, in the order asked; counts as a read. Unknown ids are left out.",
    act=lambda service, arguments: service.get(arguments.ids),
    arguments=inputs.GetMany,
    result=list[Memory],
)
PEEK = Operation(
    name="peek",
    route="POST /memories/peek",
    scope=READ,
    summary="The same, for showing what was found: it does not count as a read.",
    act=lambda service, arguments: [
        memory for memory_id in arguments.ids if (memory := service.peek(memory_id)) is not None
    ],
    arguments=inputs.GetMany,
    result=list[Memory],
)
FORGET_WHERE = Operation(
    name="forget_where",
    route="POST /memories/forget",
    scope=ADMIN,
    summary="Retract everything from a source, from a session with its turns, or that holds a text.",
    act=lambda service, arguments: service.forget_where(request_of(ForgetRequest, arguments)),
    arguments=inputs.ForgetWhere,
    result=Forgotten,
)
GET_ONE = Operation(
    name="get_one",
    route="GET /memories/{id}",
    scope=READ,
    summary="One memory in full; counts as a read.",
    act=_get,
    arguments=inputs.ById,
    result=Memory,
)
UPDATE = Operation(
    name="update",
    route="PATCH /memories/{id}",
    scope=WRITE,
    summary="Change fields of a memory.",
    act=lambda service, arguments: service.update(arguments.id, request_of(Changes, arguments)),
    arguments=inputs.Update,
    result=Memory,
)
FORGET = Operation(
    name="forget",
    route="DELETE /memories/{id}",
    scope=WRITE,
    summary="Retract a memory for good, with what was said of it.",
    act=lambda service, arguments: service.forget(arguments.id, request_of(Reach, arguments)),
    arguments=inputs.Forget,
    result=Forgotten,
)
PIN = Operation(
    name="pin",
    route="POST /memories/{id}/pin",
    scope=WRITE,
    summary="Put a memory into every brief.",
    act=lambda service, arguments: service.pin(arguments.id),
    arguments=inputs.ById,
    result=Memory,
)
UNPIN = Operation(
    name="unpin",
    route="POST /memories/{id}/unpin",
    scope=WRITE,
    summary="Take a memory out of every brief.",
    act=lambda service, arguments: service.unpin(arguments.id),
    arguments=inputs.ById,
    result=Memory,
)
CONFIRM = Operation(
    name="confirm",
    route="POST /memories/{id}/confirm",
    scope=WRITE,
    summary="Say that a memory holds.",
    act=lambda service, arguments: service.confirm(arguments.id),
    arguments=inputs.ById,
    result=Memory,
)
SUPERSEDE = Operation(
    name="supersede",
    route="POST /memories/{id}/supersede",
    scope=WRITE,
    summary="Let another memory take this one's place; returns this one, now history.",
    act=lambda service, arguments: service.supersede(arguments.id, arguments.new),
    arguments=inputs.Supersede,
    result=Memory,
)
REINSTATE = Operation(
    name="reinstate",
    route="POST /memories/{id}/reinstate",
    scope=WRITE,
    summary="Undo a supersession: the memory holds again.",
    act=lambda service, arguments: service.reinstate(arguments.id),
    arguments=inputs.ById,
    result=Memory,
)
TIMELINE = Operation(
    name="timeline",
    route="GET /memories/{id}/timeline",
    scope=READ,
    summary="What was remembered just before and after a memory.",
    act=lambda service, arguments: service.timeline(arguments.id, arguments.window),
    arguments=inputs.Timeline,
    result=list[TimelineEntry],
)
HISTORY = Operation(
    name="history",
    route="GET /memories/{id}/history",
    scope=READ,
    summary="A memory with what it superseded and what superseded it, oldest first.",
    act=lambda service, arguments: service.history(arguments.id),
    arguments=inputs.ById,
    result=list[Memory],
)


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
