"""`holdfast init`: make a store for a project."""

from pathlib import Path

import click

from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.output import print_json


@click.command("init")
@click.option("--fresh", is_flag=True, help="Start anew where a store was lost or is damaged.")
@common
def command(fresh: bool, project: Path, as_json: bool) -> None:
    """Make a store for this project. Doing it twice changes nothing.

    With --fresh, a damaged store is set aside, and a lost one is let go; its backups stay.

    \b
    Example:
      holdfast init
    """
    with service_of(project, create=True, fresh=fresh, anywhere=True) as service:
        service.check_on()
        state = service.stats().project
    if as_json:
        print_json(state)
    else:
        click.echo(f"Memory for {state.project} is kept in {state.place}")
        if state.mount:
            click.echo(
                f"It lies on a shared folder ({state.mount}): no write-ahead log there, so writes are slower."
            )
