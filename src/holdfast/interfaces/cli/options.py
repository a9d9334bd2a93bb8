"""Options: those of a request's fields, those that several commands share, and how their values are read."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

import click

from holdfast.errors import InvalidInput
from holdfast.model.kinds import KINDS
from holdfast.model.requests import SearchRequest
from holdfast.model.value import Value

if TYPE_CHECKING:
    from dataclasses import Field

    from click.shell_completion import CompletionItem

C = TypeVar("C", bound=Callable[..., Any])

_SHORT = {"limit": "-n", "kind": "-k"}
_METAVARS = {"session": "ID", "supersedes": "ID", "quote": "WORDS"}


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


def options_of(request: type[Value], **helps: str) -> Callable[[C], C]:
    """Give a command an option for each named field of a request, with what people are told about it.

    What it takes, its choices and its default are the field's own. A field of several values is an option in the
    singular that may be given several times.
    """

    def with_options(function: C) -> C:
        fields = request.__dataclass_fields__
        for name in reversed(helps):
            function = _option(fields[name], helps[name])(function)
        return function

    return with_options


def _option(field: "Field[Any]", text: str) -> Callable[[C], C]:
    kinds = [field.type] if get_origin(field.type) is tuple else [*get_args(field.type), field.type]
    several = any(get_origin(kind) is tuple for kind in kinds)
    name = field.name.removesuffix("s") if several else field.name
    flags = [f"--{name.replace('_', '-')}", *([_SHORT[name]] if name in _SHORT else [])]
    if field.type is bool:
        return click.option(*flags, field.name, is_flag=True, help=text)
    default = None if several or not isinstance(field.default, str | int | float) else field.default
    return click.option(
        *flags,
        field.name,
        type=_type_of(field, kinds),
        multiple=several,
        metavar=_METAVARS.get(name),
        default=default,
        show_default=default is not None,
        help=text,
    )


def _type_of(field: "Field[Any]", kinds: list[Any]) -> Any:
    """Return what reads an option's value: a choice of words, a word that can be completed, a number or a text."""
    if "one_of" in field.metadata:
        return click.Choice(field.metadata["one_of"])
    if "known" in field.metadata:
        return KIND
    return next((number for number in (float, int) if number in kinds and str not in kinds), str)


only_labelled = options_of(
    SearchRequest, kinds="Only this kind; several: any.", tags="Only with this tag; several: all of them."
)
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


def check_can_ask() -> None:
    """Refuse to go on where an answer is needed and nobody can give it."""
    if not can_ask():
        raise InvalidInput(field="--yes", problem="is needed when there is no terminal to ask at.")


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
