"""`holdfast pin`, `unpin`, `confirm`, `supersede`: how far a memory counts."""

from collections.abc import Callable
from pathlib import Path

import click

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.output import print_json, shown
from holdfast.model.memory import Memory
from holdfast.service.service import Service


@click.command("pin")
@click.argument("id")
@common
def pin(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Put the memory ID into every brief. At most five are.

    \b
    Example:
      holdfast pin 1f2e3d4c
    """
    _settle(project, as_json, "Pinned", lambda service: service.pin(id))


@click.command("unpin")
@click.argument("id")
@common
def unpin(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Take the memory ID out of every brief; it stays confirmed.

    \b
    Example:
      holdfast unpin 1f2e3d4c
    """
    _settle(project, as_json, "Unpinned", lambda service: service.unpin(id))


@click.command("confirm")
@click.argument("id")
@common
def confirm(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Say that the memory ID holds. Counts as a read, and its age starts anew.

    \b
    Example:
      holdfast confirm 1f2e3d4c
    """
    _settle(project, as_json, "Confirmed", lambda service: service.confirm(id))


@click.command("supersede")
@click.argument("old")
@click.argument("new", required=False)
@click.option("--undo", is_flag=True, help="Let OLD hold again; what had taken its place stays.")
@common
def supersede(old: str, new: str | None, undo: bool, project: Path, as_json: bool) -> None:
    """Let the memory NEW take the place of OLD, which leaves search and becomes history.

    \b
    Examples:
      holdfast supersede 1f2e3d4c 5a6b7c8d
      holdfast supersede 1f2e3d4c --undo
    """
    if undo == (new is not None):
        raise InvalidInput(field="NEW", problem="give the memory that takes OLD's place, or --undo.")
    if new is None:
        _settle(project, as_json, "Holds again", lambda service: service.reinstate(old))
    else:
        _settle(project, as_json, "Now history", lambda service: service.supersede(old, new))


def _settle(project: Path, as_json: bool, word: str, act: Callable[[Service], Memory]) -> None:
    with service_of(project) as service:
        memory = act(service)
        if as_json:
            print_json(memory)
        else:
            click.echo(f"{word}: {service.short_id(memory.id)} {shown(memory.title)}")
