"""`holdfast review`: what waits for a person, and what they say about it.

At a terminal they go through it by single keys, without one by an answer a line. Every answer is carried out at
once: whoever leaves in the middle loses nothing, and what was not answered waits.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.interfaces.cli.base import Group, common, read_piped, service_of
from holdfast.interfaces.cli.output import faint, note, print_json, print_result, shown
from holdfast.model.inbox import ACCEPT, CONFLICT, EDIT, FORGET, NEWER, OLDER, SORTS, Inbox, InboxItem, Settlement
from holdfast.model.memory import BOTH
from holdfast.service.inbox import DEFAULT_LIMIT, Review
from holdfast.slash import details, head, inbox_lines, settlement_line

CANCEL_KEYS = ("\x03", "\x04", "")
"""Ctrl-C, Ctrl-D, the end of input: as good as q."""
HELP = (
    ("a", "accept: confirm it, or do what is asked for"),
    ("1 2 b", "of a conflict: keep the first, the second, or both; the other becomes history"),
    ("e", "edit: say it in your own words, which are confirmed at once"),
    ("d", "drop: it becomes history, or is not done; agents cannot bring it back"),
    ("s", "skip: it goes on waiting"),
    ("u", "undo what you settled last"),
    ("q", "quit; what you settled stays settled"),
)
_SIDES = {"1": OLDER, "2": NEWER, "b": BOTH}


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
def review(
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


@review.command("show")
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
    lines = inbox_lines(Inbox(items=(item,), total=1))
    print_result(item, "\n".join(map(shown, lines)), as_json=as_json)


@review.command("accept")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@common
def accept(ids: tuple[str, ...], project: Path, as_json: bool) -> None:
    """Say yes to each ID: a candidate is confirmed, what an agent proposed is done as your own word.

    \b
    Example:
      holdfast review accept 0c1d2e3f
    """
    _settle_each(project, ids, lambda review, item_id: review.accept(item_id), as_json)


@review.command("drop")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@common
def drop(ids: tuple[str, ...], project: Path, as_json: bool) -> None:
    """Say no to each ID: it becomes history, or is not done, and agents cannot ask for it again.

    \b
    Example:
      holdfast review drop 0c1d2e3f
    """
    _settle_each(project, ids, lambda review, item_id: review.drop(item_id), as_json)


@review.command("edit")
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


@review.command("keep")
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


@review.command("undo")
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
    print_result(settlement, shown(settlement_line(settlement)), as_json=as_json)


def _text_from_editor(review: Review, item_id: str) -> str:
    """Let the person write in their editor."""
    item = review.item(item_id)
    if not _at_terminal():
        raise InvalidInput(field="text", problem="is missing. Say it in your own words, or `-` to read them.")
    text = (click.edit(item.sides[-1].content) or "").strip()
    if not text:
        raise InvalidInput(field="text", problem="nothing was written, so nothing was changed.")
    return text


class InboxSession:
    """One person's way through what waits."""

    def __init__(self, review: Review, items: Sequence[InboxItem], ask: Callable[[str], str]) -> None:
        self._review = review
        self._items = list(items)
        self._ask = ask
        self._place = 0
        self._settled_count = 0

    def run(self) -> int:
        """Ask about each item until all are answered or the person leaves; return how many were settled."""
        while self._place < len(self._items):
            item = self._items[self._place]
            click.echo(f"\n{faint(f'{self._place + 1} of {len(self._items)}')}  {shown(head(item))}")
            for text in details(item):
                click.echo(f"  {shown(text)}")
            if not self._ask_about(item):
                break
        return self._settled_count

    def _ask_about(self, item: InboxItem) -> bool:
        """Ask until there is an answer to an item; say whether to go on."""
        while True:
            answer = self._ask(_question(item))
            key, words = answer[:1].lower() if answer not in CANCEL_KEYS else "q", answer[1:].strip()
            if key == "q":
                return False
            try:
                if self._act(item, key, words):
                    return True
            except HoldfastError as error:
                click.echo(f"  {click.style(shown(str(error)), fg='red')}")

    def _act(self, item: InboxItem, key: str, words: str) -> bool:
        """Do what a key says; return whether to show the next item."""
        if key == "s":
            self._place += 1
            return True
        if key == "u":
            return self._take_back()
        settlement = self._settle(item, key, words)
        if settlement is None:
            return False
        click.echo(f"  {click.style(shown(settlement_line(settlement)), fg='green')}")
        self._place += 1
        self._settled_count += 1
        return True

    def _settle(self, item: InboxItem, key: str, words: str) -> Settlement | None:
        """Settle an item; None where the key means nothing for it, or nothing was decided."""
        if key in _SIDES and item.sort == CONFLICT:
            return self._review.keep(item.id, _SIDES[key])
        if key == "a" and ACCEPT in item.choices:
            return self._review.accept(item.id) if self._is_sure(item) else None
        if key == "d":
            return self._review.drop(item.id)
        if key == "e" and EDIT in item.choices:
            text = words or self._edited_text(item)
            return self._review.edit(item.id, text) if text else None
        for keys, meaning in HELP:
            click.echo(f"  {keys:<6}{meaning}")
        return None

    def _take_back(self) -> bool:
        """Undo the last settlement, and go back to its item where it was of this round."""
        undone = self._review.undo()
        click.echo(f"  {click.style(shown(settlement_line(undone)), fg='yellow')}")
        places = [place for place, item in enumerate(self._items) if item.id == undone.id]
        if not places:
            return False
        self._place = places[0]
        self._settled_count -= 1
        return True

    def _is_sure(self, item: InboxItem) -> bool:
        """Ask again before something that cannot be undone."""
        if item.verb != FORGET:
            return True
        return self._ask("Forgetting cannot be undone. Sure? [y/N]:").strip().lower() in ("y", "yes")

    def _edited_text(self, item: InboxItem) -> str:
        """Let the person write: in their editor where they have one, else on a line."""
        now = str(item.arguments.get("content") or item.sides[-1].content)
        if sys.stdin.isatty() and (os.environ.get("VISUAL") or os.environ.get("EDITOR")):
            text = (click.edit(now) or "").strip()
        else:
            click.echo(f"  now: {shown(now)}")
            text = _line("New words (empty: leave it as it is):").strip()
        return "" if text == now.strip() else text


def by_key(question: str) -> str:
    """Ask for one key."""
    if question.endswith("[y/N]:"):
        return _line(question)
    click.echo(f"  {question} ", nl=False)
    try:
        key = click.getchar()
    except (KeyboardInterrupt, EOFError):
        key = "q"
    click.echo("" if key in CANCEL_KEYS else key[:1])
    return key


def by_line(question: str) -> str:
    """Ask for a line; its first letter is the key, what follows are the words of an edit."""
    click.echo(f"  {question}")
    line = sys.stdin.readline()
    return line.strip() or ("?" if line else "q")


def _line(question: str) -> str:
    click.echo(f"  {question} ", nl=False)
    return sys.stdin.readline().rstrip("\n")


def _question(item: InboxItem) -> str:
    choices = "1 first, 2 second, b both" if item.sort == CONFLICT else "a accept"
    edit = ", e edit" if EDIT in item.choices else ""
    return f"[{choices}{edit}, d drop, s skip, u undo, q quit, ? help]"
