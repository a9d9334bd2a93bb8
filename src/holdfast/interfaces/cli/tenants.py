"""`holdfast prune --all-tenants`: upkeep of a whole server, a line a tenant."""

from pathlib import Path

import click

from holdfast.compose.tenants import TenantCare, server_of
from holdfast.interfaces.cli.output import faint, megabytes, note, print_json, shown

FOUND_PROBLEMS = 8


def tend_tenants(directory: Path, url: str | None, *, dry_run: bool, as_json: bool) -> int:
    """Look after every tenant of a server; return the exit code."""
    server = server_of(directory, url, dry_run=dry_run)
    reports = []
    for report in server.tend():
        reports.append(report)
        if not as_json:
            _print(report, dry_run=dry_run)
    graphs, problem = server.build_graphs()
    if as_json:
        print_json({"dry_run": dry_run, "tenants": reports, "graphs": graphs, "graphs_problem": problem})
    else:
        _print_rest(len(reports), graphs, problem)
    return FOUND_PROBLEMS if any(report.failures for report in reports) else 0


def _print(report: TenantCare, *, dry_run: bool) -> None:
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
