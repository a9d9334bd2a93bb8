"""`holdfast doctor`: check everything, and repair what can be repaired."""

from pathlib import Path

import click

from holdfast.compose.guards import open_keeper
from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.output import print_json, shown
from holdfast.interfaces.cli.progress import progress
from holdfast.model.care import OK, PROBLEM, WARNING, Checkup, Diagnosis
from holdfast.model.records import Counts, Rescan

FOUND_PROBLEMS = 8

_SIGNS = {OK: ("✓", "green"), WARNING: ("!", "yellow"), PROBLEM: ("✗", "red")}


@click.command("doctor")
@click.option("--repair", is_flag=True, help="Make anew what can be; bring damaged rows back from backups.")
@click.option("--scan-secrets", is_flag=True, help="Look for secrets with today's rules and redact them in place.")
@click.option("--user", is_flag=True, help="Your own store, instead of the project's.")
@common
def command(repair: bool, scan_secrets: bool, user: bool, project: Path, as_json: bool) -> int:
    """Check the store and what is around it: pages, rows, indexes, vectors, logs, modes, space, backups, trust.

    --repair makes indexes anew, brings damaged rows back from the newest backup that has them, and names what is
    lost; the damaged file is kept.

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
    guard = open_keeper(project, actor="cli", user=user)
    checkup = guard.repair() if repair else guard.examine()
    if as_json:
        print_json(checkup)
    else:
        _print(checkup)
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


def _print(checkup: Checkup) -> None:
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
