"""`holdfast history`: a memory with what it superseded and what superseded it."""

from pathlib import Path

import click

from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.output import date_label, faint, kind_label, print_json, print_table, shown
from holdfast.model.memory import Memory
from holdfast.model.times import day


@click.command("history")
@click.argument("id")
@common
def command(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Show what the memory ID superseded and what superseded it, oldest first.

    \b
    Example:
      holdfast history 1f2e3d4c
    """
    with service_of(project) as service:
        memories = service.history(id)
        if as_json:
            print_json(memories)
            return
        print_table(
            [
                (
                    service.short_id(memory.id),
                    kind_label(memory.kind),
                    date_label(memory.created_at),
                    faint(_validity(memory)),
                    shown(memory.title),
                )
                for memory in memories
            ]
        )


def _validity(memory: Memory) -> str:
    return f"until {day(memory.valid_until)}" if memory.valid_until is not None else "holds"
