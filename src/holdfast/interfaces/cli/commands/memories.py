"""`holdfast add`, `update`, `pin`, `unpin`, `confirm`, `supersede`, `conflicts`, `forget`: memories are changed.

A person's word is confirmed at once (`add` has the other names `remember` and `save`); an agent's is a candidate.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from holdfast.capture.text.clean import echo
from holdfast.errors import InvalidInput, UnknownId
from holdfast.interfaces.cli.base import (
    Group,
    check_can_ask,
    common,
    json_object,
    labels,
    options_of,
    read_piped,
    service_of,
)
from holdfast.interfaces.cli.output import (
    date_label,
    faint,
    note,
    print_json,
    print_list,
    print_result,
    print_table,
    shown,
)
from holdfast.model.kinds import CANDIDATE
from holdfast.model.memory import Added, Conflict, Forgotten, Memory
from holdfast.model.requests import Changes, Draft, ForgetRequest
from holdfast.service.service import Service


@click.command("add")
@click.argument("text")
@options_of(
    Draft,
    kind="decision, warning, preference, pattern, fact, … (docs/domain.md).",
    title="A title, instead of the first sentence.",
    context="Why, or where it came up.",
)
@click.option("--tags", default="", help="Labels, separated by commas.")
@options_of(
    Draft,
    files="A file it is about; may be given several times.",
    importance="From 0 to 1 (default 0.5).",
    confidence="From 0 to 1.",
    source="Where it comes from.",
    expires="When it stops holding: a date, or a length such as 30d.",
    quote="The user's exact words it rests on: what an agent notes counts as theirs then.",
    supersedes="The memory whose place it takes.",
    session="The session it came up in.",
    at="When it was said, if not now.",
)
@click.option("--metadata", metavar="JSON", help="Anything else, as a JSON object.")
@click.option("--user", is_flag=True, help="Remember it for you, in every project.")
@common
def add(
    text: str,
    tags: str,
    files: tuple[str, ...],
    metadata: str | None,
    user: bool,
    project: Path,
    as_json: bool,
    **rest: object,
) -> None:
    """Remember TEXT ("-" reads it from standard input).

    Run by an agent it is the agent's word: unconfirmed, until you confirm it; or yours at once, where --quote
    gives your own words and you said them in the session that runs.

    \b
    Examples:
      holdfast add "We settled on Postgres LISTEN/NOTIFY for the job queue" --kind decision --tags queue,db
      holdfast add "Never edit the generated client by hand" --kind warning --file src/client.py
      holdfast remember "Prefer small commits" --kind preference --user
      holdfast add "Never push to main on Fridays" --quote "please never push to main on a friday"
    """
    # a path that exists here is meant from here, not from the project's root
    rest["files"] = [os.path.abspath(file) if os.path.exists(file) else file for file in files]
    draft = Draft(
        content=read_piped(text),
        tags=labels(tags),
        metadata=json_object(metadata),
        scope="user" if user else "project",
        trust="user",
        **rest,  # type: ignore[arg-type]  # the options are named after the fields
    )
    with service_of(project, create=not user) as service:
        result = service.add(draft)
        if as_json:
            print_json(result)
        else:
            _report_added(service, result)


def _report_added(service: Service, result: Added) -> None:
    """Say what became of a text, what the new memory opposes, replaces or repeats, and what waits for the user."""
    history = service.history(result.id) if result.id and result.created else ()
    click.echo(_answer(service, result, history))
    if result.unproven:
        note(f"quote: {result.unproven}.")
    if result.proposal:
        note(f"That it replaces what is the user's waits as proposal {result.proposal[-8:]}: `holdfast review`.")
    if result.id is None or not result.created:
        return
    for conflict in service.conflicts([result.id]) if result.conflicts else ():
        note(shown(conflict.marker))
    for old in history:
        if old.superseded_by == result.id:
            note(f"Took the place of {service.short_id(old.id)}: {shown(old.title)}")
    for similar_id in result.similar_to:
        note(f"Much like {service.short_id(similar_id)}.")


def _answer(service: Service, result: Added, history: Sequence[Memory]) -> str:
    if result.id is None:
        return f"Not remembered: {result.rejected}."
    short = service.short_id(result.id)
    if result.duplicate:
        return f"Known already as {short}; it counts for more now."
    memory = next(memory for memory in history if memory.id == result.id)
    caveat = ", unconfirmed: an agent says so" if memory.status == CANDIDATE else ""
    return f"Remembered as {short} ({memory.kind}{caveat})."


@click.command("pin")
@click.argument("id")
@common
def pin(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Put the memory ID into every brief. At most five are.

    \b
    Example:
      holdfast pin 1f2e3d4c
    """
    _settle(project, as_json, "Pinned", lambda service: service.pin(id))


@click.command("unpin")
@click.argument("id")
@common
def unpin(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Take the memory ID out of every brief; it stays confirmed.

    \b
    Example:
      holdfast unpin 1f2e3d4c
    """
    _settle(project, as_json, "Unpinned", lambda service: service.unpin(id))


@click.command("confirm")
@click.argument("id")
@common
def confirm(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Say that the memory ID holds. Counts as a read, and its age starts anew.

    \b
    Example:
      holdfast confirm 1f2e3d4c
    """
    _settle(project, as_json, "Confirmed", lambda service: service.confirm(id))


@click.command("supersede")
@click.argument("old")
@click.argument("new", required=False)
@click.option("--undo", is_flag=True, help="Let OLD hold again; what had taken its place stays.")
@common
def supersede(old: str, new: str | None, undo: bool, project: Path, as_json: bool) -> None:
    """Let the memory NEW take the place of OLD, which leaves search and becomes history.

    \b
    Examples:
      holdfast supersede 1f2e3d4c 5a6b7c8d
      holdfast supersede 1f2e3d4c --undo
    """
    if undo == (new is not None):
        raise InvalidInput(field="NEW", problem="give the memory that takes OLD's place, or --undo.")
    if new is None:
        _settle(project, as_json, "Holds again", lambda service: service.reinstate(old))
    else:
        _settle(project, as_json, "Now history", lambda service: service.supersede(old, new))


def _settle(project: Path, as_json: bool, word: str, act: Callable[[Service], Memory]) -> None:
    with service_of(project) as service:
        memory = act(service)
        print_result(memory, f"{word}: {service.short_id(memory.id)} {shown(memory.title)}", as_json=as_json)


@click.group("conflicts", cls=Group, invoke_without_command=True)
@common
@click.pass_context
def conflicts(context: click.Context, project: Path, as_json: bool) -> None:
    """Show memories that disagree and that nobody has settled yet, newest first.

    \b
    Examples:
      holdfast conflicts
      holdfast conflicts resolve 0c1d2e3f --keep 1f2e3d4c
    """
    if context.invoked_subcommand:
        return
    with service_of(project) as service:
        open_conflicts = service.conflicts()
    print_list(open_conflicts, _conflict_row, "No conflicts.", as_json=as_json, cut=False)
    if open_conflicts and not as_json:
        note("`holdfast conflicts resolve ID --keep ID` settles one; `--keep both` lets both stand.")


def _conflict_row(conflict: Conflict) -> tuple[str, ...]:
    return conflict.id[-8:], conflict.kind, date_label(conflict.detected_at), shown(conflict.marker)


@conflicts.command("resolve")
@click.argument("id")
@click.option("--keep", required=True, metavar="ID", help="The memory that holds, or `both`.")
@common
def resolve(id: str, keep: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Settle the conflict ID: the memory that is not kept becomes history.

    \b
    Examples:
      holdfast conflicts resolve 0c1d2e3f --keep 1f2e3d4c
      holdfast conflicts resolve 0c1d2e3f --keep both
    """
    with service_of(project) as service:
        conflict = service.resolve(id, keep)
        if as_json:
            print_json(conflict)
            return
        if conflict.kept == "both":
            click.echo("Both stand.")
            return
        memory = service.peek(conflict.kept or "")
    click.echo(f"Kept: {shown(memory.title) if memory else conflict.kept}")
    click.echo(faint("The other is history; `holdfast supersede ID --undo` brings it back."))


@click.command("update")
@click.argument("id")
@click.option("--content", help='What it says now ("-" reads it from standard input).')
@options_of(
    Changes, title="Another title.", kind="Another kind.", context='Why, or where it came up; "" removes it.'
)
@click.option("--tags", help='Labels, separated by commas, instead of those there are; "" removes them.')
@options_of(
    Changes,
    files='A file it is about, instead of those so far; "" removes them.',
    importance="From 0 to 1.",
    confidence="From 0 to 1.",
    expires="When it stops holding: a date, a length such as 30d, or `never`.",
)
@click.option("--metadata", metavar="JSON", help="A JSON object, instead of the one there is.")
@common
def update(
    id: str,  # noqa: A002 - the argument's name in help
    content: str | None,
    tags: str | None,
    files: tuple[str, ...],
    metadata: str | None,
    project: Path,
    as_json: bool,
    **rest: object,
) -> None:
    """Change fields of the memory ID; what is not named stays as it is.

    \b
    Examples:
      holdfast update 1f2e3d4c --kind warning --tags security,parser
      holdfast update 1f2e3d4c --expires never
      holdfast update 1f2e3d4c --content "Retries are capped at 5" --json
    """
    changes = Changes(
        content=None if content is None else read_piped(content),
        tags=None if tags is None else labels(tags),
        files=tuple(file for file in files if file) if files else None,
        metadata=json_object(metadata),
        trust="user",
        **rest,  # type: ignore[arg-type]  # the options are named after the fields
    )
    if changes == Changes(trust="user"):
        raise InvalidInput(field="update", problem="nothing to change. Name a field, such as --kind or --content.")
    with service_of(project) as service:
        memory = service.update(id, changes)
        print_result(memory, f"Updated {service.short_id(memory.id)}: {shown(memory.title)}", as_json=as_json)


MOST_SHOWN = 20
"""Titles shown before asking; more would scroll the question away."""

EXIT_UNFINISHED = 6
"""The exit code when a backup could not be rewritten: the store's own."""


@click.command("forget")
@click.argument("what", required=False)
@options_of(
    ForgetRequest,
    source="Everything that came from this source.",
    session="Everything from this session, what was said in it included.",
    backups="Also out of the backups; alone: what was forgotten before.",
    dry_run="Only show what would go, the sentences of recorded talk too.",
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common
def forget(
    what: str | None,
    source: str | None,
    session: str | None,
    backups: bool,
    dry_run: bool,
    yes: bool,
    project: Path,
    as_json: bool,
) -> None:
    """Remove memories, what was said of them, and their way back by themselves.

    WHAT is an id, or else a text: then every memory that holds it is meant, history included. Sentences of
    recorded talk that say the same go with it, in other words too, and those that wait to be recorded. Backups
    still hold it, and the answer says so; --backups rewrites each of them. Exports are files of your own: they
    stay as they are.

    \b
    Examples:
      holdfast forget 1f2e3d4c --dry-run
      holdfast forget 1f2e3d4c --yes --backups
      holdfast forget "staging password"
      holdfast forget --source web
      holdfast forget --backups
    """
    selector_count = sum(selector is not None for selector in (what, source, session))
    if selector_count > 1 or (selector_count == 0 and not backups):
        raise InvalidInput(
            field="WHAT", problem="give an id, a text, --source or --session, and only one of them."
        )
    request = ForgetRequest(source=source, session=session, matching=what, dry_run=dry_run, backups=backups)
    with service_of(project) as service:
        service.check_on()
        memory = service.peek(what) if what else None
        memories = [memory] if memory else service.forgettable(request) if selector_count else []
        if what and not memories:
            raise UnknownId(noun="memory", id=echo(what), near=service.near_id(what))
        if selector_count and not (yes or dry_run or _confirm_forgetting(service, memories)):
            click.echo("Kept.")
            return
        result = service.forget(memory.id, request.reach) if memory else service.forget_where(request)
        similar = [service.short_id(memory_id) for memory_id in result.similar]
    if as_json:
        print_json(result)
    else:
        _report(result, similar, only_backups=not selector_count)
    if result.unusable:
        raise SystemExit(EXIT_UNFINISHED)


def _confirm_forgetting(service: Service, memories: Sequence[Memory]) -> bool:
    check_can_ask()
    if len(memories) == 1:
        return click.confirm(f'Forget "{shown(memories[0].title)}"?')
    rows = [
        (service.short_id(memory.id), date_label(memory.created_at), shown(memory.title))
        for memory in memories[:MOST_SHOWN]
    ]
    print_table(rows)
    if len(memories) > MOST_SHOWN:
        note(f"… and {len(memories) - MOST_SHOWN:,} more")
    return click.confirm(f"Forget these {len(memories):,}?")


def _report(result: Forgotten, similar: Sequence[str], *, only_backups: bool) -> None:
    if not only_backups:
        click.echo(f"{'Would forget' if result.dry_run else 'Forgotten'}: {result.account}.")
    for excerpt in result.excerpts:
        click.echo(f"  {excerpt.role}: {shown(' '.join(excerpt.text.split()))}")
    if result.kept:
        click.echo(f"{len(result.kept):,} that others said too stay, without this source.")
    if similar:
        click.echo(f"Said too by {', '.join(similar)}, which {'stays' if len(similar) == 1 else 'stay'}.")
    _report_backups(result, only_backups=only_backups)
    if result.pending:
        click.echo("The last bytes go when another process stops reading; the next command tries again.")


def _report_backups(result: Forgotten, *, only_backups: bool) -> None:
    if result.backups:
        holders = "A backup holds" if len(result.backups) == 1 else f"{len(result.backups)} backups hold"
        click.echo(f"{holders} it: {', '.join(result.backups)}. `holdfast forget --backups` takes it out.")
    if result.cleaned:
        click.echo(f"Rewritten without it, and checked: {', '.join(result.cleaned)}.")
    elif only_backups and not result.unusable:
        click.echo("No backup holds anything that was forgotten.")
    for problem in result.unusable:
        note(f"Not rewritten, and it may hold it: {problem}. `holdfast backup --list` shows where it lies.")
