"""`holdfast conflicts`: what disagrees, and saying which holds."""

from pathlib import Path

import click

from holdfast.interfaces.cli.base import Group, common, service_of
from holdfast.interfaces.cli.output import date_label, faint, note, print_json, print_table, shown


@click.group("conflicts", cls=Group, invoke_without_command=True)
@common
@click.pass_context
def command(context: click.Context, project: Path, as_json: bool) -> None:
    """Show memories that disagree and that nobody has settled yet, newest first.

    \b
    Examples:
      holdfast conflicts
      holdfast conflicts resolve 0c1d2e3f --keep 1f2e3d4c
    """
    if context.invoked_subcommand:
        return
    with service_of(project) as service:
        conflicts = service.conflicts()
    if as_json:
        print_json(conflicts)
        return
    print_table(
        [
            (conflict.id[-8:], conflict.kind, date_label(conflict.detected_at), shown(conflict.marker))
            for conflict in conflicts
        ],
        cut=False,
    )
    if conflicts:
        note("`holdfast conflicts resolve ID --keep ID` settles one; `--keep both` lets both stand.")
    else:
        note("No conflicts.")


@command.command("resolve")
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
