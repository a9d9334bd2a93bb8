"""`holdfast search`: layer 1, titles and scores."""

import sys
from dataclasses import asdict
from pathlib import Path

import click

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.options import only_own, options_of
from holdfast.interfaces.cli.output import date_label, faint, kind_label, note, print_json, shown
from holdfast.machine.project import find_project
from holdfast.model.kinds import KINDS
from holdfast.model.requests import SearchRequest
from holdfast.model.search import Hit
from holdfast.recall.hits import MARK
from holdfast.service.scopes import EVERYWHERE
from holdfast.service.service import Service


@click.command("search")
@click.argument("query")
@options_of(
    SearchRequest,
    limit="At most this many hits.",
    mode="What counts.",
    within="Where: known, the default, is memories and what was said; tool is what tools printed.",
    kinds="Only this kind; several: any.",
    tags="Only with this tag; several: all of them.",
    file="Only about this file or directory.",
    since="Only from then on: a date, or a length such as 7d.",
    until="Only before then.",
    status="Only with this status.",
    min_importance="Only at least this important (0 to 1).",
    contains="Only with this text, literally.",
)
@only_own
@click.option("--all-projects", "everywhere", is_flag=True, help="In every project where you use holdfast.")
@common
def command(
    user: bool,
    everywhere: bool,
    project: Path,
    as_json: bool,
    **rest: object,
) -> None:
    """Find what is remembered and what was said about QUERY. `holdfast get ID` shows a hit in full.

    Words and meaning both count; what was added a moment ago is found by its words until its vector is made in the
    background. `--mode keyword` looks at words alone, `--mode vector` at meaning alone.

    \b
    Examples:
      holdfast search "job queue"
      holdfast search retries --kind decision --since 90d --json
      holdfast search "commit style" --user
      holdfast search "connection refused" --within tool
      holdfast search "rate limiter" --all-projects
    """
    if user and everywhere:
        raise InvalidInput(field="--user", problem="goes without --all-projects.")
    here = str(find_project(project).root)
    with service_of(project) as service:
        scope = "user" if user else EVERYWHERE if everywhere else None
        hits = service.search(SearchRequest(scope=scope, **rest))  # type: ignore[arg-type]  # named after the fields
        if as_json:
            print_json(hits if everywhere else [_here(hit) for hit in hits])
            return
        for hit in hits:
            _print(service, hit, everywhere=everywhere)
    if not hits:
        note("Nothing found.")
    elif any(hit.place not in (None, here) for hit in hits):
        note("`holdfast get ID --project DIR` shows a hit of another project in full.")


def _print(service: Service, hit: Hit, *, everywhere: bool) -> None:
    """Print a hit: what and where it is, and below that why it was found."""
    is_talk = hit.kind not in KINDS
    cells = [
        hit.id[-8:] if is_talk else service.short_id(hit.id),
        kind_label(hit.kind) + (faint(f" by {shown(hit.source)}") if is_talk else ""),
        date_label(hit.created_at),
        faint(f"{hit.score:.2f}"),
        *(() if is_talk else (faint(hit.trust),)),
        shown(hit.title),
        *((faint(shown(_where(service, hit))),) if _where(service, hit) else ()),
        *((faint(shown(hit.place or "yours")),) if everywhere else ()),
    ]
    click.echo("  ".join(cells))
    if hit.snippet.replace(MARK, "") != hit.title:
        click.echo(f"    {_with_marker(shown(hit.snippet))}")


def _where(service: Service, hit: Hit) -> str:
    """Return the file or the session that a hit is from, unless its title says so."""
    if hit.file and hit.file not in hit.title:
        return hit.file
    return f"session {service.short_session_id(hit.session)}" if hit.session and hit.kind == "turn" else ""


def _with_marker(text: str) -> str:
    """Return a snippet with its words bold where that can be seen, and between marks elsewhere."""
    if not sys.stdout.isatty():
        return text
    parts = text.split(MARK)
    return "".join(click.style(part, bold=True) if place % 2 else part for place, part in enumerate(parts))


def _here(hit: Hit) -> dict[str, object]:
    """Return a hit of this project, which need not say where that lies."""
    return {name: value for name, value in asdict(hit).items() if name != "place"}
