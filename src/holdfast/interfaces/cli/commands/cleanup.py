"""`holdfast cleanup`: apply the limits, delete what is over, merge what says the same."""

from pathlib import Path

import click

from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.output import megabytes, print_json, print_table, shown
from holdfast.interfaces.cli.progress import progress
from holdfast.interfaces.cli.upkeep_report import print_going, print_kept
from holdfast.model.upkeep import Cleanup
from holdfast.service.service import Service

MOST_SHOWN = 20


@click.command("cleanup")
@click.option("--dry-run", "-n", is_flag=True, help="Only show what would go, and why.")
@common
def command(dry_run: bool, project: Path, as_json: bool) -> None:
    """Delete what expired or faded, keep the limits, merge memories that say the same, give room back.

    Pinned memories, decisions, what an active session said and what was read in the last 24 hours stay. What a
    person said, or took in from files, git or another tool, goes by its own expiry or when there is no more room.
    Merged memories are history of the one that stays: `holdfast supersede --undo ID` brings one back.

    \b
    Examples:
      holdfast cleanup --dry-run
      holdfast cleanup
    """
    with service_of(project) as service:
        with progress("Cleaning up", service.upkeep.extent()) as step:
            cleanup = service.cleanup(dry_run=dry_run, progress=step)
        if as_json:
            print_json(cleanup)
        else:
            _print(service, cleanup)


def _print(service: Service, cleanup: Cleanup) -> None:
    would = "would " if cleanup.dry_run else ""
    if cleanup.gone or cleanup.merged or cleanup.turns or cleanup.accesses:
        print_going(service, cleanup.gone, dry_run=cleanup.dry_run)
        _print_merged(service, cleanup)
        if cleanup.turns:
            click.echo(f"{cleanup.turns:,} turns that prove no memory {would}go.")
        if cleanup.accesses:
            click.echo(f"{cleanup.accesses:,} rows of the access log {would}go.")
    else:
        click.echo(f"Nothing {would or 'had to '}go.")
    print_kept(cleanup.kept)
    about = "about " if cleanup.dry_run else ""
    click.echo(
        f"{megabytes(cleanup.bytes_before)} in use before, {about}{megabytes(cleanup.bytes_after)} after; "
        f"the limit is {megabytes(cleanup.max_bytes)}."
    )


def _print_merged(service: Service, cleanup: Cleanup) -> None:
    if not cleanup.merged:
        return
    verb = "would become" if cleanup.dry_run else "became"
    count = sum(len(merge.others) for merge in cleanup.merged)
    click.echo(f"{count:,} memories {verb} history of one that says the same:")
    print_table(
        [
            (
                service.short_id(merge.kept),
                "+ " + " ".join(map(service.short_id, merge.others)),
                shown(merge.title),
            )
            for merge in cleanup.merged[:MOST_SHOWN]
        ]
    )
