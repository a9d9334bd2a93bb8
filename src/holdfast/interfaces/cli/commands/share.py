"""`holdfast share`: team memory through git."""

from dataclasses import replace
from pathlib import Path

import click

from holdfast.compose.ingest import sharing_of
from holdfast.interfaces.cli.base import common, only_person, service_of
from holdfast.interfaces.cli.output import print_json, shown
from holdfast.model.ingest import Shared
from holdfast.share.sharing import MemorySharing


@click.command("share")
@click.option("--take-in", "only_in", is_flag=True, help="Only read what others wrote; write nothing.")
@click.option("--accept", is_flag=True, help="Take over edits of your own entries as if you had made them.")
@click.option("--retract", is_flag=True, help="Take back, for everybody, what you have forgotten here.")
@click.option("--candidates", is_flag=True, help="Also write what nobody has confirmed yet, marked so.")
@click.option("--dry-run", is_flag=True, help="Only say what would be read and written.")
@common
def command(
    only_in: bool, accept: bool, retract: bool, candidates: bool, dry_run: bool, project: Path, as_json: bool
) -> None:
    """Write what is confirmed or pinned into a folder of the repository, and read what others wrote there.

    There is one file for each memory, which says who said it: commit and review them like any others. What others
    wrote comes in unconfirmed. A file that is missing, on another branch say, hides what it said;
    `retracted: true` at its top takes it back.

    \b
    Examples:
      holdfast share --dry-run
      holdfast share
      holdfast share --take-in
    """
    if accept or retract or candidates:
        only_person("--accept, --retract or --candidates")
    with service_of(project, create=True) as service:
        share = replace(
            sharing_of(project, service), accept=accept, retract=retract, candidates=candidates, dry_run=dry_run
        )
        result = share.take_in() if only_in else share.hand_out()
        if as_json:
            print_json(result)
            return
        _print(result, [service.short_id(memory_id) for memory_id in result.disputed], share)


def _print(result: Shared, disputed_ids: list[str], share: MemorySharing) -> None:
    folder = share.folder.name
    counts = {
        "came in": result.added,
        "shown again": result.shown,
        "hidden, their file is not there": result.hidden,
        "retracted by others": result.retracted,
        "edits taken over": result.accepted,
    }
    parts = [f"{number:,} {label}" for label, number in counts.items() if number]
    click.echo(f"Read {folder}: {', '.join(parts) or 'nothing new'}.")
    for name in result.written:
        click.echo(f"{'Would write' if share.dry_run else 'Wrote'} {folder}/{name}.")
    for name in result.waiting:
        click.echo(f"{folder}/{shown(name)} was edited: see `holdfast conflicts`, or take it over with --accept.")
    for short in disputed_ids:
        click.echo(f"{short} was retracted by others; `holdfast forget {short}` follows them.")
    for name in result.forgotten:
        click.echo(f"{folder}/{shown(name)} says what you forgot here; --retract takes it back for everybody.")
    for name, reason in result.skipped.items():
        click.echo(f"Left out {folder}/{shown(name)}: {shown(reason)}")
