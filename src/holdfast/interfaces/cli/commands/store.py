"""`holdfast init`, `backup`, `restore`, `trust`, `migrate-store`, `doctor`, `reindex`: a store as a whole."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import check_can_ask, common, only_person, service_of
from holdfast.interfaces.cli.output import faint, note, print_json, print_list, print_result, shown
from holdfast.interfaces.cli.progress import ASIDE, note_rest, progress
from holdfast.model.care import OK, PROBLEM, WARNING, Backup, Checkup, Diagnosis, Trusted
from holdfast.model.records import Counts, EmbeddingState, Rescan
from holdfast.model.times import iso
from holdfast.storage.postgres import ServerStore, named_server
from holdfast.storage.workspace import open_keeper

if TYPE_CHECKING:
    from holdfast.migrate import MoveReport


_LABELS = {"project": "Moving", "user": "Moving your own"}


@click.command("init")
@click.option("--fresh", is_flag=True, help="Start anew where a store was lost or is damaged.")
@common
def init(fresh: bool, project: Path, as_json: bool) -> None:
    """Make a store for this project. Doing it twice changes nothing.

    With --fresh, a damaged store is set aside, and a lost one is let go; its backups stay.

    \b
    Example:
      holdfast init
    """
    with service_of(project, create=True, fresh=fresh, anywhere=True) as service:
        service.check_on()
        state = service.stats().project
    if as_json:
        print_json(state)
    else:
        click.echo(f"Memory for {state.project} is kept in {state.place}")
        if state.mount:
            click.echo(
                f"It lies on a shared folder ({state.mount}): no write-ahead log there, so writes are slower."
            )


@click.command("backup")
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Where to, instead of your data.")
@click.option("--list", "listed", is_flag=True, help="Only show the backups there are.")
@click.option("--user", is_flag=True, help="Your own store, instead of the project's.")
@common
def backup(output: Path | None, listed: bool, user: bool, project: Path, as_json: bool) -> None:
    """Copy the store while it is in use. The copy is checked before it gets its name.

    Copies hold what was remembered when they were made, also what you forget later.

    \b
    Examples:
      holdfast backup
      holdfast backup --list
    """
    guard = open_keeper(project, actor="cli", user=user)
    if listed:
        print_backups(guard.backups(), as_json)
        return
    backup = guard.back_up(output.absolute() if output else None)
    text = f"Backed up to {backup.path} ({backup.bytes / 1024:,.0f} KB), and checked."
    print_result(backup, text, as_json=as_json)


def print_backups(backups: Sequence[Backup], as_json: bool) -> None:
    """Show backups, newest first."""
    print_list(backups, _backup_row, "There is no backup yet.", as_json=as_json)


def _backup_row(backup: Backup) -> tuple[str, ...]:
    return iso(backup.taken_at), backup.label, f"{backup.bytes / 1024:,.0f} KB", faint(backup.path)


@click.command("restore")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--list", "listed", is_flag=True, help="Only show the backups there are.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--user", is_flag=True, help="Your own store, instead of the project's.")
@common
def restore(file: Path | None, listed: bool, yes: bool, user: bool, project: Path, as_json: bool) -> None:
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
    check_can_ask()
    return click.confirm(f"Put the backup of {iso(backup.taken_at)} in the place of {place}?")


@click.command("trust")
@click.option("--own", is_flag=True, help="It is your own copy: keep status, trust, pins, sessions and history.")
@click.option("--dry-run", is_flag=True, help="Only say what would be taken and what left.")
@click.option("--config", "config", is_flag=True, help="Obey the project's config.toml as it stands.")
@common
def trust(own: bool, dry_run: bool, config: bool, project: Path, as_json: bool) -> None:
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
    key_text = f": {', '.join(map(shown, keys))}" if keys else ""
    text = f"The project's settings are obeyed as they stand{key_text}. When the file changes, say so again."
    print_result({"obeyed": keys}, text, as_json=as_json)


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


@click.command("migrate-store")
@click.option("--to", "to", metavar="URL", help="The server to move this project's memory to: postgresql://….")
@click.option("--from", "back", metavar="URL", help="The server to bring this project's memory back from.")
@click.option("--tenant", metavar="NAME", help="Whose memory it is on the server.")
@click.option("--user", is_flag=True, help="Your own memories, for every project, as well.")
@common
def migrate_store(
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
    from holdfast.migrate import Move

    host = named_server(url, tenant)
    moves = Move(project, host, back is not None).run(
        lambda scope, total: progress(_LABELS[scope], total), user=user
    )
    steps = _next_steps(host, back is not None)
    if as_json:
        print_json({"moved": moves, "next": steps})
        return
    for move in moves:
        click.echo(_move_text(move))
    click.echo("Nothing was changed where it came from. To use it from now on:")
    for step in steps:
        click.echo(f"  {step}")


def _move_text(move: "MoveReport") -> str:
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
