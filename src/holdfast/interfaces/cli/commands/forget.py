"""`holdfast forget`: remove memories for good."""

from collections.abc import Sequence
from pathlib import Path

import click

from holdfast.capture.clean import echo
from holdfast.errors import InvalidInput, UnknownId
from holdfast.interfaces.cli.frame import common, service_of
from holdfast.interfaces.cli.options import can_ask
from holdfast.interfaces.cli.output import date_label, note, print_json, print_table, shown
from holdfast.model.memory import Forgotten, Memory
from holdfast.model.search import Filters
from holdfast.service import Service

SHOWN = 20
"""Titles shown before asking; more would scroll the question away."""


@click.command("forget")
@click.argument("what", required=False)
@click.option("--source", help="Everything that came from this source.")
@click.option("--session", metavar="ID", help="Everything from this session, what was said in it included.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common
def command(
    what: str | None, source: str | None, session: str | None, yes: bool, project: Path, as_json: bool
) -> None:
    """Remove memories, their words in recorded turns, and their way back by themselves.

    WHAT is an id, or else a text: then every memory that holds it is meant, history included. Copies of the store
    made earlier are not touched.

    \b
    Examples:
      holdfast forget 1f2e3d4c --yes
      holdfast forget "staging password"
      holdfast forget --source web
    """
    if sum(given is not None for given in (what, source, session)) != 1:
        raise InvalidInput(
            field="WHAT", problem="give an id, a text, --source or --session, and only one of them."
        )
    with service_of(project) as service:
        service.check_on()
        memory = service.peek(what) if what else None
        filters = Filters(sources=(source,) if source is not None else (), session=session, contains=what)
        meant = [memory] if memory else service.forgettable(filters)
        if what and not meant:
            raise UnknownId(noun="memory", id=echo(what), near=service.near_id(what))
        if not (yes or _agreed(service, meant)):
            click.echo("Kept.")
            return
        gone = service.forget(memory.id) if memory else service.forget_where(filters)
    if as_json:
        print_json(gone)
    else:
        _report(gone, meant)


def _agreed(service: Service, meant: Sequence[Memory]) -> bool:
    if not can_ask():
        raise InvalidInput(field="--yes", problem="is needed when there is no terminal to ask at.")
    if len(meant) == 1:
        return click.confirm(f'Forget "{shown(meant[0].title)}"?')
    rows = [(service.short_id(one.id), date_label(one.created_at), shown(one.title)) for one in meant[:SHOWN]]
    print_table(rows)
    if len(meant) > SHOWN:
        note(f"… and {len(meant) - SHOWN:,} more")
    return click.confirm(f"Forget these {len(meant):,}?")


def _report(gone: Forgotten, meant: Sequence[Memory]) -> None:
    titles = [one.title for one in meant if one.id in gone.ids]
    if len(gone.ids) == len(titles) == 1:
        click.echo(f"Forgotten: {shown(titles[0])}")
    else:
        click.echo(f"Forgotten: {len(gone.ids):,} {'memory' if len(gone.ids) == 1 else 'memories'}.")
    if gone.kept:
        click.echo(f"{len(gone.kept):,} that others said too stay, without this source.")
    if gone.masked_turns:
        click.echo(f"Masked in {gone.masked_turns} recorded turn(s).")
    if gone.pending:
        click.echo("The last bytes go when another process stops reading; the next command tries again.")
