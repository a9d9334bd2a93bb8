"""Work that takes long: a line at a terminal that says how far it is, and vectors made while somebody looks on."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from holdfast.interfaces.cli.output import note

if TYPE_CHECKING:
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


@contextmanager
def progress(label: str, total: int, aside: str = "") -> Iterator[Callable[[int], None]]:
    """Show at a terminal how far so many steps are while the block runs, and what else there is to know.

    The block gets a function to call with each number of further steps done.
    """
    if sys.stderr is None or not sys.stderr.isatty() or not total:
        yield lambda count: None
        return
    with click.progressbar(
        range(total),
        label=label,
        file=sys.stderr,
        fill_char="█",
        empty_char="░",
        width=20,
        show_pos=True,
        bar_template="%(label)s %(bar)s %(info)s",
        item_show_func=lambda _: aside,
    ) as bar:
        yield bar.update


def make_vectors(service: "Service") -> tuple[int, int]:
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
