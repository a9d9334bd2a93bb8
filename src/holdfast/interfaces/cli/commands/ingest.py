"""`holdfast ingest`: what the project knows already, without anybody having said it."""

from pathlib import Path

import click

from holdfast.capture.check import check_count
from holdfast.errors import InvalidInput
from holdfast.ingest.git.history import MOST, Bounds, History
from holdfast.interfaces.cli.commands.watch import print_indexed
from holdfast.interfaces.cli.frame import Group, common, service_of
from holdfast.interfaces.cli.output import print_json, shown
from holdfast.interfaces.cli.progress import progress
from holdfast.model.ingest import GitIngested
from holdfast.project import read_head
from holdfast.wiring import index_of, survey

_MOST = 1_000_000


@click.group("ingest", cls=Group)
def command() -> None:
    """Learn from what the project holds already."""


@command.command("git")
@click.option("--max", "most", default=MOST, show_default=True, help="At most this many commits, the newest.")
@click.option("--since", help="Only commits since then: a date, or a length such as 90d.")
@click.option("--confirm", "confirmed", is_flag=True, help="Confirm what is taken in at once.")
@click.option("--dry-run", is_flag=True, help="Only say what would be taken in.")
@common
def git(most: int, since: str | None, confirmed: bool, dry_run: bool, project: Path, as_json: bool) -> None:
    """Read the history of the branch that is checked out.

    Every commit becomes evidence that search finds; one that states a decision, a fix, a warning or a revert
    becomes a memory tied to its commit. Merges, commits of programs and messages that say nothing are passed over.
    A revert takes the place of what it reverts. Run it again after a pull: only what is new is read.

    \b
    Examples:
      holdfast ingest git
      holdfast ingest git --since 1y --max 2000 --dry-run
    """
    check_count("--max", most, 1, _MOST)
    found = survey(project)
    if found.project.git is None:
        raise InvalidInput(field="--project", problem=f"{project.resolve()} is in no git repository.")
    with service_of(project, create=not dry_run) as service:
        history = History(service, project, read_head(found.project.git).branch, confirmed)
        ids, known = history.unread(Bounds(most=most, since=service.moment(since, "--since")))
        with progress("Reading commits", len(ids)) as step:
            done = history.ingest(ids, known, step, dry_run=dry_run)
    if as_json:
        print_json(done)
    else:
        _print_git(done)


@command.command("files")
@common
def files(project: Path, as_json: bool) -> None:
    """Read the project's Markdown files, section by section; only what changed since is read again.

    Files that git ignores, and those over 100 KB, are left out. `holdfast watch` goes on from there.

    \b
    Example:
      holdfast ingest files
    """
    with service_of(project, create=True) as service:
        index = index_of(project, service)
        with progress("Reading files", len(index.listing.all())) as step:
            done = index.scan(step)
    if as_json:
        print_json(done)
    else:
        print_indexed(done)


def _print_git(done: GitIngested) -> None:
    where = f" of {shown(done.branch)}" if done.branch else ""
    verb = "Would read" if done.dry_run else "Read"
    click.echo(f"{verb} {done.commits:,} commits{where} ({done.known:,} known already).")
    click.echo(f"{done.evidence:,} are evidence, {done.memories:,} became memories.")
    if done.superseded:
        click.echo(f"{done.superseded:,} took the place of what earlier ones said.")
    for reason, number in done.skipped.items():
        click.echo(f"Passed over {number:,}: {reason}.")
