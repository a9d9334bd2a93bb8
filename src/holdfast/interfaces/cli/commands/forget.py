"""`holdfast forget`: remove memories for good."""

from collections.abc import Sequence
from pathlib import Path

import click

from holdfast.capture.text.clean import echo
from holdfast.errors import InvalidInput, UnknownId
from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.options import check_can_ask, options_of
from holdfast.interfaces.cli.output import date_label, note, print_json, print_table, shown
from holdfast.model.memory import Forgotten, Memory
from holdfast.model.requests import ForgetRequest
from holdfast.service.service import Service

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
def command(
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
