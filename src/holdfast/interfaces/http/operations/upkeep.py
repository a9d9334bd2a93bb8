"""Operations on a whole memory: counts, limits, aliases, the log, vectors, export and import."""

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from itertools import starmap
from pathlib import Path

from holdfast.errors import InvalidInput
from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.http.operations import arguments as inputs
from holdfast.interfaces.http.operations.arguments import Operation
from holdfast.model.actor import ADMIN, READ, WRITE
from holdfast.model.brief import Receipt
from holdfast.model.ingest import Imported
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


def _log(service: Service, arguments: inputs.Log) -> list[Event]:
    since = service.moment(arguments.since, "since")
    return list(service.events(request_of(EventFilters, arguments, since=since)))


STATS = Operation(
    name="stats",
    route="GET /stats",
    scope=READ,
    summary="Count what there is and say how the store is doing.",
    act=_stats,
    result=Stats,
)
ACCESSES = Operation(
    name="accesses",
    route="GET /stats/accesses",
    scope=READ,
    summary="What was searched lately, what was found, and what never is found or read.",
    act=lambda service, arguments: service.accesses(arguments.days),
    arguments=inputs.Accesses,
    result=AccessReport,
)
CLEANUP = Operation(
    name="cleanup",
    route="POST /cleanup",
    scope=ADMIN,
    summary="Keep every limit, delete what is over, merge what says the same; or say what that would do.",
    act=lambda service, arguments: service.cleanup(dry_run=arguments.dry_run),
    arguments=inputs.DryRun,
    result=Cleanup,
)
PRUNE = Operation(
    name="prune",
    route="POST /prune",
    scope=ADMIN,
    summary="Delete by age, decayed importance or source.",
    act=lambda service, arguments: service.prune(request_of(PruneRequest, arguments)),
    arguments=inputs.PruneWhere,
    result=Prune,
)
FLUSH = Operation[None](
    name="flush",
    route="POST /flush",
    scope=WRITE,
    summary="Finish everything pending, vectors included.",
    act=lambda service, arguments: service.flush(),
)
REINDEX = Operation[None](
    name="reindex",
    route="POST /reindex",
    scope=ADMIN,
    summary="Make every vector of a scope anew, or go on where that was interrupted.",
    act=lambda service, arguments: service.reindex(None, arguments.scope),
    arguments=inputs.Reindex,
)
ALIASES = Operation(
    name="aliases",
    route="GET /aliases",
    scope=READ,
    summary="Every word with what else it is called.",
    act=lambda service, arguments: service.aliases.all(),
    result=Mapping[str, tuple[str, ...]],
)
ADD_ALIAS = Operation(
    name="add_alias",
    route="POST /aliases",
    scope=WRITE,
    summary="Let a word also be called otherwise; returns how many of that is new.",
    act=lambda service, arguments: service.aliases.add(arguments.word, arguments.meanings),
    arguments=inputs.AddAlias,
    result=int,
)
REMOVE_ALIAS = Operation(
    name="remove_alias",
    route="DELETE /aliases/{word}",
    scope=WRITE,
    summary="Let go of what a word is also called, or of some of it; returns how many there were.",
    act=lambda service, arguments: service.aliases.remove(arguments.word, arguments.meanings),
    arguments=inputs.RemoveAlias,
    result=int,
)
LOG = Operation(
    name="log",
    route="GET /log",
    scope=READ,
    summary="Who did what, newest first. It names entries by id and never holds their text.",
    act=_log,
    arguments=inputs.Log,
    result=list[Event],
)
VERIFY_LOG = Operation(
    name="verify_log",
    route="GET /log/check",
    scope=READ,
    summary="Follow the chain of the log from its anchor to its end.",
    act=lambda service, arguments: service.verify_log(),
    result=LogCheck,
)
RECEIPTS = Operation(
    name="receipts",
    route="GET /receipts",
    scope=READ,
    summary="What went into the latest briefs, and what was fetched afterwards.",
    act=lambda service, arguments: service.briefs.receipts(arguments.limit),
    arguments=inputs.Amount,
    result=list[Receipt],
)


def _export(service: Service, arguments: inputs.Export) -> str:
    from holdfast.export.formats import FORMATS, export_memory  # the Python client does without

    entries = starmap(export_memory, service.exchange.everything(arguments.scope))
    return "".join(FORMATS[arguments.format](entries))


def _import(service: Service, arguments: inputs.Import) -> Imported:
    from holdfast.compose.ingest import read_table
    from holdfast.ingest.import_entries import Importer, ImportOptions

    name = Path(arguments.name).name
    if not name or name != arguments.name or not name.isprintable() or not name.strip("."):
        raise InvalidInput(field="name", problem="must be the name of a file, without a folder.")
    importer = Importer(exchange=service.exchange, project="", tables=read_table)
    request = ImportOptions(
        format=arguments.format, own=arguments.own, confirmed=arguments.confirmed, dry_run=arguments.dry_run
    )
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        file = Path(folder) / f"data{Path(name).suffix[:10]}"
        file.write_text(arguments.data, encoding="utf-8", errors="replace")
        return importer.run(file, request)


EXPORT = Operation(
    name="export",
    route="GET /export",
    scope=READ,
    summary="Every memory, history included, in the order of arrival.",
    act=_export,
    arguments=inputs.Export,
    result=str,
    media_type="text/plain",
)
IMPORT = Operation(
    name="import",
    route="POST /import",
    scope=ADMIN,
    summary="Read an export, ours or another tool's; nothing is written unless all of it can be read.",
    act=_import,
    arguments=inputs.Import,
    result=Imported,
)
