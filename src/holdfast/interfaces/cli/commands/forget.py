"""`holdfast forget`: remove a memory for good."""

from pathlib import Path

import click

from holdfast.errors import InvalidInput, UnknownId
from holdfast.interfaces.cli.frame import common, service_of
from holdfast.interfaces.cli.options import can_ask
from holdfast.interfaces.cli.output import print_json, shown


@click.command("forget")
@click.argument("id")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common
def command(id: str, yes: bool, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Remove the memory ID, its words in recorded turns, and its way back by itself.

    Copies of the store made earlier are not touched.

    \b
    Example:
      holdfast forget 1f2e3d4c --yes
    """
    with service_of(project) as service:
        service.check_on()
        memory = service.peek(id)
        if memory is None:
            raise UnknownId(noun="memory", id=id, near=service.near_id(id))
        if not yes and not _agreed(shown(memory.title)):
            click.echo("Kept.")
            return
        gone = service.forget(memory.id)
    if as_json:
        print_json(gone)
        return
    click.echo(f"Forgotten: {shown(memory.title)}")
    if gone.masked_turns:
        click.echo(f"Masked in {gone.masked_turns} recorded turn(s).")
    if gone.pending:
        click.echo("Its last bytes go when another process stops reading; the next command tries again.")


def _agreed(title: str) -> bool:
    if not can_ask():
        raise InvalidInput(field="--yes", problem="is needed when there is no terminal to ask at.")
    return click.confirm(f'Forget "{title}"?')
