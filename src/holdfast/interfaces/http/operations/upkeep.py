"""Operations on a whole memory: counts, limits, aliases, the log, vectors, export and import."""

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from itertools import starmap
from pathlib import Path

from holdfast.errors import InvalidInput
from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.http.operations import arguments as inputs
from holdfast.interfaces.http.operations.arguments import Nothing, operation
from holdfast.model.actor import ADMIN, READ, WRITE
from holdfast.model.brief import Receipt
from holdfast.model.ingest import Imported
from holdfast.model.records import AccessReport, Event, EventFilters, LogCheck, Stats
from holdfast.model.requests import PruneRequest
from holdfast.model.upkeep import Cleanup, Prune
from holdfast.service.service import Service


@operation("GET /stats", READ)
def stats(service: Service, _: Nothing) -> Stats:
    """Count what there is and say how the store is doing."""
    counts = service.stats()  # where the stores lie is nobody's business outside
    return replace(
        counts,
        project=replace(counts.project, place=""),
        user=counts.user and replace(counts.user, place=""),
        user_error=counts.user_error and "it cannot be used; who runs the server can see why",
    )


@operation("GET /stats/accesses", READ)
def accesses(service: Service, arguments: inputs.Accesses) -> AccessReport:
    """What was searched lately, what was found, and what never is found or read."""
    return service.accesses(arguments.days)


@operation("POST /cleanup", ADMIN)
def cleanup(service: Service, arguments: inputs.DryRun) -> Cleanup:
    """Keep every limit, delete what is over, merge what says the same; or say what that would do."""
    return service.cleanup(dry_run=arguments.dry_run)


@operation("POST /prune", ADMIN)
def prune(service: Service, arguments: inputs.PruneWhere) -> Prune:
    """Delete by age, decayed importance or source."""
    return service.prune(request_of(PruneRequest, arguments))


@operation("POST /flush", WRITE)
def flush(service: Service, _: Nothing) -> None:
    """Finish everything pending, vectors included."""
    service.flush()


@operation("POST /reindex", ADMIN)
def reindex(service: Service, arguments: inputs.Reindex) -> None:
    """Make every vector of a scope anew, or go on where that was interrupted."""
    service.reindex(None, arguments.scope)


@operation("GET /aliases", READ)
def aliases(service: Service, _: Nothing) -> Mapping[str, tuple[str, ...]]:
    """Every word with what else it is called."""
    return service.aliases.all()


@operation("POST /aliases", WRITE)
def add_alias(service: Service, arguments: inputs.AddAlias) -> int:
    """Let a word also be called otherwise; returns how many of that is new."""
    return service.aliases.add(arguments.word, arguments.meanings)


@operation("DELETE /aliases/{word}", WRITE)
def remove_alias(service: Service, arguments: inputs.RemoveAlias) -> int:
    """Let go of what a word is also called, or of some of it; returns how many there were."""
    return service.aliases.remove(arguments.word, arguments.meanings)


@operation("GET /log", READ)
def log(service: Service, arguments: inputs.Log) -> list[Event]:
    """Who did what, newest first. It names entries by id and never holds their text."""
    since = service.moment(arguments.since, "since")
    return list(service.events(request_of(EventFilters, arguments, since=since)))


@operation("GET /log/check", READ)
def verify_log(service: Service, _: Nothing) -> LogCheck:
    """Follow the chain of the log from its anchor to its end."""
    return service.verify_log()


@operation("GET /receipts", READ)
def receipts(service: Service, arguments: inputs.Amount) -> list[Receipt]:
    """What went into the latest briefs, and what was fetched afterwards."""
    return service.briefs.receipts(arguments.limit)


@operation("GET /export", READ, media_type="text/plain")
def export(service: Service, arguments: inputs.Export) -> str:
    """Every memory, history included, in the order of arrival."""
    from holdfast.export.formats import FORMATS, export_memory  # the Python client does without

    entries = starmap(export_memory, service.exchange.everything(arguments.scope))
    return "".join(FORMATS[arguments.format](entries))


@operation("POST /import", ADMIN, name="import")
def import_data(service: Service, arguments: inputs.Import) -> Imported:
    """Read an export, ours or another tool's; nothing is written unless all of it can be read."""
    from holdfast.ingest.import_entries import Importer, ImportOptions
    from holdfast.storage.ingest import read_table

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
