"""Everything out, and exports in."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from holdfast.compose.open import read_table
from holdfast.errors import InvalidInput
from holdfast.export.fields import Exported, exported
from holdfast.export.write import FORMATS
from holdfast.ingest.import_entries import Importer, Wanted
from holdfast.interfaces.http.operations import arguments as given
from holdfast.interfaces.http.operations.operation import GET, POST, Operation
from holdfast.model.ingest import Imported
from holdfast.model.token import ADMIN, READ
from holdfast.service.service import Service


def _entries(service: Service, scope: str) -> Iterator[Exported]:
    for memory, ties in service.exchange.everything(scope):
        yield exported(memory, ties)


def _export(service: Service, asked: given.Export) -> str:
    return "".join(FORMATS[asked.format](_entries(service, asked.scope)))


def _import(service: Service, asked: given.Import) -> Imported:
    name = Path(asked.name).name
    if not name or name != asked.name or not name.isprintable() or not name.strip("."):
        raise InvalidInput(field="name", problem="must be the name of a file, without a folder.")
    importer = Importer(exchange=service.exchange, project="", tables=read_table)
    wanted = Wanted(format=asked.format, own=asked.own, confirmed=asked.confirmed, dry_run=asked.dry_run)
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        path = Path(folder) / "import"
        path.mkdir()
        file = path / f"data{Path(name).suffix[:10]}"
        file.write_text(asked.data, encoding="utf-8", errors="replace")
        return importer.run(file, wanted)


OPERATIONS = (
    Operation(
        name="export",
        method=GET,
        path="/export",
        scope=READ,
        summary="Every memory, history included, in the order of arrival.",
        act=_export,
        arguments=given.Export,
        result=str,
        media_type="text/plain",
    ),
    Operation(
        name="import",
        method=POST,
        path="/import",
        scope=ADMIN,
        summary="Read an export, ours or another tool's; nothing is written unless all of it can be read.",
        act=_import,
        arguments=given.Import,
        result=Imported,
    ),
)
