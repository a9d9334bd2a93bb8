"""`holdfast reindex`: vectors that are missing, or all of them anew."""

import sys
from pathlib import Path

import click

from holdfast.interfaces.cli.frame import common, service_of
from holdfast.interfaces.cli.output import print_json
from holdfast.service import Service


@click.command("reindex")
@click.option("--pending", is_flag=True, help="Only what waits for a vector; keep the others.")
@common
def command(pending: bool, project: Path, as_json: bool) -> None:
    """Make the vectors that search by meaning needs, after a change of embedding.model all of them.

    Interrupted, it goes on where it stopped. Keyword search works meanwhile.

    \b
    Examples:
      holdfast reindex
      holdfast reindex --pending
    """
    with service_of(project) as service:
        if not pending:
            service.restart_vectors()
        _finish(service)
        embedding = service.stats().embedding
    if as_json:
        print_json(embedding)
    elif embedding and embedding.problem:
        click.echo(f"Not finished: {embedding.problem}")
    else:
        click.echo("Every memory and turn has its vectors.")


def _finish(service: Service) -> None:
    """Embed what waits, with a bar on the terminal for people."""
    waiting = service.waiting()
    with click.progressbar(length=waiting, label="Embedding", file=sys.stderr) as bar:
        service.flush(bar.update)
