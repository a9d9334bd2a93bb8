"""`holdfast stats`: counts, and how the store is doing."""

from collections.abc import Mapping
from pathlib import Path

import click

from holdfast.interfaces.cli.frame import common, service_of
from holdfast.interfaces.cli.output import faint, print_json, print_table
from holdfast.model.records import Counts, EmbeddingState, Stats, StoreState


@click.command("stats")
@common
def command(project: Path, as_json: bool) -> None:
    """Show what is remembered, by kind, status and trust, and the state of the store.

    \b
    Example:
      holdfast stats --json
    """
    with service_of(project) as service:
        stats = service.stats()
    if as_json:
        print_json(stats)
        return
    _print_store("project", stats.project, stats.counts, stats.embedding)
    if stats.user and stats.user_counts:
        click.echo()
        _print_store("user", stats.user, stats.user_counts, stats.user_embedding)
    _print_warnings(stats)


def _print_store(scope: str, state: StoreState, counts: Counts, embedding: EmbeddingState | None) -> None:
    click.echo(click.style(f"{scope}: {state.project}", bold=True))
    rows = [
        ("store", f"{state.place} ({state.bytes / 1024:,.0f} KB, {state.journal}, schema {state.schema})"),
        ("memories", f"{counts.memories:,} current, {counts.superseded:,} superseded, {counts.expired:,} expired"),
        ("by kind", _listed(counts.by_kind)),
        ("by status", _listed(counts.by_status)),
        ("by trust", _listed(counts.by_trust)),
        ("sessions", f"{counts.sessions:,} with {counts.turns:,} turns"),
        ("reads", f"{counts.reads:,}"),
        ("vectors", _vectors(embedding) if embedding else ""),
    ]
    print_table([(faint(name), value) for name, value in rows if value])


def _vectors(embedding: EmbeddingState) -> str:
    """Say which model is in use, what waits for vectors, and why."""
    said = [embedding.kept or embedding.model or "off"]
    waiting = {f"{target} waiting": number for target, number in embedding.waiting.items() if number}
    said += [_listed(waiting)] if waiting else []
    return "; ".join(dict.fromkeys([*said, *(one for one in (embedding.problem, embedding.notice) if one)]))


def _listed(groups: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in groups.items())


def _print_warnings(stats: Stats) -> None:
    if stats.project.mount:
        click.echo(f"The store lies on a shared folder ({stats.project.mount}): no write-ahead log there.")
    if stats.project.scrub_pending:
        click.echo("Bytes of something forgotten still wait for another process to stop reading.")
    if stats.user_error:
        click.echo(f"Your own memory is left out: {stats.user_error}")
    if stats.ignored_settings:
        click.echo(f"Not obeyed from this repository's config: {', '.join(stats.ignored_settings)}")
