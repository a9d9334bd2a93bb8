"""`holdfast update`, `pin`, `unpin`, `confirm`, `supersede`, `conflicts`: what a memory says and counts for."""

from collections.abc import Callable
from pathlib import Path

import click

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import Group, common, service_of
from holdfast.interfaces.cli.options import json_object, labels, options_of, read_piped
from holdfast.interfaces.cli.output import date_label, faint, note, print_json, print_table, shown
from holdfast.model.memory import Memory
from holdfast.model.requests import Changes
from holdfast.service.service import Service


@click.command("pin")
@click.argument("id")
@common
def pin(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Put the memory ID into every brief. At most five are.

    \b
    Example:
      holdfast pin 1f2e3d4c
    """
    _settle(project, as_json, "Pinned", lambda service: service.pin(id))


@click.command("unpin")
@click.argument("id")
@common
def unpin(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Take the memory ID out of every brief; it stays confirmed.

    \b
    Example:
      holdfast unpin 1f2e3d4c
    """
    _settle(project, as_json, "Unpinned", lambda service: service.unpin(id))


@click.command("confirm")
@click.argument("id")
@common
def confirm(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Say that the memory ID holds. Counts as a read, and its age starts anew.

    \b
    Example:
      holdfast confirm 1f2e3d4c
    """
    _settle(project, as_json, "Confirmed", lambda service: service.confirm(id))


@click.command("supersede")
@click.argument("old")
@click.argument("new", required=False)
@click.option("--undo", is_flag=True, help="Let OLD hold again; what had taken its place stays.")
@common
def supersede(old: str, new: str | None, undo: bool, project: Path, as_json: bool) -> None:
    """Let the memory NEW take the place of OLD, which leaves search and becomes history.

    \b
    Examples:
      holdfast supersede 1f2e3d4c 5a6b7c8d
      holdfast supersede 1f2e3d4c --undo
    """
    if undo == (new is not None):
        raise InvalidInput(field="NEW", problem="give the memory that takes OLD's place, or --undo.")
    if new is None:
        _settle(project, as_json, "Holds again", lambda service: service.reinstate(old))
    else:
        _settle(project, as_json, "Now history", lambda service: service.supersede(old, new))


def _settle(project: Path, as_json: bool, word: str, act: Callable[[Service], Memory]) -> None:
    with service_of(project) as service:
        memory = act(service)
        if as_json:
            print_json(memory)
        else:
            click.echo(f"{word}: {service.short_id(memory.id)} {shown(memory.title)}")


@click.group("conflicts", cls=Group, invoke_without_command=True)
@common
@click.pass_context
def conflicts(context: click.Context, project: Path, as_json: bool) -> None:
    """Show memories that disagree and that nobody has settled yet, newest first.

    \b
    Examples:
      holdfast conflicts
      holdfast conflicts resolve 0c1d2e3f --keep 1f2e3d4c
    """
    if context.invoked_subcommand:
        return
    with service_of(project) as service:
        unsettled = service.conflicts()
    if as_json:
        print_json(unsettled)
        return
    print_table(
        [
            (conflict.id[-8:], conflict.kind, date_label(conflict.detected_at), shown(conflict.marker))
            for conflict in unsettled
        ],
        cut=False,
    )
    if unsettled:
        note("`holdfast conflicts resolve ID --keep ID` settles one; `--keep both` lets both stand.")
    else:
        note("No conflicts.")


@conflicts.command("resolve")
@click.argument("id")
@click.option("--keep", required=True, metavar="ID", help="The memory that holds, or `both`.")
@common
def resolve(id: str, keep: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Settle the conflict ID: the memory that is not kept becomes history.

    \b
    Examples:
      holdfast conflicts resolve 0c1d2e3f --keep 1f2e3d4c
      holdfast conflicts resolve 0c1d2e3f --keep both
    """
    with service_of(project) as service:
        conflict = service.resolve(id, keep)
        if as_json:
            print_json(conflict)
            return
        if conflict.kept == "both":
            click.echo("Both stand.")
            return
        memory = service.peek(conflict.kept or "")
    click.echo(f"Kept: {shown(memory.title) if memory else conflict.kept}")
    click.echo(faint("The other is history; `holdfast supersede ID --undo` brings it back."))


@click.command("update")
@click.argument("id")
@click.option("--content", help='What it says now ("-" reads it from standard input).')
@options_of(
    Changes, title="Another title.", kind="Another kind.", context='Why, or where it came up; "" removes it.'
)
@click.option("--tags", help='Labels, separated by commas, instead of those there are; "" removes them.')
@options_of(
    Changes,
    files='A file it is about, instead of those so far; "" removes them.',
    importance="From 0 to 1.",
    confidence="From 0 to 1.",
    expires="When it stops holding: a date, a length such as 30d, or `never`.",
)
@click.option("--metadata", metavar="JSON", help="A JSON object, instead of the one there is.")
@common
def update(
    id: str,  # noqa: A002 - the argument's name in help
    content: str | None,
    tags: str | None,
    files: tuple[str, ...],
    metadata: str | None,
    project: Path,
    as_json: bool,
    **rest: object,
) -> None:
    """Change fields of the memory ID; what is not named stays as it is.

    \b
    Examples:
      holdfast update 1f2e3d4c --kind warning --tags security,parser
      holdfast update 1f2e3d4c --expires never
      holdfast update 1f2e3d4c --content "Retries are capped at 5" --json
    """
    changes = Changes(
        content=None if content is None else read_piped(content),
        tags=None if tags is None else labels(tags),
        files=tuple(file for file in files if file) if files else None,
        metadata=json_object(metadata),
        trust="user",
        **rest,  # type: ignore[arg-type]  # the options are named after the fields
    )
    if changes == Changes(trust="user"):
        raise InvalidInput(field="update", problem="nothing to change. Name a field, such as --kind or --content.")
    with service_of(project) as service:
        memory = service.update(id, changes)
        if as_json:
            print_json(memory)
        else:
            click.echo(f"Updated {service.short_id(memory.id)}: {shown(memory.title)}")
