"""Looking after memory: counts, limits, aliases, the log, vectors."""

from collections.abc import Mapping
from dataclasses import replace

from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.http.operations import arguments as given
from holdfast.interfaces.http.operations.operation import DELETE, GET, POST, Operation
from holdfast.model.actor import ADMIN, READ, WRITE
from holdfast.model.brief import Receipt
from holdfast.model.records import AccessReport, Event, EventFilters, LogCheck, Stats
from holdfast.model.requests import PruneRequest
from holdfast.model.upkeep import Cleanup, Prune
from holdfast.service.service import Service


def _stats(service: Service, _: object) -> Stats:
    """Count; where the stores lie is nobody's business outside."""
    stats = service.stats()
    return replace(
        stats,
        project=replace(stats.project, place=""),
        user=stats.user and replace(stats.user, place=""),
        user_error=stats.user_error and "it cannot be used; who runs the server can see why",
    )


def _log(service: Service, arguments: given.Log) -> list[Event]:
    since = service.moment(arguments.since, "since")
    return list(service.events(request_of(EventFilters, arguments, since=since)))


STATS = Operation(
    name="stats",
    method=GET,
    path="/stats",
    scope=READ,
    summary="Count what there is and say how the store is doing.",
    act=_stats,
    result=Stats,
)
ACCESSES = Operation(
    name="accesses",
    method=GET,
    path="/stats/accesses",
    scope=READ,
    summary="What was searched lately, what was found, and what never is found or read.",
    act=lambda service, arguments: service.accesses(arguments.days),
    arguments=given.Accesses,
    result=AccessReport,
)
CLEANUP = Operation(
    name="cleanup",
    method=POST,
    path="/cleanup",
    scope=ADMIN,
    summary="Keep every limit, delete what is over, merge what says the same; or say what that would do.",
    act=lambda service, arguments: service.cleanup(dry_run=arguments.dry_run),
    arguments=given.Tried,
    result=Cleanup,
)
PRUNE = Operation(
    name="prune",
    method=POST,
    path="/prune",
    scope=ADMIN,
    summary="Delete by age, decayed importance or source.",
    act=lambda service, arguments: service.prune(request_of(PruneRequest, arguments)),
    arguments=given.PruneWhere,
    result=Prune,
)
FLUSH = Operation[None](
    name="flush",
    method=POST,
    path="/flush",
    scope=WRITE,
    summary="Finish everything pending, vectors included.",
    act=lambda service, arguments: service.flush(),
)
REINDEX = Operation[None](
    name="reindex",
    method=POST,
    path="/reindex",
    scope=ADMIN,
    summary="Make every vector of a scope anew, or go on where that was interrupted.",
    act=lambda service, arguments: service.reindex(None, arguments.scope),
    arguments=given.Reindex,
)
ALIASES = Operation(
    name="aliases",
    method=GET,
    path="/aliases",
    scope=READ,
    summary="Every word with what else it is called.",
    act=lambda service, arguments: service.aliases.all(),
    result=Mapping[str, tuple[str, ...]],
)
ADD_ALIAS = Operation(
    name="add_alias",
    method=POST,
    path="/aliases",
    scope=WRITE,
    summary="Let a word also be called otherwise; returns how many of that is new.",
    act=lambda service, arguments: service.aliases.add(arguments.word, arguments.meanings),
    arguments=given.AddAlias,
    result=int,
)
REMOVE_ALIAS = Operation(
    name="remove_alias",
    method=DELETE,
    path="/aliases/{word}",
    scope=WRITE,
    summary="Let go of what a word is also called, or of some of it; returns how many there were.",
    act=lambda service, arguments: service.aliases.remove(arguments.word, arguments.meanings),
    arguments=given.RemoveAlias,
    result=int,
)
LOG = Operation(
    name="log",
    method=GET,
    path="/log",
    scope=READ,
    summary="Who did what, newest first. It names entries by id and never holds their text.",
    act=_log,
    arguments=given.Log,
    result=list[Event],
)
VERIFY_LOG = Operation(
    name="verify_log",
    method=GET,
    path="/log/check",
    scope=READ,
    summary="Follow the chain of the log from its anchor to its end.",
    act=lambda service, arguments: service.verify_log(),
    result=LogCheck,
)
RECEIPTS = Operation(
    name="receipts",
    method=GET,
    path="/receipts",
    scope=READ,
    summary="What went into the latest briefs, and what was fetched afterwards.",
    act=lambda service, asked: service.briefs.receipts(asked.limit),
    arguments=given.Limited,
    result=list[Receipt],
)
