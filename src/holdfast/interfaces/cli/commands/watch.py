"""`holdfast watch`: memory in step with the project's Markdown files, as long as it runs."""

import threading
from pathlib import Path

import click

from holdfast.compose.ingest import index_of
from holdfast.ingest.files.watch import Watch
from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.ingest_report import print_learnt, print_unread
from holdfast.interfaces.cli.output import note, print_json, shown
from holdfast.interfaces.cli.progress import progress
from holdfast.model.ingest import Indexed


@click.command("watch")
@click.option("--once", is_flag=True, help="Read what changed since the last time, and end.")
@click.option("--poll", is_flag=True, help="Look for changes every two seconds instead of being told of them.")
@common
def command(once: bool, poll: bool, project: Path, as_json: bool) -> None:
    """Read the project's Markdown files, then every one that changes, until Ctrl-C.

    Each section of a file becomes a fact, tagged with the file's name; what a file no longer says is removed, and
    what a deleted file said is hidden until it is back. Files that git ignores, and those over 100 KB, are left
    out.

    \b
    Examples:
      holdfast watch --once
      holdfast watch --once --json
    """
    with service_of(project, create=True) as service:
        index = index_of(project, service)
        with progress("Reading files", len(index.listing.all())) as step:
            _tell(index.scan(step), as_json)
        if once:
            return
        note("Watching. Ctrl-C ends it.")
        reason = Watch(index, threading.Event(), lambda report: _tell(report, as_json)).run(poll=poll)
        if reason and not poll:
            note(f"Looked for changes every two seconds, because they could not be told of: {reason}")


def print_indexed(report: Indexed) -> None:
    """Say what reading files did."""
    changes = {
        "sections added": report.added,
        "removed": report.removed,
        "hidden, their file is gone": report.hidden,
        "shown again": report.shown,
    }
    summary = ", ".join(f"{number:,} {label}" for label, number in changes.items() if number) or "nothing new"
    click.echo(f"Read {report.read:,} of {report.files:,} files: {summary}.")
    for file, reason in report.skipped.items():
        if file not in report.unread:
            click.echo(f"Left out {shown(file)}: {shown(reason)}.")
    print_learnt(report.learnt)


def _tell(report: Indexed, as_json: bool) -> None:
    if as_json:
        print_json(report)
    else:
        print_indexed(report)
        print_unread(report.unread, "files")
