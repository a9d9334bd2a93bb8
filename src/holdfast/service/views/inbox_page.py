"""The inbox as a page shows it: long texts cut, and what can be taken back beside it."""

from holdfast.model.inbox import Inbox, InboxItem, Side
from holdfast.model.value import Value, replace
from holdfast.service.inbox import ledger
from holdfast.service.inbox.ledger import LedgerEntry
from holdfast.service.scopes import Scopes
from holdfast.service.views.lines import titles_of

CONTENT = 4_000
"""Characters of a side that are shown."""

QUOTATIONS = 4
QUOTATION = 1_000
"""Passages that are shown of what a side was read from, and characters of each."""


class InboxSide(Value, kw_only=True):
    """A memory that something is about."""

    side: Side
    cut: bool


class InboxRow(Value, kw_only=True):
    """One thing that waits."""

    item: InboxItem
    sides: tuple[InboxSide, ...]


class Undoable(Value, kw_only=True):
    """An answer that can be taken back."""

    id: str
    short: str
    sort: str
    at: int
    title: str


class InboxPage(Value, kw_only=True):
    """What waits, and what was answered lately."""

    items: tuple[InboxRow, ...]
    total: int
    imported: int
    undoable: tuple[Undoable, ...]


def inbox_page(inbox: Inbox, scopes: Scopes) -> InboxPage:
    """Return the inbox as a page shows it."""
    entries = sorted(
        (entry for store in scopes.present for entry in ledger.entries(store)), key=lambda entry: -entry.at
    )
    titles = titles_of(scopes, [memory_id for entry in entries for memory_id in entry.before])
    return InboxPage(
        items=tuple(map(_row, inbox.items)),
        total=inbox.total,
        imported=inbox.imported,
        undoable=tuple(_undoable(entry, titles) for entry in entries[: ledger.MOST_REMEMBERED]),
    )


def _row(item: InboxItem) -> InboxRow:
    return InboxRow(item=replace(item, sides=()), sides=tuple(map(_side, item.sides)))


def _side(side: Side) -> InboxSide:
    quotations = tuple(
        replace(quotation, text=quotation.text[:QUOTATION]) for quotation in side.quotations[:QUOTATIONS]
    )
    short = replace(side, content=side.content[:CONTENT], quotations=quotations)
    return InboxSide(side=short, cut=len(side.content) > CONTENT)


def _undoable(entry: LedgerEntry, titles: dict[str, str]) -> Undoable:
    title = next((titles[memory_id] for memory_id in entry.before if memory_id in titles), "")
    return Undoable(id=entry.id, short=entry.id[-8:], sort=entry.sort, at=entry.at, title=title)
