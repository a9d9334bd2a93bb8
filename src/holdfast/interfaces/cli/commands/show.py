"""`holdfast get`, `list`, `timeline`, `history`: memories in full, the newest, and those around one."""

from pathlib import Path

import click

from holdfast.errors import UnknownId
from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.options import only_labelled, only_own
from holdfast.interfaces.cli.output import date_label, faint, kind_label, note, print_json, print_table, shown
from holdfast.model.memory import Memory, TimelineEntry
from holdfast.model.search import Filters
from holdfast.model.session import Quote
from holdfast.model.times import day, iso
from holdfast.service.service import Service


@click.command("get")
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@common
def get(ids: tuple[str, ...], project: Path, as_json: bool) -> None:
    """Show memories in full. Counts as a read.

    Every id that a brief or a search shows is known: also that of something said in a session, of something found
    in it, and of a session, which is shown by its summary.

    \b
    Example:
      holdfast get 1f2e3d4c
    """
    with service_of(project) as service:
        memories = service.get(ids)
        other_ids = [
            typed_id for typed_id in ids if not any(_matches_id(memory.id, typed_id) for memory in memories)
        ]
        quotes = service.quotes(other_ids)
        if as_json:
            print_json([*memories, *quotes])
        elif memories or quotes:
            pages = [
                *(_page(service, memory) for memory in memories),
                *(_quote_page(service, quote) for quote in quotes),
            ]
            click.echo("\n\n".join(pages))
        missing_ids = [
            typed_id for typed_id in other_ids if not any(_matches_id(quote.id, typed_id) for quote in quotes)
        ]
        nearest_id = service.near_id(missing_ids[0]) if missing_ids else None
    if missing_ids:
        raise UnknownId(noun="memory", id=missing_ids[0], near=nearest_id)


def _matches_id(full: str, typed_id: str) -> bool:
    return full.replace("-", "").endswith(typed_id.strip().lstrip("#").replace("-", "").lower())


def _quote_page(service: Service, quote: Quote) -> str:
    short = quote.id.replace("-", "")[-8:]
    details = {
        "session": service.short_session_id(quote.session) if quote.session else "",
        "tool": quote.tool or "",
        "files": ", ".join(quote.files),
        "became memory": service.short_id(quote.memory) if quote.memory else "",
    }
    lines = [
        f"{kind_label(quote.kind)} {short}  {faint(iso(quote.created_at))}  {shown(quote.role or '')}".rstrip()
    ]
    lines.extend(faint(f"{name}: {shown(value)}") for name, value in details.items() if value)
    return "\n".join([*lines, "", shown(quote.content)])


def _page(service: Service, memory: Memory) -> str:
    lines = [
        click.style(shown(memory.title), bold=True),
        f"{kind_label(memory.kind)} {service.short_id(memory.id)}  {faint(iso(memory.created_at))}",
        faint(
            f"{memory.status}, trust {memory.trust}, from {shown(', '.join(memory.sources))}, read {memory.reads}×"
        ),
    ]
    details = {
        "tags": ", ".join(memory.tags),
        "files": ", ".join(memory.files),
        "context": shown(memory.context),
        "branch": memory.branch or "",
        "expires": iso(memory.expires) if memory.expires else "",
        "superseded by": memory.superseded_by or ("something forgotten" if memory.superseded else ""),
    }
    lines.extend(faint(f"{name}: {shown(value)}") for name, value in details.items() if value)
    lines.extend(click.style(shown(conflict.marker), fg="yellow") for conflict in service.conflicts([memory.id]))
    return "\n".join([*lines, "", shown(memory.content)])


@click.command("list")
@click.option("--limit", "-n", default=50, show_default=True, help="At most this many.")
@only_labelled
@only_own
@click.option("--all", "everything", is_flag=True, help="Also what is superseded, expired or faded.")
@common
def list_memories(
    limit: int,
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    user: bool,
    everything: bool,
    project: Path,
    as_json: bool,
) -> None:
    """Show the newest memories.

    \b
    Examples:
      holdfast list --kind decision
      holdfast list --user --json
      holdfast list --all
    """
    with service_of(project) as service:
        filters, scope = Filters(kinds=kinds, tags=tags), "user" if user else None
        memories = service.list(filters, limit, scope, everything=everything)
        if as_json:
            print_json(memories)
            return
        print_table([_row(service, memory, memory.status) for memory in memories])
    if not memories:
        note('Nothing remembered yet. `holdfast add "…"` remembers something.')


@click.command("timeline")
@click.argument("id")
@click.option("--window", "-w", default=5, show_default=True, help="How many before, and how many after.")
@common
def timeline(id: str, window: int, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Show what was remembered just before and after the memory ID.

    \b
    Example:
      holdfast timeline 1f2e3d4c --window 3
    """
    with service_of(project) as service:
        entries = service.timeline(id, window)
        if as_json:
            print_json(entries)
            return
        rows = [("▸" if entry.anchor else " ", *_row(service, entry, entry.trust)) for entry in entries]
        print_table(rows)


@click.command("history")
@click.argument("id")
@common
def history(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Show what the memory ID superseded and what superseded it, oldest first.

    \b
    Example:
      holdfast history 1f2e3d4c
    """
    with service_of(project) as service:
        memories = service.history(id)
        if as_json:
            print_json(memories)
            return
        print_table([_row(service, memory, _validity(memory)) for memory in memories])


def _validity(memory: Memory) -> str:
    return f"until {day(memory.valid_until)}" if memory.valid_until is not None else "holds"


def _row(service: Service, memory: Memory | TimelineEntry, remark: str) -> tuple[str, ...]:
    kind, date = kind_label(memory.kind), date_label(memory.created_at)
    return service.short_id(memory.id), kind, date, faint(remark), shown(memory.title)
