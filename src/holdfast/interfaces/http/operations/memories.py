"""Operations on memories: remembering, changing, forgetting; searching, briefs, conflicts."""

from collections.abc import Sequence

from holdfast.errors import UnknownId
from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.http.operations import arguments as inputs
from holdfast.interfaces.http.operations.arguments import Nothing, operation
from holdfast.model.actor import ADMIN, READ, WRITE
from holdfast.model.brief import Brief
from holdfast.model.memory import Added, Conflict, Forgotten, Memory, TimelineEntry
from holdfast.model.requests import BriefRequest, Changes, Draft, ForgetRequest, Reach, SearchRequest
from holdfast.model.search import Filters, Hit
from holdfast.service.service import Service


@operation("GET /memories", READ, name="list")
def list_memories(service: Service, arguments: inputs.Listing) -> list[Memory]:
    """Current memories, newest first."""
    return service.list(Filters(kinds=(arguments.kind,) if arguments.kind else ()), arguments.limit)


@operation("POST /memories", WRITE)
def add(service: Service, arguments: inputs.Add) -> Added:
    """Remember something. A duplicate is not an error: the entry there is gains by it."""
    return service.add(request_of(Draft, arguments))


@operation("POST /memories/batch", WRITE)
def add_many(service: Service, arguments: inputs.AddMany) -> list[Added]:
    """Remember many things, once all of them can be; results in the same order."""
    return service.add_many([request_of(Draft, item) for item in arguments.items])


@operation("POST /memories/get", READ)
def get(service: Service, arguments: inputs.GetMany) -> list[Memory]:
    """Memories in full, in the order asked; counts as a read. Unknown ids are left out."""
    return service.get(arguments.ids)


@operation("POST /memories/peek", READ)
def peek(service: Service, arguments: inputs.GetMany) -> list[Memory]:
    """The same, for showing what was found: it does not count as a read."""
    return [memory for memory_id in arguments.ids if (memory := service.peek(memory_id)) is not None]


@operation("POST /memories/forget", ADMIN)
def forget_where(service: Service, arguments: inputs.ForgetWhere) -> Forgotten:
    """Retract everything from a source, from a session with its turns, or that holds a text."""
    return service.forget_where(request_of(ForgetRequest, arguments))


@operation("GET /memories/{id}", READ)
def get_one(service: Service, arguments: inputs.ById) -> Memory:
    """One memory in full; counts as a read."""
    memories = service.get([arguments.id])
    if not memories:
        raise UnknownId(noun="memory", id=arguments.id, near=service.near_id(arguments.id))
    return memories[0]


@operation("PATCH /memories/{id}", WRITE)
def update(service: Service, arguments: inputs.Update) -> Memory:
    """Change fields of a memory."""
    return service.update(arguments.id, request_of(Changes, arguments))


@operation("DELETE /memories/{id}", WRITE)
def forget(service: Service, arguments: inputs.Forget) -> Forgotten:
    """Retract a memory for good, with what was said of it."""
    return service.forget(arguments.id, request_of(Reach, arguments))


@operation("POST /memories/{id}/pin", WRITE)
def pin(service: Service, arguments: inputs.ById) -> Memory:
    """Put a memory into every brief."""
    return service.pin(arguments.id)


@operation("POST /memories/{id}/unpin", WRITE)
def unpin(service: Service, arguments: inputs.ById) -> Memory:
    """Take a memory out of every brief."""
    return service.unpin(arguments.id)


@operation("POST /memories/{id}/confirm", WRITE)
def confirm(service: Service, arguments: inputs.ById) -> Memory:
    """Say that a memory holds."""
    return service.confirm(arguments.id)


@operation("POST /memories/{id}/supersede", WRITE)
def supersede(service: Service, arguments: inputs.Supersede) -> Memory:
    """Let another memory take this one's place; returns this one, now history."""
    return service.supersede(arguments.id, arguments.new)


@operation("POST /memories/{id}/reinstate", WRITE)
def reinstate(service: Service, arguments: inputs.ById) -> Memory:
    """Undo a supersession: the memory holds again."""
    return service.reinstate(arguments.id)


@operation("GET /memories/{id}/timeline", READ)
def timeline(service: Service, arguments: inputs.Timeline) -> list[TimelineEntry]:
    """What was remembered just before and after a memory."""
    return service.timeline(arguments.id, arguments.window)


@operation("GET /memories/{id}/history", READ)
def history(service: Service, arguments: inputs.ById) -> Sequence[Memory]:
    """A memory with what it superseded and what superseded it, oldest first."""
    return service.history(arguments.id)


@operation("GET /search", READ, renamed={"query": "q"})
def search_for(service: Service, arguments: inputs.Search) -> list[Hit]:
    """Find memories, turns or sessions; titles and scores, not contents."""
    return service.search(request_of(SearchRequest, arguments))


@operation("POST /search", READ)
def search(service: Service, arguments: inputs.Search) -> list[Hit]:
    """The same, for a question that should not stand in an address."""
    return service.search(request_of(SearchRequest, arguments))


@operation("POST /recall", READ)
def recall(service: Service, arguments: inputs.Recall) -> list[Hit]:
    """The hits that answer a question best, with a second look where a reranker is set."""
    return service.recall(request_of(SearchRequest, arguments))


@operation("GET /context", READ)
def context_for(service: Service, arguments: inputs.Context) -> Brief:
    """What an agent is to know for a prompt or, without one, when a session starts."""
    return service.briefs.context(request_of(BriefRequest, arguments))


@operation("POST /context", READ)
def context(service: Service, arguments: inputs.Context) -> Brief:
    """The same, for a prompt that should not stand in an address."""
    return service.briefs.context(request_of(BriefRequest, arguments))


@operation("GET /conflicts", READ)
def conflicts(service: Service, _: Nothing) -> Sequence[Conflict]:
    """The conflicts that nobody has resolved, newest first."""
    return service.conflicts()


@operation("POST /conflicts/{id}/resolve", WRITE)
def resolve(service: Service, arguments: inputs.Resolve) -> Conflict:
    """Settle a conflict: keep one of its memories, or both."""
    return service.resolve(arguments.id, arguments.keep)
