"""`holdfast list`: the newest memories."""

from pathlib import Path

import click

from holdfast.interfaces.cli.frame import common, service_of
from holdfast.interfaces.cli.options import only_kinds, only_own, only_tags
from holdfast.interfaces.cli.output import date_label, faint, kind_label, note, print_json, print_table, shown
from holdfast.model.search import Filters


@click.command("list")
@click.option("--limit", "-n", default=50, show_default=True, help="At most this many.")
@only_kinds
@only_tags
@only_own
@common
def command(
    limit: int, kinds: tuple[str, ...], tags: tuple[str, ...], user: bool, project: Path, as_json: bool
) -> None:
    """Show the newest memories.

    \b
    Examples:
      holdfast list --kind decision
      holdfast list --user --json
    """
    with service_of(project) as service:
        memories = service.list(Filters(kinds=kinds, tags=tags), limit, "user" if user else None)
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
