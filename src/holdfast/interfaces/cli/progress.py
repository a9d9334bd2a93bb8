"""Progress of long work: a bar on standard error for people, nothing where that is no terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

Step = Callable[[int], None]
"""Say that this many more are done."""


@contextmanager
def progress(label: str, total: int) -> Iterator[Step]:
    """Show a bar for so many steps while the block runs."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda count: None
        return
    with click.progressbar(length=total, label=label, file=sys.stderr) as bar:
        yield bar.update
