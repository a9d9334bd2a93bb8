"""`holdfast log`: who did what, and whether the record of it is whole."""

from pathlib import Path

import click

from holdfast.errors import AlteredLog, InvalidInput
from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.output import faint, note, print_json, print_table, shown
from holdfast.model.brief import Receipt, ReceiptItem
from holdfast.model.ids import tail_of
from holdfast.model.records import ACTIONS, Event, EventFilters
from holdfast.model.times import iso
from holdfast.service.service import Service


@click.command("log")
@click.option("--action", type=click.Choice(ACTIONS), help="Only this action.")
@click.option("--actor", help="Only by this actor: cli, python, …")
@click.option("--since", help="Only from then on: a date, or a length such as 7d.")
@click.option("--id", help="Only about this entry; also one that is forgotten.")
@click.option("--limit", "-n", default=50, show_default=True, help="At most this many.")
@click.option("--user", is_flag=True, help="The log of your own store, instead of the project's.")
@click.option(
    "--receipts", is_flag=True, help="What went into the latest briefs, and what was fetched afterwards."
)
@click.option("--verify", is_flag=True, help="Check that no event was altered or taken out.")
@common
def command(
    action: str | None,
    actor: str | None,
    since: str | None,
    id: str | None,  # noqa: A002 - the option's name
    limit: int,
    user: bool,
    receipts: bool,
    verify: bool,
    project: Path,
    as_json: bool,
) -> None:
    """Show who did what, newest first. It names entries by id and never holds their text.

    \b
    Examples:
      holdfast log --action remove --since 30d
      holdfast log --id 1f2e3d4c
      holdfast log --receipts
      holdfast log --verify
    """
    with service_of(project) as service:
        if receipts:
            _show_receipts(service.briefs.receipts(limit), as_json)
            return
        scope = "user" if user else "project"
        if verify:
            _verify(service, scope, as_json)
            return
        filters = EventFilters(
            action=action, actor=actor, since=service.moment(since, "since"), id=_tail(id), limit=limit
        )
        events = service.events(filters, scope)
        if as_json:
            print_json(events)
            return
        print_table([_row(event) for event in events])
    if not events:
        note("Nothing in the log fits.")


def _tail(id_text: str | None) -> str | None:
    tail = tail_of(id_text) if id_text is not None else None
    if id_text is not None and tail is None:
        raise InvalidInput(field="id", problem=f"{id_text!r} is not an id. Give its last digits, eight at least.")
    return tail


def _verify(service: Service, scope: str, as_json: bool) -> None:
    verification = service.verify_log(scope)
    if as_json:
        print_json(
            {"events": verification.events, "whole": verification.whole, "broken_at": verification.broken_at}
        )
    elif verification.whole:
        click.echo(f"The log is whole: {verification.events:,} events fit together.")
    if not verification.whole:
        raise AlteredLog(number=verification.broken_at)


def _show_receipts(receipts: list[Receipt], as_json: bool) -> None:
    if as_json:
        print_json(receipts)
        return
    for receipt in receipts:
        occasion = "prompt" if receipt.prompted else "start"
        used = f"{receipt.tokens:,} of {receipt.budget:,} tokens, {receipt.took_ms:,} ms" + (
            ", cut off" if receipt.cut else ""
        )
        click.echo(f"{faint(iso(receipt.at))}  {shown(receipt.agent)}  {occasion}  {used}")
        print_table([(f"  {item.id[-8:]}", *_item(item)) for item in receipt.items])
    if not receipts:
        note("No brief was made yet.")


def _item(item: ReceiptItem) -> tuple[str, ...]:
    fetch_text = f"fetched {iso(item.fetched_at)}" if item.fetched_at is not None else ""
    return item.kind, item.tier, f"{item.score:.2f}", faint(fetch_text)


def _row(event: Event) -> tuple[str, ...]:
    about = ", ".join(entry_id[-8:] for entry_id in event.ids[:3])
    more = f" and {len(event.ids) - 3:,} more" if len(event.ids) > 3 else ""
    return faint(iso(event.at)), event.action, shown(event.actor), about + more
