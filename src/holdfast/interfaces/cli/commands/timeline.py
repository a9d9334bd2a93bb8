"""`holdfast timeline`: layer 2, what was remembered around a memory."""

from pathlib import Path

import click

from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.output import date_label, faint, kind_label, print_json, print_table, shown


@click.command("timeline")
@click.argument("id")
@click.option("--window", "-w", default=5, show_default=True, help="How many before, and how many after.")
@common
def command(id: str, window: int, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Show what was remembered just before and after the memory ID.

    \b
    Example:
      holdfast timeline 1f2e3d4c --window 3
    """
    with service_of(project) as service:
        entries = service.timeline(id, window)
        if as_json:
            print_json(entries)
            return
        print_table(
            [
                (
                    "▸" if entry.anchor else " ",
                    service.short_id(entry.id),
                    kind_label(entry.kind),
                    date_label(entry.created_at),
                    faint(entry.trust),
                    shown(entry.title),
                )
                for entry in entries
            ]
        )
