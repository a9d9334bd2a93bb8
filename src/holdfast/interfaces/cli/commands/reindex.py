"""`holdfast reindex`: make the full-text indexes anew."""

from pathlib import Path

import click

from holdfast.interfaces.cli.frame import common
from holdfast.interfaces.cli.output import print_json
from holdfast.interfaces.cli.progress import progress
from holdfast.wiring import open_guard


@click.command("reindex")
@click.option("--user", is_flag=True, help="Your own store, instead of the project's.")
@common
def command(user: bool, project: Path, as_json: bool) -> None:
    """Make the full-text indexes anew from the rows, all or nothing. Others can read meanwhile, and wait to write.

    \b
    Example:
      holdfast reindex
    """
    guard = open_guard(project, actor="cli", user=user)
    with progress("Indexing", guard.indexed()) as step:
        rows = guard.reindex(step)
    if as_json:
        print_json({"rows": rows})
    else:
        click.echo(f"Indexed {rows:,} rows anew.")
