"""Options that several commands share, and how the values of options are read."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from holdfast.errors import InvalidInput
from holdfast.model.kinds import KINDS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Word(click.types.StringParamType):
    """A word that a shell can complete. Whether it is right, the service decides: it can suggest the nearest."""

    def __init__(self, name: str, words: Callable[[], tuple[str, ...]]) -> None:
        self.name = name
        self._words = words

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self._words() if word.startswith(incomplete)]


KIND = Word("kind", lambda: KINDS)

only_kinds = click.option("--kind", "-k", "kinds", type=KIND, multiple=True, help="Only this kind; several: any.")
only_tags = click.option("--tag", "tags", multiple=True, help="Only with this tag; several: all of them.")
only_own = click.option("--user", is_flag=True, help="Only your own, the ones for every project.")


def read_piped(text: str) -> str:
    """Return a text as given, or for "-" what comes from standard input."""
    if text != "-":
        return text
    if sys.stdin is None:
        raise InvalidInput(field="-", problem="there is no standard input to read from.")
    return sys.stdin.read()


def can_ask() -> bool:
    """Say whether there is a person at a terminal to ask."""
    return sys.stdin is not None and sys.stdin.isatty()


def labels(text: str) -> tuple[str, ...]:
    """Read labels separated by commas."""
    return tuple(label.strip() for label in text.split(",") if label.strip())


def json_object(text: str | None) -> dict[str, object] | None:
    """Read metadata as people type it."""
    if text is None:
        return None
    import json

    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidInput(field="metadata", problem=f"is not JSON ({error}).") from error
    if not isinstance(value, dict):
        raise InvalidInput(field="metadata", problem="must be a JSON object, such as '{\"ticket\": 12}'.")
    return value
