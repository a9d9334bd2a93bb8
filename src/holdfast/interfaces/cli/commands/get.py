"""`holdfast get`: layer 3, memories in full."""

from pathlib import Path

import click

from holdfast.errors import UnknownId
from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.output import faint, kind_label, print_json, shown
from holdfast.model.memory import Memory
from holdfast.model.session import Quote
from holdfast.model.times import iso
from holdfast.service.service import Service


@click.command("get")
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@common
def command(ids: tuple[str, ...], project: Path, as_json: bool) -> None:
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
