"""`holdfast doctor`, `reindex`: check everything, repair what can be, make the indexes anew."""

from pathlib import Path

import click

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.output import print_json, progress, shown
from holdfast.interfaces.cli.vectors import ASIDE, note_rest
from holdfast.model.care import OK, PROBLEM, WARNING, Checkup, Diagnosis
from holdfast.model.records import Counts, EmbeddingState, Rescan
from holdfast.storage.workspace import open_keeper

FOUND_PROBLEMS = 8

_SIGNS = {OK: ("✓", "green"), WARNING: ("!", "yellow"), PROBLEM: ("✗", "red")}
EXIT_UNFINISHED = 9


@click.command("doctor")
@click.option(
    "--repair", is_flag=True, help="Rebuild indexes; restore the newest good backup where rows are damaged."
)
@click.option("--scan-secrets", is_flag=True, help="Look for secrets with today's rules and redact them in place.")
@click.option("--user", is_flag=True, help="Your own store, instead of the project's.")
@common
def doctor(repair: bool, scan_secrets: bool, user: bool, project: Path, as_json: bool) -> int:
    """Check the store and what is around it: pages, rows, indexes, vectors, logs, modes, space, backups, trust.

    --repair makes indexes anew. Where pages or rows are damaged it restores the newest good backup and says how
    much was written since; the damaged file is kept.

    It runs with settings that cannot be used, too, and says on which line of which file that is.

    The exit code is 8 when a problem is found or left, 0 when there are none or only warnings.

    With --scan-secrets it does something else: it goes through every memory, turn, session and logged query, and
    puts placeholders in place of the secrets that older rules let through. Backups made before are not touched.

    \b
    Examples:
      holdfast doctor
      holdfast doctor --repair
      holdfast doctor --scan-secrets
    """
    if scan_secrets:
        if repair:
            raise InvalidInput(field="--scan-secrets", problem="goes alone.")
        _scan(project, user, as_json)
        return 0
    guard = open_keeper(project, actor="cli", user=user, anyway=not repair)
    checkup = guard.repair() if repair else guard.examine()
    if as_json:
        print_json(checkup)
    else:
        _print_checkup(checkup)
    return 0 if checkup.healthy else FOUND_PROBLEMS


def _scan(project: Path, user: bool, as_json: bool) -> None:
    with service_of(project) as service:
        stats = service.stats()
        counts = stats.user_counts if user else stats.counts
        with progress("Looking", _rows(counts) if counts else 0) as step:
            rescan = service.rescan_secrets("user" if user else "project", step)
    if as_json:
        print_json(rescan)
        return
    click.echo(_rescan_text(rescan))
    if rescan.found:
        click.echo("Backups made before still hold it: `holdfast backup --list` names them.")
    if rescan.pending:
        click.echo("The last bytes go when another process stops reading; the next command tries again.")


def _rows(counts: Counts) -> int:
    return counts.memories + counts.superseded + counts.expired + counts.turns + counts.sessions


def _rescan_text(rescan: Rescan) -> str:
    tables = {
        "memories": rescan.memories,
        "turns": rescan.turns,
        "sessions": rescan.sessions,
        "queries": rescan.queries,
        "briefs": rescan.briefs,
    }
    table_counts = ", ".join(f"{number:,} {name}" for name, number in tables.items() if number)
    if not table_counts:
        return f"Looked through {rescan.checked:,} rows: no secrets."
    secret_counts = ", ".join(f"{name} {number:,}×" for name, number in rescan.found.items())
    return f"Redacted in {table_counts}, of {rescan.checked:,} rows: {secret_counts}."


def _print_checkup(checkup: Checkup) -> None:
    for repair in checkup.repaired:
        click.echo(f"Repaired: {shown(repair)}.")
    for row in checkup.lost:
        click.echo(f"{click.style('Lost', fg='red')}: {shown(row)}.")
    for diagnosis in checkup.diagnoses:
        click.echo(_line(diagnosis))


def _line(diagnosis: Diagnosis) -> str:
    sign, colour = _SIGNS[diagnosis.severity]
    advice = f"\n    → {diagnosis.advice}" if diagnosis.advice else ""
    return f"{click.style(sign, fg=colour)} {diagnosis.name}: {shown(diagnosis.message)}{advice}"


@click.command("reindex")
@click.option("--user", is_flag=True, help="Your own store, instead of the project's.")
@click.option("--pending", is_flag=True, help="Only what waits for a vector; keep everything else.")
@common
def reindex(user: bool, pending: bool, project: Path, as_json: bool) -> int:
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
        _print_reindexed(rows, embedding, pending)
    return EXIT_UNFINISHED if embedding and _is_unfinished(embedding, pending) else 0


def _print_reindexed(rows: int | None, embedding: EmbeddingState | None, only_pending: bool) -> None:
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
        try:
            with progress("Vectors", service.waiting(), ASIDE) as step:
                service.flush(step)
        except KeyboardInterrupt:
            note_rest(service.waiting())
            raise
        stats = service.stats()
    return stats.user_embedding if user else stats.embedding
