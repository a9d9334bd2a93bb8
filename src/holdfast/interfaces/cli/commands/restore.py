"""`holdfast restore`: bring the store back from a backup."""

import sys
from pathlib import Path

import click

from holdfast.compose.guards import open_keeper
from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import common, only_person
from holdfast.interfaces.cli.commands.backup import print_backups
from holdfast.interfaces.cli.output import note, print_json
from holdfast.model.care import Backup
from holdfast.model.times import iso


@click.command("restore")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--list", "listed", is_flag=True, help="Only show the backups there are.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--user", is_flag=True, help="Your own store, instead of the project's.")
@common
def command(file: Path | None, listed: bool, yes: bool, user: bool, project: Path, as_json: bool) -> None:
    """Bring the store back from the newest backup that is whole, or from FILE.

    The store that is there is set aside, not deleted. What you forgot since the backup stays forgotten.

    \b
    Examples:
      holdfast restore --list
      holdfast restore --yes
    """
    guard = open_keeper(project, actor="cli", user=user)
    if listed:
        print_backups(guard.backups(), as_json)
        return
    only_person("restoring a backup")
    copy = file.absolute() if file else None
    backup = guard.choose(copy)
    if not yes and guard.path.exists() and not _confirm_restore(backup, guard.path):
        click.echo("Nothing was changed.")
        return
    result = guard.restore(copy)
    for problem in result.passed_over:
        note(f"Passed over {problem}")
    if as_json:
        print_json(result)
        return
    memories = "memory" if result.memories == 1 else "memories"
    click.echo(f"Restored {result.memories:,} {memories} from {result.backup} ({iso(backup.taken_at)}).")
    if result.removed:
        click.echo(f"Left out {result.removed:,} that you had forgotten since.")
    if result.set_aside:
        click.echo(f"The store that was there is now {result.set_aside}")


def _confirm_restore(backup: Backup, place: Path) -> bool:
    if not sys.stdin.isatty():
        raise InvalidInput(field="--yes", problem="is needed when there is no terminal to ask at.")
    return click.confirm(f"Put the backup of {iso(backup.taken_at)} in the place of {place}?")
