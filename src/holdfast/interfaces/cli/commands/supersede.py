"""`holdfast supersede`: one memory takes another's place, and back."""

from pathlib import Path

import click

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.frame import common, service_of
from holdfast.interfaces.cli.output import print_json


@click.command("supersede")
@click.argument("old")
@click.argument("new", required=False)
@click.option("--undo", is_flag=True, help="Let OLD hold again; what had taken its place stays.")
@common
def command(old: str, new: str | None, undo: bool, project: Path, as_json: bool) -> None:
    """Let the memory NEW take the place of OLD, which becomes history.

    \b
    Examples:
      holdfast supersede 1f2e3d4c 5a6b7c8d
      holdfast supersede 1f2e3d4c --undo
    """
    if undo == (new is not None):
        raise InvalidInput(field="NEW", problem="give the memory that takes OLD's place, or --undo.")
    with service_of(project) as service:
        memory = service.supersede(old, new) if new else service.reinstate(old)
    if as_json:
        print_json(memory)
    else:
        click.echo(f"{'History now' if new else 'Holds again'}: {memory.title}")
