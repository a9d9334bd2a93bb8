"""What upkeep took, or would take, for people: which memories, why, and what stays in spite of it."""

from collections.abc import Mapping, Sequence

import click

from holdfast.interfaces.cli.output import faint, kind_label, note, print_table, shown
from holdfast.model.upkeep import Departure
from holdfast.service.service import Service

SHOWN = 50
"""Rows shown; `--json` has all of them."""


def print_going(service: Service, gone: Sequence[Departure], *, dry_run: bool) -> None:
    """Print which memories went, or would, and why."""
    if not gone:
        return
    click.echo(f"{len(gone):,} memories {'would go' if dry_run else 'went'}:")
    print_table(
        [
            (service.short_id(one.id), kind_label(one.kind), faint(one.why), shown(one.title))
            for one in gone[:SHOWN]
        ]
    )
    if len(gone) > SHOWN:
        note(f"… and {len(gone) - SHOWN:,} more; --json names all of them.")


def print_kept(kept: Mapping[str, int]) -> None:
    """Print what stays although a rule was for it."""
    for reason, number in kept.items():
        click.echo(faint(f"{number:,} stay: {reason}."))
