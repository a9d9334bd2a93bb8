"""Printing: JSON for programs, tables and colour for people, plain text where there is no terminal."""

import contextlib
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

import click

from holdfast.model.plain import plain
from holdfast.model.times import day

T = TypeVar("T")
_COLOURS = {
    "decision": "green",
    "architecture": "green",
    "preference": "cyan",
    "warning": "yellow",
    "error": "red",
    "bugfix": "red",
}

_KEPT_CHARACTERS = "\n\t\u00a0\u3000\u200c\u200d"
"""Characters that do not print by themselves and do no harm: blanks, and the joiners of scripts and emoji."""


def print_json(value: object) -> None:
    """Print a value of the model as JSON; in ASCII where the output cannot take more."""
    import json

    wide = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(plain(value), ensure_ascii=not wide, indent=2))


def note(text: str) -> None:
    """Tell a person something that is not the result; where it cannot be written, the result stands."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True)


def shown(text: str) -> str:
    """Return a remembered text as a terminal may see it: no escape codes, nothing that turns the line around."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _KEPT_CHARACTERS else "�" for char in text)


def kind_label(kind: str) -> str:
    """Return a kind in its colour."""
    return click.style(kind, fg=_COLOURS.get(kind))


def faint(text: str) -> str:
    """Return text that steps back."""
    return click.style(text, dim=True)


def megabytes(size: int) -> str:
    """Return a size for people."""
    return f"{size / 1_048_576:,.1f} MB"


def date_label(moment: int) -> str:
    """Return the day of a moment."""
    return faint(day(moment))


def print_table(rows: Sequence[Sequence[str]], *, cut: bool = True) -> None:
    """Print rows in aligned columns; the last column is cut to what the terminal has left, unless told not to."""
    if not rows:
        return
    widths = [max(map(_width, column)) for column in zip(*(row[:-1] for row in rows), strict=True)]
    room = _columns() - sum(widths) - 2 * len(widths)
    for row in rows:
        cells = [cell + " " * (width - _width(cell)) for cell, width in zip(row[:-1], widths, strict=True)]
        click.echo("  ".join([*cells, _fit(row[-1], max(20, room)) if cut else row[-1]]).rstrip())


def print_result(value: object, text: str, *, as_json: bool) -> None:
    """Print a result: as JSON for programs, as a line of text for people."""
    if as_json:
        print_json(value)
    else:
        click.echo(text)


def print_list(
    values: Sequence[T], row: Callable[[T], Sequence[str]], nothing: str = "", *, as_json: bool, cut: bool = True
) -> None:
    """Print a list: as JSON for programs, as a table for people, who are told where it is empty."""
    if as_json:
        print_json(values)
        return
    print_table([row(value) for value in values], cut=cut)
    if nothing and not values:
        note(nothing)


def _columns() -> int:
    """Return how wide lines may be: as the terminal is; a file or a pipe takes any length."""
    if sys.stdout is None or not sys.stdout.isatty():
        return 1_000_000
    import shutil  # where there is a terminal

    return shutil.get_terminal_size().columns


def _width(text: str) -> int:
    plain_text = click.unstyle(text)
    return len(plain_text) if plain_text.isascii() else sum(map(_cells, plain_text))


def _cells(char: str) -> int:
    """Return how many columns a character takes."""
    import unicodedata

    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _fit(text: str, room: int) -> str:
    if _width(text) <= room:
        return text
    plain_text = click.unstyle(text)
    while _width(plain_text) > room - 1:
        plain_text = plain_text[:-1]
    return plain_text + "…"
