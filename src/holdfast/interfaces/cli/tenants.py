"""`holdfast prune --all-tenants`: upkeep of a whole server, a line a tenant."""

from pathlib import Path

import click

from holdfast.compose.tenants import TenantCare, server_of
from holdfast.interfaces.cli.output import faint, megabytes, note, print_json, shown

FOUND_PROBLEMS = 8


def tend_tenants(directory: Path, url: str | None, *, dry_run: bool, as_json: bool) -> int:
    """Look after every tenant of a server; return the exit code."""
    server = server_of(directory, url, dry_run=dry_run)
    done = []
    for one in server.tend():
        done.append(one)
        if not as_json:
            _print(one, dry_run=dry_run)
    built, problem = server.build_graphs()
    if as_json:
        print_json({"dry_run": dry_run, "tenants": done, "graphs": built, "graphs_problem": problem})
    else:
        _print_rest(len(done), built, problem)
    return FOUND_PROBLEMS if any(one.failures for one in done) else 0


def _print(one: TenantCare, *, dry_run: bool) -> None:
    would = "would go" if dry_run else "went"
    parts = [f"{number:,} memories {would} ({rule})" for rule, number in one.gone.items()]
    parts += [f"{one.merged:,} {'would be ' if dry_run else ''}merged"] if one.merged else []
    parts += [f"{one.turns:,} turns {would}"] if one.turns else []
    parts += [f"{one.accesses:,} rows of the access log {would}"] if one.accesses else []
    stores = f"{one.stores} store{'' if one.stores == 1 else 's'}"
    what = ", ".join(parts) or f"nothing {'would go' if dry_run else 'had to go'}"
    click.echo(f"{shown(one.tenant)}  {faint(stores)}  {what}; {megabytes(one.bytes_after)} in use")
    for failure in one.failures:
        click.echo(click.style(f"  failed: {shown(failure)}", fg="red"))


def _print_rest(tenants: int, built: list[str], problem: str | None) -> None:
    if not tenants:
        click.echo("There is no tenant on this server.")
    for name in built:
        click.echo(f"Built {name}.")
    if problem:
        note(f"Graphs were not looked after: {problem}")
