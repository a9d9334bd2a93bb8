"""`holdfast search`, `get`, `list`, `timeline`, `history`, `alias`: memories found, in short and in full."""

import sys
from pathlib import Path

import click
from msgspec.structs import asdict

from holdfast.errors import InvalidInput, UnknownId
from holdfast.interfaces.cli.base import Group, common, only_labelled, only_own, options_of, service_of
from holdfast.interfaces.cli.output import (
    date_label,
    faint,
    kind_label,
    note,
    print_json,
    print_list,
    print_result,
    print_table,
    shown,
)
from holdfast.machine.project import find_project
from holdfast.model.kinds import KINDS
from holdfast.model.memory import Memory, TimelineEntry
from holdfast.model.requests import SearchRequest
from holdfast.model.search import Filters, Hit
from holdfast.model.session import Quote
from holdfast.model.times import day, iso
from holdfast.recall.hits import MARK
from holdfast.recall.stand_ins import DEFAULTS
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
def search(
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
        *((faint(f"in: {shown(hit.thread)}"),) if hit.thread else ()),
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
        quotes_by_id = [
            (typed_id, service.quotes([typed_id])) for typed_id in ids if service.peek(typed_id) is None
        ]
        quotes = [quote for _, turn_quotes in quotes_by_id for quote in turn_quotes]
        missing_ids = [typed_id for typed_id, turn_quotes in quotes_by_id if not turn_quotes]
        if as_json:
            print_json([*memories, *quotes])
        elif memories or quotes:
            pages = [
                *(_page(service, memory) for memory in memories),
                *(_quote_page(service, quote) for quote in quotes),
            ]
            click.echo("\n\n".join(pages))
        nearest_id = service.near_id(missing_ids[0]) if missing_ids else None
    if missing_ids:
        raise UnknownId(noun="memory", id=missing_ids[0], near=nearest_id)


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
        "thread": service.thread_of(memory.id) or "",
        "branch": memory.branch or "",
        "expires": iso(memory.expires) if memory.expires else "",
        "superseded by": memory.superseded_by or ("something forgotten" if memory.superseded else ""),
        **_act_details(memory),
    }
    lines.extend(faint(f"{name}: {shown(value)}") for name, value in details.items() if value)
    lines.extend(click.style(shown(conflict.marker), fg="yellow") for conflict in service.conflicts([memory.id]))
    return "\n".join([*lines, "", shown(memory.content)])


def _act_details(memory: Memory) -> dict[str, str]:
    """Say what a person's rule touches, how it is guarded and how it was kept."""
    from holdfast.service.rules import act_details

    return act_details(memory)


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
    nothing = 'Nothing remembered yet. `holdfast add "…"` remembers something.'
    with service_of(project) as service:
        filters, scope = Filters(kinds=kinds, tags=tags), "user" if user else None
        memories = service.list(filters, limit, scope, everything=everything)
        print_list(memories, lambda memory: _row(service, memory, memory.status), nothing, as_json=as_json)


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
        print_list(
            service.timeline(id, window),
            lambda entry: ("▸" if entry.anchor else " ", *_row(service, entry, entry.trust)),
            as_json=as_json,
        )


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
        print_list(service.history(id), lambda memory: _row(service, memory, _validity(memory)), as_json=as_json)


def _validity(memory: Memory) -> str:
    return f"until {day(memory.valid_until)}" if memory.valid_until is not None else "holds"


def _row(service: Service, memory: Memory | TimelineEntry, remark: str) -> tuple[str, ...]:
    kind, date = kind_label(memory.kind), date_label(memory.created_at)
    return service.short_id(memory.id), kind, date, faint(remark), shown(memory.title)


@click.group("alias", cls=Group)
def alias() -> None:
    """Let words find each other: `auth` finds what speaks of `keycloak`.

    A few that most projects share are built in; they stand in for a word that the store does not hold. Your own
    always count, in searches and in briefs.
    """


@alias.command("add")
@click.argument("word")
@click.argument("meanings", nargs=-1, required=True)
@common
def add_alias(word: str, meanings: tuple[str, ...], project: Path, as_json: bool) -> None:
    """Let WORD also be called each of MEANINGS.

    \b
    Examples:
      holdfast alias add auth keycloak sso
    """
    with service_of(project, create=True) as service:
        count = service.aliases.add(word, meanings)
    text = f"{count} new." if count else "Known already."
    print_result({"word": word, "added": count}, text, as_json=as_json)


@alias.command("list")
@click.option("--all", "everything", is_flag=True, help="Also those that are built in.")
@common
def list_aliases(everything: bool, project: Path, as_json: bool) -> None:
    """Show what words are also called.

    \b
    Examples:
      holdfast alias list --all
    """
    with service_of(project) as service:
        own = service.aliases.all()
    if as_json:
        print_json({"own": own, **({"built_in": dict(DEFAULTS)} if everything else {})})
        return
    rows = [(shown(word), shown(", ".join(meanings))) for word, meanings in own.items()]
    built_in = [(faint(word), faint(", ".join(meanings))) for word, meanings in DEFAULTS.items()]
    print_table([*rows, *(built_in if everything else [])])
    if not rows and not everything:
        note("This project has no aliases of its own; --all shows those that are built in.")


@alias.command("remove")
@click.argument("word")
@click.argument("meanings", nargs=-1)
@common
def remove_alias(word: str, meanings: tuple[str, ...], project: Path, as_json: bool) -> None:
    """Let go of what WORD is also called, or only of MEANINGS.

    \b
    Examples:
      holdfast alias remove auth sso
    """
    with service_of(project) as service:
        count = service.aliases.remove(word, meanings)
    text = f"{count} removed." if count else "There was none."
    print_result({"word": word, "removed": count}, text, as_json=as_json)
