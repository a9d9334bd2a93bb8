"""Everything out, and exports in."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from holdfast.errors import InvalidInput
from holdfast.export.formats import FORMATS, ExportedMemory, export_memory
from holdfast.ingest.import_entries import Importer, ImportOptions
from holdfast.interfaces.http.operations import arguments as inputs
from holdfast.interfaces.http.operations.operation import Operation
from holdfast.model.actor import ADMIN, READ
from holdfast.model.ingest import Imported
from holdfast.service.service import Service
from holdfast.storage.ingest import read_table


def _entries(service: Service, scope: str) -> Iterator[ExportedMemory]:
    for memory, ties in service.exchange.everything(scope):
        yield export_memory(memory, ties)


def _export(service: Service, arguments: inputs.Export) -> str:
    return "".join(FORMATS[arguments.format](_entries(service, arguments.scope)))


def _import(service: Service, arguments: inputs.Import) -> Imported:
    name = Path(arguments.name).name
    if not name or name != arguments.name or not name.isprintable() or not name.strip("."):
        raise InvalidInput(field="name", problem="must be the name of a file, without a folder.")
    importer = Importer(exchange=service.exchange, project="", tables=read_table)
    request = ImportOptions(
        format=arguments.format, own=arguments.own, confirmed=arguments.confirmed, dry_run=arguments.dry_run
    )
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        path = Path(folder) / "import"
        path.mkdir()
        file = path / f"data{Path(name).suffix[:10]}"
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
