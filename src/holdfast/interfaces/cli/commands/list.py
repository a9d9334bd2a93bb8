"""`holdfast list`: the newest memories."""

from pathlib import Path

import click

from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.options import only_kinds, only_own, only_tags
from holdfast.interfaces.cli.output import date_label, faint, kind_label, note, print_json, print_table, shown
from holdfast.model.search import Filters


@click.command("list")
@click.option("--limit", "-n", default=50, show_default=True, help="At most this many.")
@only_kinds
@only_tags
@only_own
@click.option("--all", "everything", is_flag=True, help="Also what is superseded, expired or faded.")
@common
def command(
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
        print_table(
            [
                (
                    service.short_id(memory.id),
                    kind_label(memory.kind),
                    date_label(memory.created_at),
                    faint(memory.status),
                    shown(memory.title),
                )
                for memory in memories
            ]
        )
    if not memories:
        note('Nothing remembered yet. `holdfast add "…"` remembers something.')
