"""Printing: JSON for programs, tables and colour for people, plain text where there is no terminal."""

import json
import shutil
from collections.abc import Sequence

import click

from holdfast.model.plain import plain
from holdfast.model.times import day

_COLOURS = {
    "decision": "green",
    "architecture": "green",
    "preference": "cyan",
    "warning": "yellow",
    "error": "red",
    "bugfix": "red",
}


def print_json(value: object) -> None:
    """Print a value of the model as JSON."""
    click.echo(json.dumps(plain(value), ensure_ascii=False, indent=2))


def note(text: str) -> None:
    """Tell a person something that is not the result."""
    click.echo(text, err=True)


def kind_label(kind: str) -> str:
    """Return a kind in its colour."""
    return click.style(kind, fg=_COLOURS.get(kind))


def faint(text: str) -> str:
    """Return text that steps back."""
    return click.style(text, dim=True)


def date_label(moment: int) -> str:
    """Return the day of a moment."""
    return faint(day(moment))


def print_table(rows: Sequence[Sequence[str]], *, cut: bool = True) -> None:
    """Print rows in aligned columns; the last column is cut to what the terminal has left, unless told not to."""
    if not rows:
        return
    widths = [max(map(_width, column)) for column in zip(*(row[:-1] for row in rows), strict=True)]
    room = max(20, shutil.get_terminal_size((100, 24)).columns - sum(widths) - 2 * len(widths))
    for row in rows:
        cells = [cell + " " * (width - _width(cell)) for cell, width in zip(row[:-1], widths, strict=True)]
        click.echo("  ".join([*cells, _fit(row[-1], room) if cut else row[-1]]).rstrip())


def _width(text: str) -> int:
    return len(click.unstyle(text))


def _fit(text: str, room: int) -> str:
    return text if _width(text) <= room else click.unstyle(text)[: room - 1] + "…"
