"""Going through the inbox one by one: single keys at a terminal, one answer a line without one.

Every answer is carried out at once: whoever leaves in the middle loses nothing, and what was not answered waits.
"""

import os
import sys
from collections.abc import Callable, Sequence

import click

from holdfast.errors import HoldfastError
from holdfast.interfaces.cli.output import faint, shown
from holdfast.model.inbox import ACCEPT, CONFLICT, EDIT, FORGET, NEWER, OLDER, InboxItem, Settlement
from holdfast.model.memory import BOTH
from holdfast.service.inbox import Review
from holdfast.slash.inbox_text import details, head, settlement_line

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
