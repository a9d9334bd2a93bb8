"""`holdfast backup`: copy the store."""

from collections.abc import Sequence
from pathlib import Path

import click

from holdfast.compose.guards import open_keeper
from holdfast.interfaces.cli.base import common
from holdfast.interfaces.cli.output import faint, note, print_json, print_table
from holdfast.model.care import Backup
from holdfast.model.times import iso


@click.command("backup")
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Where to, instead of your data.")
@click.option("--list", "listed", is_flag=True, help="Only show the backups there are.")
@click.option("--user", is_flag=True, help="Your own store, instead of the project's.")
@common
def command(output: Path | None, listed: bool, user: bool, project: Path, as_json: bool) -> None:
    """Copy the store while it is in use. The copy is checked before it gets its name.

    Copies hold what was remembered when they were made, also what you forget later.

    \b
    Examples:
      holdfast backup
      holdfast backup --list
    """
    guard = open_keeper(project, actor="cli", user=user)
    if listed:
        print_backups(guard.backups(), as_json)
        return
    backup = guard.back_up(output.absolute() if output else None)
    if as_json:
        print_json(backup)
    else:
        click.echo(f"Backed up to {backup.path} ({backup.bytes / 1024:,.0f} KB), and checked.")


def print_backups(backups: Sequence[Backup], as_json: bool) -> None:
    """Show backups, newest first."""
    if as_json:
        print_json(backups)
        return
    if not backups:
        note("There is no backup yet.")
    print_table(
        [
            (iso(backup.taken_at), backup.label, f"{backup.bytes / 1024:,.0f} KB", faint(backup.path))
            for backup in backups
        ]
    )
