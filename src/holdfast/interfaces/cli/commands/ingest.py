"""`holdfast ingest`, `watch`: learn from the project's history, past sessions and Markdown files."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import click
from msgspec.structs import replace

from holdfast.agents.transcripts import Source
from holdfast.capture.check import check_count
from holdfast.errors import InvalidInput
from holdfast.ingest.history import MOST, Bounds, History
from holdfast.ingest.locate import CLIENTS, Finder
from holdfast.ingest.transcripts import Transcripts
from holdfast.interfaces.cli.base import Group, common, only_person, service_of
from holdfast.interfaces.cli.output import kind_label, note, print_json, shown
from holdfast.interfaces.cli.progress import embed_option, make_vectors, note_rest, progress
from holdfast.machine.project import read_head
from holdfast.model.ingest import GitIngested, Indexed, Learnt, TranscriptsIngested
from holdfast.model.kinds import CANDIDATE
from holdfast.model.memory import shorten
from holdfast.service.service import Service
from holdfast.storage.drain import drain_everything
from holdfast.storage.ingest import index_of, seen_transcripts, transcripts_of
from holdfast.storage.workspace import find_workspace

R = TypeVar("R")
_MOST = 1_000_000


@click.group("ingest", cls=Group)
def ingest() -> None:
    """Learn from what the project holds already."""


MOST_LEARNT = 50
"""Statements shown; `--json` has all of them."""


@click.command("learn")
@click.option("--again", "is_again", is_flag=True, help="Judge the sessions that are over again.")
@click.option("--yes", "-y", "is_agreed", is_flag=True, help="Do it; without, only show what would change.")
@common
def learn(is_again: bool, is_agreed: bool, project: Path, as_json: bool) -> None:
    """Judge past sessions again, by today's judge: what would go, and what is new.

    Sessions are read when they end; this is for a store whose sessions an earlier version read. Memories that you
    added, confirmed or pinned stay. What goes becomes history: `holdfast supersede ID --undo` brings it back.

    \b
    Examples:
      holdfast learn --again
      holdfast learn --again --yes
    """
    if not is_again:
        problem = "is missing: sessions are read when they end. `holdfast learn --again` judges them anew."
        raise InvalidInput(field="--again", problem=problem)
    if is_agreed:
        only_person("judging sessions again")
    with service_of(project, create=False) as service:
        learnt = service.learn_again(dry_run=not is_agreed)
        gone_lines = [f"{service.short_id(memory_id)}  {text}" for memory_id, text in learnt.gone.items()]
    if as_json:
        print_json(learnt)
        return
    for sign, texts in (("-", gone_lines), ("+", learnt.new)):
        for text in texts[:MOST_LEARNT]:
            click.echo(f"{sign} {shown(shorten(text, 100))}")
        if len(texts) > MOST_LEARNT:
            click.echo(f"{sign} and {len(texts) - MOST_LEARNT:,} more")
    would = "" if is_agreed else " would be"
    click.echo(
        f"{learnt.sessions:,} sessions: {len(learnt.gone):,} memories{would} gone, {len(learnt.new):,} new."
    )
    if not is_agreed and (learnt.gone or learnt.new):
        note("Nothing was changed. To do it: holdfast learn --again --yes")


@ingest.command("git")
@click.option("--max", "most", default=MOST, show_default=True, help="At most this many commits, the newest.")
@click.option("--since", help="Only commits since then: a date, or a length such as 90d.")
@click.option("--confirm", "confirmed", is_flag=True, help="Confirm what is taken in at once.")
@click.option("--dry-run", is_flag=True, help="Only say what would be taken in.")
@embed_option
@common
def git(
    most: int, since: str | None, confirmed: bool, dry_run: bool, embed: bool, project: Path, as_json: bool
) -> int:
    """Read the history of the branch that is checked out.

    Every commit becomes evidence that search finds; one that states a decision, a fix, a warning or a revert
    becomes a memory tied to its commit. Merges, commits of programs and messages that say nothing are passed over.
    A revert takes the place of what it reverts. Run it again after a pull: only what is new is read. A commit that
    cannot be read is named and passed over; the exit code is 15 then.

    \b
    Examples:
      holdfast ingest git
      holdfast ingest git --since 1y --max 2000 --dry-run
    """
    check_count("--max", most, 1, _MOST)
    if confirmed and not dry_run:
        only_person("confirming what is taken in")
    workspace = find_workspace(project)
    if workspace.project.git is None:
        raise InvalidInput(field="--project", problem=f"{project.resolve()} is in no git repository.")
    with service_of(project, create=not dry_run) as service:
        history = History(service, project, read_head(workspace.project.git).branch, confirmed)
        ids, known_count = history.unread(Bounds(most=most, since=service.moment(since, "--since")))
        with progress("Reading commits", len(ids)) as step:
            report = history.ingest(ids, known_count, step, dry_run=dry_run)
        if not dry_run:
            report = replace(report, learnt=_learn(service, history.new_ids, embed=embed))
    return _print_report(report, _print_git, report.unread, "commits", as_json=as_json)


@ingest.command("files")
@embed_option
@common
def files(embed: bool, project: Path, as_json: bool) -> int:
    """Read the project's Markdown files, section by section; only what changed since is read again.

    Files that git ignores, and those over 100 KB, are left out. `holdfast watch` goes on from there. A file that
    cannot be read is named and passed over; the exit code is 15 then.

    \b
    Example:
      holdfast ingest files
    """
    with service_of(project, create=True) as service:
        index = index_of(project, service)
        with progress("Reading files", len(index.listing.all())) as step:
            report = index.scan(step)
        report = replace(report, learnt=_learn(service, index.new_ids, embed=embed))
    return _print_report(report, _print_indexed, report.unread, "files", as_json=as_json)


@ingest.command("transcripts")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
@click.option("--agent", "agents", multiple=True, type=click.Choice(CLIENTS), help="Only sessions of this agent.")
@click.option("--since", help="Only sessions that went on since then: a date, or a length such as 90d.")
@click.option("--dry-run", is_flag=True, help="Only say what would be taken in.")
@embed_option
@common
def transcripts(
    files: tuple[Path, ...],
    agents: tuple[str, ...],
    since: str | None,
    dry_run: bool,
    embed: bool,
    project: Path,
    as_json: bool,
) -> int:
    """Read past sessions of coding agents in this project, as the agents wrote them down themselves.

    Their turns become evidence that search finds, and what was settled in them is found and remembered as in any
    session. What hooks recorded live is not taken twice; what helpers of an agent did is kept under their names.
    Run it again: only what is new is read. With FILE, transcripts are read wherever they lie and whatever project
    they come from. What cannot be read, a transcript or a message of one, is named and passed over; the exit code
    is 15 then.

    \b
    Examples:
      holdfast ingest transcripts --dry-run
      holdfast ingest transcripts --agent claude --since 30d
      holdfast ingest transcripts old-machine/rollout-2026-01-07.jsonl
    """
    drain_everything()
    with service_of(project, create=not dry_run) as service, ExitStack() as stack:
        finder, after = transcripts_of(project), service.moment(since, "--since") or 0
        reader = Transcripts(service, seen_transcripts(service), dry_run)
        sources = (
            _sources_in(finder, files, stack, reader) if files else finder.of_project(agents or CLIENTS, stack)
        )
        recent_sources = [source for source in sources if source.touched >= after]
        with progress("Reading sessions", len(recent_sources)) as step:
            report = reader.ingest(recent_sources, step)
        if not dry_run:
            report = replace(report, learnt=_learn(service, reader.new_ids, embed=embed))
    return _print_report(report, _print_transcripts, report.skipped, "transcripts or messages", as_json=as_json)


def _sources_in(finder: Finder, files: Sequence[Path], stack: ExitStack, reader: Transcripts) -> Iterator[Source]:
    """Find the transcripts in files; one that is none is a mistake where it is alone, else left out by name."""
    for file in files:
        try:
            yield from finder.named([file], stack)
        except (InvalidInput, OSError) as error:
            if len(files) == 1:
                raise
            reader.leave_out(str(file), error)


def _print_transcripts(report: TranscriptsIngested) -> None:
    verb = "Would read" if report.dry_run else "Read"
    helpers = f" and {report.helpers:,} of helpers" if report.helpers else ""
    click.echo(
        f"{verb} {report.transcripts:,} transcripts: {report.sessions:,} sessions{helpers} with something new."
    )
    if report.turns:
        findings_text = (
            "" if report.dry_run else f" {report.findings:,} findings, {report.memories:,} of them memories."
        )
        click.echo(f"{report.turns:,} turns are evidence.{findings_text}")
    for agent, number in sorted(report.agents.items()):
        click.echo(f"{shown(agent)}: {number:,}")
    _print_learnt(report.learnt)


def _print_git(report: GitIngested) -> None:
    where = f" of {shown(report.branch)}" if report.branch else ""
    verb = "Would read" if report.dry_run else "Read"
    click.echo(f"{verb} {report.commits:,} commits{where} ({report.known:,} known already).")
    click.echo(f"{report.evidence:,} are evidence, {report.memories:,} became memories.")
    if report.superseded:
        click.echo(f"{report.superseded:,} took the place of what earlier ones said.")
    for reason, number in report.skipped.items():
        click.echo(f"Passed over {number:,}: {reason}.")
    _print_learnt(report.learnt)


@click.command("watch")
@click.option("--once", is_flag=True, help="Read what changed since the last time, and end.")
@click.option("--poll", is_flag=True, help="Look for changes every two seconds instead of being told of them.")
@common
def watch(once: bool, poll: bool, project: Path, as_json: bool) -> None:
    """Read the project's Markdown files, then every one that changes, until Ctrl-C.

    Each section of a file becomes a fact, tagged with the file's name; what a file no longer says is removed, and
    what a deleted file said is hidden until it is back. Files that git ignores, and those over 100 KB, are left
    out.

    \b
    Examples:
      holdfast watch --once
      holdfast watch --once --json
    """

    def tell(report: Indexed) -> None:
        _print_report(report, _print_indexed, report.unread, "files", as_json=as_json)

    with service_of(project, create=True) as service:
        index = index_of(project, service)
        with progress("Reading files", len(index.listing.all())) as step:
            tell(index.scan(step))
        if once:
            return
        from holdfast.ingest.watch import Watch

        note("Watching. Ctrl-C ends it.")
        reason = Watch(index, threading.Event(), tell).run(poll=poll)
        if reason and not poll:
            note(f"Looked for changes every two seconds, because they could not be told of: {reason}")


def _print_indexed(report: Indexed) -> None:
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
    _print_learnt(report.learnt)


INCOMPLETE = 15
"""The exit code that says that something could not be read, while the rest was."""

EXAMPLES = 3
MOST_NAMED = 5
"""Of what could not be read, how much is named; `--json` names all of it."""

NAME_CHARS = 80
"""Characters of a name that are shown: its end, which tells more than its beginning."""


def _learn(service: Service, ids: Sequence[str], *, embed: bool) -> Learnt:
    """Make the vectors of what an ingest brought, and sum it up."""
    embedded_count, waiting_count = make_vectors(service) if embed else (0, service.waiting())
    memories = [memory for memory_id in dict.fromkeys(ids) if (memory := service.peek(memory_id))]
    current = [memory for memory in memories if not memory.superseded]
    weightiest = sorted(current, key=lambda memory: -memory.importance)
    return Learnt(
        by_kind=dict(Counter(memory.kind for memory in current).most_common()),
        unconfirmed=sum(memory.status == CANDIDATE for memory in current),
        examples=tuple(dict.fromkeys(memory.title for memory in weightiest))[:EXAMPLES],
        embedded=embedded_count,
        unembedded=waiting_count,
    )


def _print_learnt(learnt: Learnt | None) -> None:
    """Say what was learnt, with a few examples."""
    if learnt is None:
        return
    if learnt.by_kind:
        kinds = ", ".join(f"{number:,} {kind_label(kind)}" for kind, number in learnt.by_kind.items())
        click.echo(f"Learnt: {kinds}.")
    for title in learnt.examples:
        click.echo(f"  {shown(shorten(title, NAME_CHARS))}")
    if learnt.unconfirmed:
        click.echo(f"{learnt.unconfirmed:,} of it unconfirmed: `holdfast review --imported` goes through it.")
    note_rest(learnt.unembedded)


def _print_report(
    report: R, print_it: Callable[[R], None], unread: Mapping[str, str], noun: str, *, as_json: bool
) -> int:
    """Print the report of an ingest, and the first things that it could not read; return its exit code."""
    if as_json:
        print_json(report)
    else:
        print_it(report)
        _print_unread(unread, noun)
    return INCOMPLETE if unread else 0


def _print_unread(unread: Mapping[str, str], noun: str) -> None:
    if not unread:
        return
    note(f"Could not read {len(unread):,} {noun}; all else was read:")
    for name, reason in list(unread.items())[:MOST_NAMED]:
        end = name if len(name) <= NAME_CHARS else f"…{name[-NAME_CHARS:]}"
        note(f"  {shown(end)}: {shown(reason).rstrip('.')}.")
    if len(unread) > MOST_NAMED:
        note(f"  and {len(unread) - MOST_NAMED:,} more, which --json names.")
