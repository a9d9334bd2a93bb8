"""`holdfast import`: exports come in, ours and those of other tools."""

from pathlib import Path

import click

from holdfast.compose.ingest import exports, read_table
from holdfast.compose.workspace import find_workspace
from holdfast.ingest.import_entries import FORMATS, Importer, ImportOptions
from holdfast.interfaces.cli.base import common, only_person, service_of
from holdfast.interfaces.cli.options import Word
from holdfast.interfaces.cli.output import print_json, shown
from holdfast.model.ingest import Imported


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "-f",
    "name",
    type=Word("format", lambda: FORMATS),
    help="What it is, when that cannot be told from it.",
)
@click.option("--only", metavar="NAME", help="Of a file that holds several projects, this one; '*' for all.")
@click.option("--own", is_flag=True, help="It is my own export: keep status, trust, pins and history.")
@click.option("--confirm", "confirmed", is_flag=True, help="Confirm all of it at once.")
@click.option("--user", is_flag=True, help="Into your own memory, for every project.")
@click.option("--dry-run", is_flag=True, help="Only say what would come in.")
@common
def command(
    path: Path,
    name: str | None,
    only: str | None,
    own: bool,
    confirmed: bool,
    user: bool,
    dry_run: bool,
    project: Path,
    as_json: bool,
) -> None:
    """Import PATH: a file, a folder of Markdown, or a zip or tar archive.

    Reads exports of holdfast, mem0 (JSON), claude-mem (its database), basic-memory (Markdown), the official MCP
    memory server (JSONL), and files such as CLAUDE.md, AGENTS.md and MEMORY.md. What cannot be read is named with
    its line, and then nothing comes in; what was interrupted goes on when it is run again. An export that you made
    here and that nobody changed comes back as it was; everything else comes in as unconfirmed imports. What you
    had forgotten stays forgotten.

    \b
    Examples:
      holdfast import memories.jsonl --dry-run
      holdfast import CLAUDE.md --confirm
    """
    if (own or confirmed) and not dry_run:
        only_person("importing as your own, or confirmed,")
    workspace = find_workspace(project)
    request = ImportOptions(
        format=name,
        only=only,
        own=own,
        confirmed=confirmed,
        scope="user" if user else "project",
        dry_run=dry_run,
    )
    with service_of(project, create=not dry_run) as service:
        importer = Importer(
            exchange=service.exchange,
            project=workspace.project.root.name,
            tables=read_table,
            made_here=exports().made,
        )
        result = importer.run(path, request)
    if as_json:
        print_json(result)
    else:
        _print(result)


def _print(tally: Imported) -> None:
    how = "as they were" if tally.own else "as unconfirmed imports"
    click.echo(
        f"{'Would import' if tally.dry_run else 'Imported'} {tally.created:,} of {tally.entries:,} entries {how}."
    )
    counts = {
        "here already": tally.duplicates + tally.known,
        "came in as history": tally.superseded,
        "in conflict with what is here; see `holdfast conflicts`": tally.conflicts,
        **{f"refused: {reason}": number for reason, number in tally.rejected.items()},
        **{f"left out: {reason}": number for reason, number in tally.left.items()},
    }
    for label, number in counts.items():
        if number:
            click.echo(f"{number:,} {shown(label)}")
