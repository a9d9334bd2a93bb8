"""`holdfast review`: what waits for a person, and what they say about it."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import Group, common, service_of
from holdfast.interfaces.cli.inbox_session import InboxSession, by_key, by_line
from holdfast.interfaces.cli.options import read_piped
from holdfast.interfaces.cli.output import note, print_json, shown
from holdfast.model.inbox import SORTS, Inbox, Settlement
from holdfast.service.inbox import DEFAULT_LIMIT, Review
from holdfast.slash.inbox_text import inbox_lines, settlement_line


@click.group("review", cls=Group, invoke_without_command=True)
@click.option("--sort", type=click.Choice(SORTS), help="Only conflicts, proposals or candidates.")
@click.option("--limit", default=DEFAULT_LIMIT, show_default=True, help="At most this many.")
@click.option("--imported", is_flag=True, help="Also what files, history and imports left unconfirmed.")
@click.option(
    "--ask/--list",
    "asking",
    default=None,
    help="Go through them one by one, or only list them (default: ask at a terminal).",
)
@common
@click.pass_context
def command(
    context: click.Context,
    sort: str | None,
    limit: int,
    imported: bool,
    asking: bool | None,
    project: Path,
    as_json: bool,
) -> None:
    """Go through what waits for you: conflicts, proposals of agents, and what they noted and nobody confirmed.

    What matters comes first, each with who said it, when, and the words it was read from. At a terminal you are
    asked about one after another; a key answers: a accept, e edit, d drop, s skip, u undo, q quit, and for a
    conflict 1, 2 or b for which side holds. Elsewhere they are listed; with --ask one line on standard input is
    one answer, of which the first letter counts (`e NEW WORDS`).

    Each answer is carried out at once. What you drop becomes history, and agents cannot bring it back.

    \b
    Examples:
      holdfast review
      holdfast review --list --sort conflict
      holdfast review --json
    """
    if context.invoked_subcommand:
        return
    with service_of(project) as service:
        inbox = service.review.inbox(limit, (sort,) if sort else (), imported=imported)
        if as_json:
            print_json(inbox.items)
        elif inbox.items and (_at_terminal() if asking is None else asking):
            service.check_person("settling what waits for a person")
            _go_through(service.review, inbox)
        else:
            _print(inbox)


@command.command("show")
@click.argument("id")
@common
def show(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Show the item ID with the words that it comes from.

    \b
    Example:
      holdfast review show 0c1d2e3f
    """
    with service_of(project) as service:
        item = service.review.item(id)
    if as_json:
        print_json(item)
    else:
        for text in inbox_lines(Inbox(items=(item,), total=1)):
            click.echo(shown(text))


@command.command("accept")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@common
def accept(ids: tuple[str, ...], project: Path, as_json: bool) -> None:
    """Say yes to each ID: a candidate is confirmed, what an agent proposed is done as your own word.

    \b
    Example:
      holdfast review accept 0c1d2e3f
    """
    _settle_each(project, ids, lambda review, item_id: review.accept(item_id), as_json)


@command.command("drop")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@common
def drop(ids: tuple[str, ...], project: Path, as_json: bool) -> None:
    """Say no to each ID: it becomes history, or is not done, and agents cannot ask for it again.

    \b
    Example:
      holdfast review drop 0c1d2e3f
    """
    _settle_each(project, ids, lambda review, item_id: review.drop(item_id), as_json)


@command.command("edit")
@click.argument("id")
@click.argument("text", required=False)
@common
def edit(id: str, text: str | None, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Settle the item ID in your own words: TEXT, with `-` from standard input, or what you write in your editor.

    \b
    Example:
      holdfast review edit 0c1d2e3f "Retries are capped at five"
    """
    with service_of(project) as service:
        service.check_person("settling what waits for a person")
        words = read_piped(text) if text else _text_from_editor(service.review, id)
        _print_settled(service.review.edit(id, words), as_json=as_json)


@command.command("keep")
@click.argument("id")
@click.argument("side", metavar="newer|older|both|ID")
@common
def keep(id: str, side: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Say which side of the conflict ID holds; it is confirmed, and the other becomes history.

    \b
    Examples:
      holdfast review keep 0c1d2e3f newer
      holdfast review keep 0c1d2e3f both
    """
    with service_of(project) as service:
        _print_settled(service.review.keep(id, side), as_json=as_json)


@command.command("undo")
@click.argument("id", required=False)
@common
def undo(id: str | None, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Take back what you settled last, or lately about the item ID; it waits again.

    \b
    Example:
      holdfast review undo
    """
    with service_of(project) as service:
        _print_settled(service.review.undo(id), as_json=as_json)


def _at_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _go_through(review: Review, inbox: Inbox) -> None:
    by_keys = _at_terminal() and os.environ.get("TERM") != "dumb"
    settled_count = InboxSession(review, inbox.items, by_key if by_keys else by_line).run()
    waiting_count = inbox.total - settled_count
    note(
        f"{settled_count:,} settled, {waiting_count:,} wait."
        + (" `holdfast review undo` takes the last back." if settled_count else "")
    )


def _print(inbox: Inbox) -> None:
    for text in inbox_lines(inbox):
        click.echo(shown(text))
    if inbox.items:
        note("`holdfast review accept|edit|drop ID` settles one, of a conflict `keep ID newer|older|both`.")
    else:
        note("Nothing waits for you.")
    if inbox.imported:
        note(f"{inbox.imported:,} from files, history and imports are unconfirmed: `holdfast review --imported`.")


def _settle_each(
    project: Path, ids: Sequence[str], act: Callable[[Review, str], Settlement], as_json: bool
) -> None:
    """Settle one after another, and say so of each as it is done: a later one may be refused."""
    settlements = []
    with service_of(project) as service:
        for item_id in ids:
            settlements.append(act(service.review, item_id))
            if not as_json:
                _print_settled(settlements[-1], as_json=False)
    if as_json:
        print_json(settlements[0] if len(settlements) == 1 else settlements)


def _print_settled(settlement: Settlement, *, as_json: bool) -> None:
    if as_json:
        print_json(settlement)
    else:
        click.echo(shown(settlement_line(settlement)))


def _text_from_editor(review: Review, item_id: str) -> str:
    """Let the person write in their editor."""
    item = review.item(item_id)
    if not _at_terminal():
        raise InvalidInput(field="text", problem="is missing. Say it in your own words, or `-` to read them.")
    text = (click.edit(item.sides[-1].content) or "").strip()
    if not text:
        raise InvalidInput(field="text", problem="nothing was written, so nothing was changed.")
    return text
