"""What commands share: the service they work on, their options and how values are read, groups of subcommands."""

import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, get_args, get_origin

import click
from msgspec import Struct

from holdfast.errors import InvalidInput, Proposed
from holdfast.interfaces.arguments import RequestField, request_fields
from holdfast.interfaces.cli.output import note, print_json
from holdfast.machine import paths
from holdfast.machine.environment import surrounding_agent
from holdfast.machine.paths import find_checkout
from holdfast.model.actor import Actor
from holdfast.model.kinds import KINDS
from holdfast.model.requests import SearchRequest

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from holdfast.service.service import Service


P = ParamSpec("P")
R = TypeVar("R")


def calling_agent() -> str | None:
    """Return the agent that runs this command; None where a person does: no mark of an agent, or a terminal."""
    if any(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        return None
    return surrounding_agent()


def only_person(action: str) -> None:
    """Refuse what an agent cannot even propose."""
    from holdfast.capture.permission import check_person  # most commands need no person

    check_person(Actor("cli", calling_agent() is None), action)


def _report_proposals(function: Callable[P, R]) -> Callable[P, R]:
    """Let a command whose verb became a proposal say so; that is no failure."""

    @functools.wraps(function)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Proposed as waits:
            if kwargs.get("as_json"):
                names = {"proposal": "proposal_id", "verb": "verb", "id": "id", "why": "why"}
                print_json({name: waits.facts[fact] for name, fact in names.items()})
            else:
                click.echo(str(waits))
        raise click.exceptions.Exit(0)

    return told


def here_or_there(context: click.Context, _: click.Parameter, directory: Path | None) -> Path:
    """Return the directory given after the command, else the one before it, else this one."""
    before: Path | None = context.find_root().params.get("project")
    return directory or before or Path()


project_option = click.option(
    "--project",
    metavar="DIR",
    type=click.Path(path_type=Path),
    callback=here_or_there,
    help="The project's directory, or one inside it (default: here).",
)


def common(function: Callable[P, R]) -> Callable[P, R]:
    """Give a command `--project` and `--json`, and its say where a person has to decide first."""
    function = _report_proposals(function)
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
    return as_json(project_option(function))


class Group(click.Group):
    """Commands under one word; a slip of the finger gets a suggestion."""

    other_words: Mapping[str, str] = {}
    """What commands are called elsewhere, and what they are here."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            advice = self._advice(ctx.command_path, args[0], names)
            raise click.UsageError(f"{args[0]!r} is not a command. {advice}", ctx)
        return super().resolve_command(ctx, args)

    def _advice(self, path: str, name: str, names: list[str]) -> str:
        from holdfast.model.nearest import as_question, nearest  # few make the mistake

        command_name = self.other_words.get(name.lower(), name)
        words = nearest(command_name, names if command_name in names else [*names, *self.other_words])
        likely = as_question([self.other_words.get(word, word) for word in words], f"`{path} {{}}`")
        return f"Did you mean {likely}?" if likely else f"`{path} --help` lists the commands."


def check_place(project: Path) -> None:
    """Before a store is made in a home or at the root of the file system, ask; where nobody can be, refuse."""
    root = find_checkout(str(project))[0]
    if not paths.is_no_project(root) or _has_begun(project):
        return
    problem = f"{root} is no project: memory there would be of everything below it."
    if sys.stdin is None or not sys.stdin.isatty():
        advice = (
            "Go to a project or name one with --project DIR; `holdfast init` makes a store there if you mean it."
        )
        raise InvalidInput(field="project", problem=f"{problem} {advice}")
    click.confirm(f"{problem} Keep memory there all the same?", abort=True, err=True)


def _has_begun(project: Path) -> bool:
    from holdfast.storage.workspace import find_workspace  # almost everybody is in a project

    return find_workspace(project).begun


@contextmanager
def service_of(
    project: Path, *, create: bool = False, fresh: bool = False, anywhere: bool = False
) -> "Iterator[Service]":
    """Open the service of a project for one command. Reading makes no store where there is none; writing does,
    where there is a project, or `anywhere`."""
    from holdfast.storage.open import CLI, open_service
    from holdfast.storage.workspace import open_keeper

    if create and not anywhere:
        check_place(project)
    agent = calling_agent()
    if fresh:
        only_person("starting anew")
        open_keeper(project, actor="cli").begin_anew()
    service = open_service(
        project, CLI, agent=agent, person=agent is None, create=create, fresh=fresh, upkeep=agent is None
    )
    reason = service.read_only()
    if reason:
        note(f"holdfast: {reason}")
    try:
        yield service
        service.vector_backlog.leave()
    finally:
        service.close()


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


def options_of(request: type[Struct], **helps: str) -> Callable[[C], C]:
    """Give a command an option for each named field of a request, with what people are told about it.

    What it takes, its choices and its default are the field's own. A field of several values is an option in the
    singular that may be given several times.
    """

    def with_options(function: C) -> C:
        fields = request_fields(request)
        for name in reversed(helps):
            function = _option(fields[name], helps[name])(function)
        return function

    return with_options


def _option(field: RequestField, text: str) -> Callable[[C], C]:
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


def _type_of(field: RequestField, kinds: list[Any]) -> Any:
    """Return what reads an option's value: a choice of words, a word that can be completed, a number or a text."""
    if "one_of" in field.rules:
        return click.Choice(field.rules["one_of"])
    if "known" in field.rules:
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
