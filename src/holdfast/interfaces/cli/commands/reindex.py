"""`holdfast reindex`: make the indexes anew, of words and of meaning."""

from pathlib import Path

import click

from holdfast.compose.guards import open_keeper
from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.output import print_json
from holdfast.interfaces.cli.progress import progress
from holdfast.model.records import EmbeddingState

EXIT_UNFINISHED = 9


@click.command("reindex")
@click.option("--user", is_flag=True, help="Your own store, instead of the project's.")
@click.option("--pending", is_flag=True, help="Only what waits for a vector; keep everything else.")
@common
def command(user: bool, pending: bool, project: Path, as_json: bool) -> int:
    """Make the full-text indexes and the vectors anew from the rows.

    The words come first, all or nothing; others can read meanwhile, and wait to write. Interrupted while it makes
    vectors, it goes on there the next time. After a change of embedding.model every vector is made anew, once the
    new model has made one; `--pending` never replaces another model's. The exit code is 9 when vectors are missing
    in the end.

    \b
    Examples:
      holdfast reindex
      holdfast reindex --user
      holdfast reindex --pending
    """
    rows = None if pending else _index_words(project, user)
    embedding = _index_meaning(project, user, pending)
    if as_json:
        print_json({"rows": rows or 0, "embedding": embedding})
    else:
        _print(rows, embedding, pending)
    return EXIT_UNFINISHED if embedding and _is_unfinished(embedding, pending) else 0


def _print(rows: int | None, embedding: EmbeddingState | None, only_pending: bool) -> None:
    if rows is None and not only_pending:
        click.echo("The server keeps the index of words with the rows themselves: only vectors are made anew.")
    elif rows is not None:
        click.echo(f"Indexed {rows:,} rows anew.")
    if embedding and embedding.problem:
        click.echo(f"Vectors are not finished: {embedding.problem}")
    elif embedding:
        click.echo("Every memory and turn has its vectors.")


def _is_unfinished(embedding: EmbeddingState, only_pending: bool) -> bool:
    """Say whether vectors are missing that somebody wants: without a model there are none to miss."""
    if embedding.model is None and embedding.notice is None:
        return False
    return embedding.problem is not None and (not only_pending or any(embedding.waiting.values()))


def _index_words(project: Path, user: bool) -> int | None:
    guard = open_keeper(project, actor="cli", user=user)
    if guard.hosted:
        return None
    with progress("Indexing", guard.indexed()) as step:
        return guard.reindex(step)


def _index_meaning(project: Path, user: bool, only_pending: bool) -> EmbeddingState | None:
    with service_of(project) as service:
        if not only_pending:
            service.restart_vectors("user" if user else "project")
        with progress("Embedding", service.waiting()) as step:
            service.flush(step)
        stats = service.stats()
    return stats.user_embedding if user else stats.embedding
