"""`holdfast trust`: take over a store, or obey settings, that came with a repository."""

from pathlib import Path

import click

from holdfast.compose.guards import open_keeper
from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import common, only_person
from holdfast.interfaces.cli.output import print_json, shown
from holdfast.model.care import Trusted


@click.command("trust")
@click.option("--own", is_flag=True, help="It is your own copy: keep status, trust, pins, sessions and history.")
@click.option("--dry-run", is_flag=True, help="Only say what would be taken and what left.")
@click.option("--config", "config", is_flag=True, help="Obey the project's config.toml as it stands.")
@common
def command(own: bool, dry_run: bool, config: bool, project: Path, as_json: bool) -> None:
    """Take over a store that you did not make here: one that came with a clone, or a copy of your own.

    Its rows go into a new store, each checked and marked as imported and unconfirmed; its triggers, views, pins
    and levels of trust have no effect. The file itself is set aside, never opened in place.

    \b
    Examples:
      holdfast trust --dry-run
      holdfast trust --own
    """
    if not dry_run:
        only_person("trusting a store or settings")
    guard = open_keeper(project, actor="cli")
    if config:
        if own or dry_run:
            raise InvalidInput(field="--config", problem="goes alone.")
        _print_config(guard.vouch_for_config(), as_json)
        return
    tally = guard.trust(own=own, dry_run=dry_run)
    if as_json:
        print_json(tally)
    elif tally is None:
        click.echo("You made this store; there is nothing to take over.")
    else:
        _print_taken(tally)


def _print_config(keys: tuple[str, ...], as_json: bool) -> None:
    if as_json:
        print_json({"obeyed": keys})
        return
    key_text = f": {', '.join(map(shown, keys))}" if keys else ""
    click.echo(f"The project's settings are obeyed as they stand{key_text}. When the file changes, say so again.")


def _print_taken(tally: Trusted) -> None:
    click.echo(f"{'Would take' if tally.dry_run else 'Took'} {_tally_text(tally)}.")
    for reason, number in sorted(tally.left.items()):
        click.echo(f"Left {number:,}: {shown(reason)}.")
    if tally.set_aside:
        click.echo(f"The file that was there is now {tally.set_aside}; delete it when you no longer need it.")


def _tally_text(tally: Trusted) -> str:
    if tally.own:
        return f"{tally.memories:,} memories, {tally.sessions:,} sessions and {tally.turns:,} turns, as they are"
    again = f" ({tally.duplicates:,} said twice)" if tally.duplicates else ""
    return f"{tally.memories:,} memories as unconfirmed imports{again}"
