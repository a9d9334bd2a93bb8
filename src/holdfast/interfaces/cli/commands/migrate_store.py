"""`holdfast migrate-store`: move memories to a server, or back into a file."""

import contextlib
from collections.abc import Sequence
from pathlib import Path

import click

from holdfast.compose.postgres import ServerStore, named_server
from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import common, only_person
from holdfast.interfaces.cli.output import Step, print_json, progress, shown
from holdfast.migrate import Move, MoveReport

_LABELS = {"project": "Moving", "user": "Moving your own"}


@click.command("migrate-store")
@click.option("--to", "to", metavar="URL", help="The server to move this project's memory to: postgresql://….")
@click.option("--from", "back", metavar="URL", help="The server to bring this project's memory back from.")
@click.option("--tenant", metavar="NAME", help="Whose memory it is on the server.")
@click.option("--user", is_flag=True, help="Your own memories, for every project, as well.")
@common
def command(
    to: str | None, back: str | None, tenant: str | None, user: bool, project: Path, as_json: bool
) -> None:
    """Move everything that is remembered from a file to a PostgreSQL server, or back.

    What is moved from stays as it is. Counts of both ends are compared. Interrupted, it goes on where it stopped
    when it is run again; a target that holds something else is left alone.

    \b
    Examples:
      holdfast migrate-store --to postgresql://db.example/holdfast --tenant acme
      holdfast migrate-store --from postgresql://db.example/holdfast --tenant acme
    """
    url = to or back
    if url is None or (to and back):
        raise InvalidInput(field="--to", problem="give one of --to and --from, with the address of a server.")
    only_person("moving memory elsewhere")
    host = named_server(url, tenant)
    moves = Move(project, host, back is not None).run(_scope_progress, user=user)
    steps = _next_steps(host, back is not None)
    if as_json:
        print_json({"moved": moves, "next": steps})
        return
    for move in moves:
        click.echo(_move_text(move))
    click.echo("Nothing was changed where it came from. To use it from now on:")
    for step in steps:
        click.echo(f"  {step}")


def _scope_progress(scope: str, total: int) -> contextlib.AbstractContextManager[Step]:
    return progress(_LABELS[scope], total)


def _move_text(move: MoveReport) -> str:
    counts = move.counts
    contents = f"{counts.memories + counts.superseded + counts.expired + counts.faded:,} memories"
    subject = "your own memories" if move.scope == "user" else "the project's memory"
    contents += f", {counts.sessions:,} sessions and {counts.turns:,} turns"
    ends = f"{shown(move.source)} to {shown(move.target)}"
    return f"Moved {subject} from {ends}: {move.moved:,} rows now; both hold {contents}."


def _next_steps(host: ServerStore, back: bool) -> Sequence[str]:
    if back:
        return ("holdfast config unset store.url", "holdfast config unset store.tenant")
    return (f"holdfast config set store.url {host.shown}", f"holdfast config set store.tenant {host.tenant}")
