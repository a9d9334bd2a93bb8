"""`holdfast cleanup`: apply the limits, delete what is over, merge what says the same."""

from pathlib import Path

import click

from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.output import megabytes, print_json, print_table, shown
from holdfast.interfaces.cli.progress import progress
from holdfast.interfaces.cli.upkeep_report import print_going, print_kept
from holdfast.model.upkeep import Cleanup
from holdfast.service.service import Service

SHOWN = 20


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
        with progress("Cleaning up", service.tending.extent()) as step:
            done = service.cleanup(dry_run=dry_run, progress=step)
        if as_json:
            print_json(done)
        else:
            _print(service, done)


def _print(service: Service, done: Cleanup) -> None:
    would = "would " if done.dry_run else ""
    if done.gone or done.merged or done.turns or done.accesses:
        print_going(service, done.gone, dry_run=done.dry_run)
        _print_merged(service, done)
        if done.turns:
            click.echo(f"{done.turns:,} turns that prove no memory {would}go.")
        if done.accesses:
            click.echo(f"{done.accesses:,} rows of the access log {would}go.")
    else:
        click.echo(f"Nothing {would or 'had to '}go.")
    print_kept(done.kept)
    about = "about " if done.dry_run else ""
    click.echo(
        f"{megabytes(done.bytes_before)} in use before, {about}{megabytes(done.bytes_after)} after; "
        f"the limit is {megabytes(done.max_bytes)}."
    )


def _print_merged(service: Service, done: Cleanup) -> None:
    if not done.merged:
        return
    verb = "would become" if done.dry_run else "became"
    count = sum(len(one.others) for one in done.merged)
    click.echo(f"{count:,} memories {verb} history of one that says the same:")
    print_table(
        [
            (service.short_id(one.kept), "+ " + " ".join(map(service.short_id, one.others)), shown(one.title))
            for one in done.merged[:SHOWN]
        ]
    )
