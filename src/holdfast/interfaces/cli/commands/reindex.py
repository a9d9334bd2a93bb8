"""`holdfast reindex`: make the indexes anew, of words and of meaning."""

from pathlib import Path

import click

from holdfast.interfaces.cli.frame import common, service_of
from holdfast.interfaces.cli.output import print_json
from holdfast.interfaces.cli.progress import progress
from holdfast.model.records import EmbeddingState
from holdfast.wiring import open_guard


@click.command("reindex")
@click.option("--user", is_flag=True, help="The words of your own store, instead of the project's.")
@click.option("--pending", is_flag=True, help="Only what waits for a vector; keep everything else.")
@common
def command(user: bool, pending: bool, project: Path, as_json: bool) -> None:
    """Make the full-text indexes and the vectors anew from the rows.

    The words come first, all or nothing; others can read meanwhile, and wait to write. Interrupted while it makes
    vectors, it goes on there the next time. After a change of embedding.model every vector is made anew.

    \b
    Examples:
      holdfast reindex
      holdfast reindex --pending
    """
    rows = 0 if pending else _index_words(project, user)
    embedding = _index_meaning(project, pending)
    if as_json:
        print_json({"rows": rows, "embedding": embedding})
        return
    if not pending:
        click.echo(f"Indexed {rows:,} rows anew.")
    if embedding and embedding.problem:
        click.echo(f"Vectors are not finished: {embedding.problem}")
    elif embedding:
        click.echo("Every memory and turn has its vectors.")


def _index_words(project: Path, user: bool) -> int:
    guard = open_guard(project, actor="cli", user=user)
    with progress("Indexing", guard.indexed()) as step:
        return guard.reindex(step)


def _index_meaning(project: Path, pending: bool) -> EmbeddingState | None:
    with service_of(project) as service:
        if not pending:
            service.restart_vectors()
        with progress("Embedding", service.waiting()) as step:
            service.flush(step)
        return service.stats().embedding
