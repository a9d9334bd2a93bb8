"""`holdfast cleanup`, `prune`: what goes, by the limits or as asked for; of a project, or of a whole server."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import check_can_ask, common, only_person, service_of
from holdfast.interfaces.cli.output import faint, kind_label, megabytes, note, print_json, print_table, shown
from holdfast.interfaces.cli.progress import progress
from holdfast.model.requests import PruneRequest
from holdfast.model.upkeep import Cleanup, Departure, Prune
from holdfast.service.service import Service

if TYPE_CHECKING:
    from holdfast.storage.tenancy import TenantCare


MOST_MERGED = 20
"""Mergers shown: each is a line with several ids; `--json` has all of them."""

_AGE = re.compile(r"(\d{1,5})\s*(d|w|y)?")
_DAYS = {"d": 1, "w": 7, "y": 365}

FAILED_TENANTS = 8
"""The exit code when a tenant could not be looked after."""

MOST_SHOWN = 50
"""Rows shown; `--json` has all of them."""


@click.command("cleanup")
@click.option("--dry-run", "-n", is_flag=True, help="Only show what would go, and why.")
@common
def cleanup(dry_run: bool, project: Path, as_json: bool) -> None:
    """Delete what expired or faded, keep the limits, merge memories that say the same, give room back.

    Pinned memories, decisions, what an active session said and what was read in the last 24 hours stay. What a
    person said, or took in from files, git or another tool, goes by its own expiry or when there is no more room.
    Merged memories are history of the one that stays: `holdfast supersede --undo ID` brings one back.

    \b
    Examples:
      holdfast cleanup --dry-run
      holdfast cleanup
    """
    with service_of(project) as service:
        with progress("Cleaning up", service.upkeep.extent()) as step:
            cleanup = service.cleanup(dry_run=dry_run, progress=step)
        if as_json:
            print_json(cleanup)
        else:
            _print_cleanup(service, cleanup)


def _print_cleanup(service: Service, cleanup: Cleanup) -> None:
    would = "would " if cleanup.dry_run else ""
    if cleanup.gone or cleanup.merged or cleanup.turns or cleanup.accesses:
        print_going(service, cleanup.gone, dry_run=cleanup.dry_run)
        _print_merged(service, cleanup)
        if cleanup.turns:
            click.echo(f"{cleanup.turns:,} turns that prove no memory {would}go.")
        if cleanup.accesses:
            click.echo(f"{cleanup.accesses:,} rows of the access log {would}go.")
    else:
        click.echo(f"Nothing {would or 'had to '}go.")
    print_kept(cleanup.kept)
    about = "about " if cleanup.dry_run else ""
    click.echo(
        f"{megabytes(cleanup.bytes_before)} in use before, {about}{megabytes(cleanup.bytes_after)} after; "
        f"the limit is {megabytes(cleanup.max_bytes)}."
    )


def _print_merged(service: Service, cleanup: Cleanup) -> None:
    if not cleanup.merged:
        return
    verb = "would become" if cleanup.dry_run else "became"
    count = sum(len(merge.others) for merge in cleanup.merged)
    click.echo(f"{count:,} memories {verb} history of one that says the same:")
    print_table(
        [
            (
                service.short_id(merge.kept),
                "+ " + " ".join(map(service.short_id, merge.others)),
                shown(merge.title),
            )
            for merge in cleanup.merged[:MOST_MERGED]
        ]
    )
    if len(cleanup.merged) > MOST_MERGED:
        note(f"… and {len(cleanup.merged) - MOST_MERGED:,} more such; --json names all of them.")


@click.command("prune")
@click.option("--older-than", metavar="AGE", help="Neither read nor confirmed for so long: 30, 30d, 8w, 1y.")
@click.option("--below-score", metavar="WEIGHT", type=float, help="Decayed importance of at most this, 0 to 1.")
@click.option("--source", help="Said by this source and by no other.")
@click.option("--mine", is_flag=True, help="Also what a person asked to remember.")
@click.option("--all-tenants", is_flag=True, help="Look after every store of every tenant on a server instead.")
@click.option("--url", metavar="URL", help="With --all-tenants: the server, instead of your store.url.")
@click.option("--dry-run", "-n", is_flag=True, help="Only show what would go, and why.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common
def prune(
    older_than: str | None,
    below_score: float | None,
    source: str | None,
    mine: bool,
    all_tenants: bool,
    url: str | None,
    dry_run: bool,
    yes: bool,
    project: Path,
    as_json: bool,
) -> int:
    """Delete memories by age, by weight or by source; given several, all must be met.

    A memory's weight is its importance as time and neglect left it. Pinned memories, decisions, what an active
    session said and what was read in the last 24 hours stay.

    With --all-tenants it is what a server needs from time to time, by a login with the role holdfast_gc: of every
    store, what expired or faded goes, limits are kept, what says the same is merged, statistics are summed up, the
    log is sealed, and large stores get a graph for their vectors. A tenant that is broken is named (exit code 8),
    and holds up no other.

    \b
    Examples:
      holdfast prune --older-than 90d --dry-run
      holdfast prune --below-score 0.1 --yes
      holdfast prune --source web
      holdfast prune --all-tenants --url postgresql://db.example/holdfast --dry-run
    """
    request = PruneRequest(days=_days(older_than), max_score=below_score, source=source, mine=mine)
    if all_tenants or url:
        if not all_tenants or request != PruneRequest():
            raise InvalidInput(field="--all-tenants", problem="goes alone, or with --url and --dry-run.")
        only_person("pruning for all tenants")
        return tend_tenants(project, url, dry_run=dry_run, as_json=as_json)
    with service_of(project) as service:
        service.check_on()
        result = _prune_once_agreed(service, request, dry_run=dry_run, yes=yes)
        if as_json:
            print_json(result)
        else:
            _print_pruned(service, result, dry_run=dry_run)
    return 0


def _prune_once_agreed(service: Service, request: PruneRequest, *, dry_run: bool, yes: bool) -> Prune:
    """Delete what is asked for once somebody has agreed to it; else say what would go."""
    plan = service.prune(replace(request, dry_run=True))
    if dry_run or not plan.gone or not (yes or _confirm_pruning(service, plan)):
        return plan
    with progress("Pruning", service.upkeep.extent()) as step:
        return service.prune(request, step)


def _days(age: str | None) -> int | None:
    if age is None:
        return None
    age_match = _AGE.fullmatch(age.strip())
    if not age_match:
        raise InvalidInput(field="--older-than", problem="is not an age. Give days, or 30d, 8w, 1y.")
    return int(age_match[1]) * _DAYS[age_match[2] or "d"]


def _confirm_pruning(service: Service, result: Prune) -> bool:
    check_can_ask()
    print_going(service, result.gone, dry_run=True)
    return click.confirm(f"Delete these {len(result.gone):,}?")


def _print_pruned(service: Service, result: Prune, *, dry_run: bool) -> None:
    if not result.gone:
        click.echo("Nothing to prune.")
    elif result.dry_run and not dry_run:
        click.echo("Kept.")
    else:
        print_going(service, result.gone, dry_run=result.dry_run)
    print_kept(result.kept)


def tend_tenants(directory: Path, url: str | None, *, dry_run: bool, as_json: bool) -> int:
    """Look after every tenant of a server; return the exit code."""
    from holdfast.storage.tenancy import server_of  # few have a server

    server = server_of(directory, url, dry_run=dry_run)
    reports = []
    for report in server.tend():
        reports.append(report)
        if not as_json:
            _print_tenant(report, dry_run=dry_run)
    graphs, problem = server.build_graphs()
    if as_json:
        print_json({"dry_run": dry_run, "tenants": reports, "graphs": graphs, "graphs_problem": problem})
    else:
        _print_rest(len(reports), graphs, problem)
    return FAILED_TENANTS if any(report.failures for report in reports) else 0


def _print_tenant(report: "TenantCare", *, dry_run: bool) -> None:
    would = "would go" if dry_run else "went"
    parts = [f"{number:,} memories {would} ({rule})" for rule, number in report.gone.items()]
    parts += [f"{report.merged:,} {'would be ' if dry_run else ''}merged"] if report.merged else []
    parts += [f"{report.turns:,} turns {would}"] if report.turns else []
    parts += [f"{report.accesses:,} rows of the access log {would}"] if report.accesses else []
    stores = f"{report.stores} store{'' if report.stores == 1 else 's'}"
    summary = ", ".join(parts) or f"nothing {'would go' if dry_run else 'had to go'}"
    click.echo(f"{shown(report.tenant)}  {faint(stores)}  {summary}; {megabytes(report.bytes_after)} in use")
    for failure in report.failures:
        click.echo(click.style(f"  failed: {shown(failure)}", fg="red"))


def _print_rest(tenants: int, graphs: list[str], problem: str | None) -> None:
    if not tenants:
        click.echo("There is no tenant on this server.")
    for name in graphs:
        click.echo(f"Built {name}.")
    if problem:
        note(f"Graphs were not looked after: {problem}")


def print_going(service: Service, departures: Sequence[Departure], *, dry_run: bool) -> None:
    """Print which memories went, or would, and why."""
    if not departures:
        return
    click.echo(f"{len(departures):,} memories {'would go' if dry_run else 'went'}:")
    print_table(
        [
            (
                service.short_id(departure.id),
                kind_label(departure.kind),
                faint(departure.why),
                shown(departure.title),
            )
            for departure in departures[:MOST_SHOWN]
        ]
    )
    if len(departures) > MOST_SHOWN:
        note(f"… and {len(departures) - MOST_SHOWN:,} more; --json names all of them.")


def print_kept(counts_by_reason: Mapping[str, int]) -> None:
    """Print what stays although a rule was for it."""
    for reason, number in counts_by_reason.items():
        click.echo(faint(f"{number:,} stay: {reason}."))
