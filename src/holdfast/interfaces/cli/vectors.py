"""Vectors of what a command brought, made while somebody looks on: what is stored is found by words meanwhile."""

import sys
import time

import click

from holdfast.interfaces.cli.output import note, progress
from holdfast.service.service import Service

EMBED_SECONDS = 60.0
"""How long a command makes vectors where nobody sees how long it takes; the rest is left to the background."""

ASIDE = "search by words works meanwhile, Ctrl-C leaves the rest for later"

embed_option = click.option(
    "--embed/--no-embed",
    default=True,
    help="Make the vectors of what is new at once (without a terminal for a minute at most), or leave them to the "
    "background.",
)


def make_vectors(service: Service) -> tuple[int, int]:
    """Make what waits; return how many rows got their vectors, and how many still wait.

    Who interrupts it keeps what was made. The rest is left to the background.
    """
    waiting_count = service.waiting()
    until = time.monotonic() + EMBED_SECONDS
    at_terminal = sys.stderr is not None and sys.stderr.isatty()
    try:
        with progress("Vectors", waiting_count, ASIDE) as step:
            service.vector_backlog.make_now(lambda: at_terminal or time.monotonic() < until, step)
    except KeyboardInterrupt:
        note_rest(service.waiting())
        service.vector_backlog.leave()
        raise
    remaining_count = service.waiting()
    return waiting_count - remaining_count, remaining_count


def note_rest(row_count: int) -> None:
    """Say what becomes of rows that have no vectors yet."""
    if row_count:
        note(
            f"{row_count:,} rows are found by words only until their vectors are made in the background, "
            "or at once by `holdfast reindex --pending`."
        )
