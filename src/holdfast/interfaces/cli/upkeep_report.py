"""What upkeep took, or would take, for people: which memories, why, and what stays in spite of it."""

from collections.abc import Mapping, Sequence

import click

from holdfast.interfaces.cli.output import faint, kind_label, note, print_table, shown
from holdfast.model.upkeep import Departure
from holdfast.service.service import Service

MOST_SHOWN = 50
"""Rows shown; `--json` has all of them."""


def print_going(service: Service, departures: Sequence[Departure], *, dry_run: bool) -> None:
    """Print which memories went, or would, and why."""
    if not departures:
        return
    click.echo(f"{len(departures):,} memories {'would go' if dry_run else 'went'}:")
    print_table(
        [
            (
                service.short_id(departure.id),
                kind_label(departure.kind),
                faint(departure.why),
                shown(departure.title),
            )
            for departure in departures[:MOST_SHOWN]
        ]
    )
    if len(departures) > MOST_SHOWN:
        note(f"… and {len(departures) - MOST_SHOWN:,} more; --json names all of them.")


def print_kept(counts_by_reason: Mapping[str, int]) -> None:
    """Print what stays although a rule was for it."""
    for reason, number in counts_by_reason.items():
        click.echo(faint(f"{number:,} stay: {reason}."))
