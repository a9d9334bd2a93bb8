"""Remembering, changing and forgetting."""

from dataclasses import asdict, replace

from holdfast.errors import UnknownId
from holdfast.interfaces.http.operations import arguments as given
from holdfast.interfaces.http.operations.operation import DELETE, GET, PATCH, POST, Operation
from holdfast.model.memory import Added, Changes, Draft, Forgotten, Memory, Reach, TimelineEntry
from holdfast.model.search import Filters
from holdfast.model.token import ADMIN, READ, WRITE
from holdfast.service.service import Service


def _draft(asked: given.Add) -> Draft:
    return Draft(**{name: getattr(asked, name) for name in given.Add.__dataclass_fields__})


def _add(service: Service, asked: given.Add) -> Added:
    return service.add(_draft(asked))


def _add_many(service: Service, asked: given.AddMany) -> list[Added]:
    return service.add_many([_draft(item) for item in asked.items])


def _list(service: Service, asked: given.Listing) -> list[Memory]:
    return service.list(Filters(kinds=(asked.kind,) if asked.kind else ()), asked.limit)


def _get(service: Service, asked: given.ById) -> Memory:
    found = service.get([asked.id])
    if not found:
        raise UnknownId(noun="memory", id=asked.id, near=service.near_id(asked.id))
    return found[0]


def _get_many(service: Service, asked: given.GetMany) -> list[Memory]:
    return service.get(asked.ids)


def _update(service: Service, asked: given.Update) -> Memory:
    changes = {name: value for name, value in asdict(asked).items() if name != "id"}
    return service.update(asked.id, replace(Changes(), **changes))


def _forget_where(service: Service, asked: given.ForgetWhere) -> Forgotten:
    sources = (asked.source,) if asked.source is not None else ()
    filters = Filters(sources=sources, session=asked.session, contains=asked.matching)
    return service.forget_where(filters, Reach(dry_run=asked.dry_run, backups=asked.backups))


OPERATIONS = (
    Operation(
        name="list",
        method=GET,
        path="/memories",
        scope=READ,
        summary="Current memories, newest first.",
        act=_list,
        arguments=given.Listing,
        result=list[Memory],
    ),
    Operation(
        name="add",
        method=POST,
        path="/memories",
        scope=WRITE,
        summary="Remember something. A duplicate is not an error: the entry there is gains by it.",
        act=_add,
        arguments=given.Add,
        result=Added,
    ),
    Operation(
        name="add_many",
        method=POST,
        path="/memories/batch",
        scope=WRITE,
        summary="Remember many things, once all of them can be; results in the same order.",
        act=_add_many,
        arguments=given.AddMany,
        result=list[Added],
    ),
    Operation(
        name="get",
        method=POST,
        path="/memories/get",
        scope=READ,
        summary="Memories in full, in the order asked; counts as a read. Unknown ids are left out.",
        act=_get_many,
        arguments=given.GetMany,
        result=list[Memory],
    ),
    Operation(
        name="forget_where",
        method=POST,
        path="/memories/forget",
        scope=ADMIN,
        summary="Retract everything from a source, from a session with its turns, or that holds a text.",
        act=_forget_where,
        arguments=given.ForgetWhere,
        result=Forgotten,
    ),
    Operation(
        name="get_one",
        method=GET,
        path="/memories/{id}",
        scope=READ,
        summary="One memory in full; counts as a read.",
        act=_get,
        arguments=given.ById,
        result=Memory,
    ),
    Operation(
        name="update",
        method=PATCH,
        path="/memories/{id}",
        scope=WRITE,
        summary="Change fields of a memory.",
        act=_update,
        arguments=given.Update,
        result=Memory,
    ),
    Operation(
        name="forget",
        method=DELETE,
        path="/memories/{id}",
        scope=WRITE,
        summary="Retract a memory for good, with what was said of it.",
        act=lambda service, asked: service.forget(asked.id, Reach(dry_run=asked.dry_run, backups=asked.backups)),
        arguments=given.Forget,
        result=Forgotten,
    ),
    Operation(
        name="pin",
        method=POST,
        path="/memories/{id}/pin",
        scope=WRITE,
        summary="Put a memory into every brief.",
        act=lambda service, asked: service.pin(asked.id),
        arguments=given.ById,
        result=Memory,
    ),
    Operation(
        name="unpin",
        method=POST,
        path="/memories/{id}/unpin",
        scope=WRITE,
        summary="Take a memory out of every brief.",
        act=lambda service, asked: service.unpin(asked.id),
        arguments=given.ById,
        result=Memory,
    ),
    Operation(
        name="confirm",
        method=POST,
        path="/memories/{id}/confirm",
        scope=WRITE,
        summary="Say that a memory holds.",
        act=lambda service, asked: service.confirm(asked.id),
        arguments=given.ById,
        result=Memory,
    ),
    Operation(
        name="supersede",
        method=POST,
        path="/memories/{id}/supersede",
        scope=WRITE,
        summary="Let another memory take this one's place; returns this one, now history.",
        act=lambda service, asked: service.supersede(asked.id, asked.new),
        arguments=given.Supersede,
        result=Memory,
    ),
    Operation(
        name="reinstate",
        method=POST,
        path="/memories/{id}/reinstate",
        scope=WRITE,
        summary="Undo a supersession: the memory holds again.",
        act=lambda service, asked: service.reinstate(asked.id),
        arguments=given.ById,
        result=Memory,
    ),
    Operation(
        name="timeline",
        method=GET,
        path="/memories/{id}/timeline",
        scope=READ,
        summary="What was remembered just before and after a memory.",
        act=lambda service, asked: service.timeline(asked.id, asked.window),
        arguments=given.Timeline,
        result=list[TimelineEntry],
    ),
    Operation(
        name="history",
        method=GET,
        path="/memories/{id}/history",
        scope=READ,
        summary="A memory with what it superseded and what superseded it, oldest first.",
        act=lambda service, asked: service.history(asked.id),
        arguments=given.ById,
        result=list[Memory],
    ),
)
