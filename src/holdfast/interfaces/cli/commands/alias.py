"""`holdfast alias`: words that this project uses for each other."""

from pathlib import Path

import click

from holdfast.interfaces.cli.base import Group, common, service_of
from holdfast.interfaces.cli.output import faint, note, print_json, print_table, shown
from holdfast.recall.stand_ins import DEFAULTS


@click.group("alias", cls=Group)
def command() -> None:
    """Let words find each other: `auth` finds what speaks of `keycloak`.

    A few that most projects share are built in; they stand in for a word that the store does not hold. Your own
    always count, in searches and in briefs.
    """


@command.command("add")
@click.argument("word")
@click.argument("meanings", nargs=-1, required=True)
@common
def add(word: str, meanings: tuple[str, ...], project: Path, as_json: bool) -> None:
    """Let WORD also be called each of MEANINGS.

    \b
    Examples:
      holdfast alias add auth keycloak sso
    """
    with service_of(project, create=True) as service:
        count = service.aliases.add(word, meanings)
    if as_json:
        print_json({"word": word, "added": count})
        return
    click.echo(f"{count} new." if count else "Known already.")


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Also those that are built in.")
@common
def show(everything: bool, project: Path, as_json: bool) -> None:
    """Show what words are also called.

    \b
    Examples:
      holdfast alias list --all
    """
    with service_of(project) as service:
        own = service.aliases.all()
    if as_json:
        print_json({"own": own, **({"built_in": dict(DEFAULTS)} if everything else {})})
        return
    rows = [(shown(word), shown(", ".join(meanings))) for word, meanings in own.items()]
    built_in = [(faint(word), faint(", ".join(meanings))) for word, meanings in DEFAULTS.items()]
    print_table([*rows, *(built_in if everything else [])])
    if not rows and not everything:
        note("This project has no aliases of its own; --all shows those that are built in.")


@command.command("remove")
@click.argument("word")
@click.argument("meanings", nargs=-1)
@common
def remove(word: str, meanings: tuple[str, ...], project: Path, as_json: bool) -> None:
    """Let go of what WORD is also called, or only of MEANINGS.

    \b
    Examples:
      holdfast alias remove auth sso
    """
    with service_of(project) as service:
        count = service.aliases.remove(word, meanings)
    if as_json:
        print_json({"word": word, "removed": count})
        return
    click.echo(f"{count} removed." if count else "There was none.")
