"""`holdfast export`: everything out, in a format that comes back in; or what is settled, for agents to read."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from holdfast.compose.ingest import exports
from holdfast.errors import InvalidInput
from holdfast.export import context_file
from holdfast.export.fields import ExportedMemory, export_memory
from holdfast.export.write import FORMATS, HashedPieces, format_for, save
from holdfast.interfaces.cli.base import common, only_person, service_of
from holdfast.interfaces.cli.options import Word, only_kinds, only_own, only_tags
from holdfast.interfaces.cli.output import note, print_json
from holdfast.model.ingest import Tie
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.service.service import Service

_MOST = 100_000


@click.command("export")
@click.option(
    "--format",
    "-f",
    "name",
    type=Word("format", lambda: tuple(FORMATS)),
    help="jsonl (default), json, csv or markdown.",
)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="The file to write; without it, standard output."
)
@click.option("--current", is_flag=True, help="Leave out what is superseded or expired.")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write what is settled into this file, between markers.",
)
@click.option("--remove", is_flag=True, help="With --into: take the section out again.")
@click.option(
    "--budget", default=context_file.BUDGET, show_default=True, help="With --into: bytes the section may have."
)
@click.option("--candidates", is_flag=True, help="With --into: also what nobody has confirmed yet, marked so.")
@only_kinds
@only_tags
@only_own
@common
def command(
    name: str | None,
    output: Path | None,
    current: bool,
    into: Path | None,
    remove: bool,
    budget: int,
    candidates: bool,
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    user: bool,
    project: Path,
    as_json: bool,
) -> None:
    """Write memories to a file, history included, in the order they came.

    Read back by `holdfast import` as it was written, an export brings everything back as it was. With --into only
    confirmed and pinned memories go into AGENTS.md, CLAUDE.md or another file that an agent reads by itself, each
    with who said it; everything outside the markers stays as it is.

    \b
    Examples:
      holdfast export --format jsonl --output memories.jsonl
      holdfast export --format csv --kind decision > decisions.csv
      holdfast export --into AGENTS.md
    """
    if into is None and remove:
        raise InvalidInput(field="--remove", problem="needs --into, the file to take the section out of.")
    if into is not None and (name or output):
        raise InvalidInput(field="--into", problem="goes without --format and --output.")
    if candidates and into is None:
        raise InvalidInput(field="--candidates", problem="needs --into; an export holds them anyway.")
    if candidates:
        only_person("exporting what nobody confirmed")
    scope = "user" if user else "project"
    filters = Filters(kinds=kinds, tags=tags)
    with service_of(project) as service, contextlib.closing(service.exchange.everything(scope)) as memories:
        if into is not None:
            settled = context_file.settled_memories(service.list(filters, _MOST, scope), candidates=candidates)
            _write_section(service, into, settled, None if remove else budget, as_json)
            return
        form = format_for(name or ("json" if as_json and output is None else None), output)
        pieces = HashedPieces(FORMATS[form](_entries(memories, filters, _now(service) if current else None)))
        if output is None:
            for piece in pieces:
                click.echo(piece, nl=False)
        else:
            save(pieces, output)
    exports().claim(pieces.digest)
    if output is not None:
        _tell_written(output, as_json)


def _entries(
    memories: Iterable[tuple[Memory, Sequence[Tie]]], filters: Filters, current_at: int | None
) -> Iterator[ExportedMemory]:
    for memory, ties in memories:
        fits = not filters.kinds or memory.kind in filters.kinds
        fits = fits and set(filters.tags) <= set(memory.tags)
        if fits and (current_at is None or memory.current(current_at)):
            yield export_memory(memory, ties)


def _now(service: Service) -> int:
    return service.moment("0m", "now") or 0


def _tell_written(output: Path, as_json: bool) -> None:
    if as_json:
        print_json({"output": str(output), "bytes": output.stat().st_size})
    else:
        note(f"Wrote {output}.")


def _write_section(
    service: Service, into: Path, memories: Sequence[Memory], budget: int | None, as_json: bool
) -> None:
    before = _text_of(into) if into.exists() else ""
    section, written_count, all_of = None, 0, 0
    if budget is not None:
        short = {memory.id: service.short_id(memory.id) for memory in memories}
        section, written_count = context_file.render(memories, short, budget)
        all_of = len(memories)
    after = context_file.with_section(before, section)
    if after != before:
        real = into.resolve()  # a link stays a link
        save([after], real, real.stat().st_mode & 0o777 if real.exists() else 0o644)
    if as_json:
        print_json(
            {"into": str(into), "changed": after != before, "held": written_count, "left": all_of - written_count}
        )
        return
    note(_section_text(into, section is None, after != before, written_count, all_of))
    _warn_of_others(into)


def _text_of(into: Path) -> str:
    """Return a file's text with its line endings as they are."""
    try:
        return into.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            field="--into", problem="is a file that is not UTF-8. Save it as UTF-8 first."
        ) from error


def _section_text(into: Path, is_removal: bool, has_changed: bool, written_count: int, all_of: int) -> str:
    if not has_changed:
        return f"{into} is as it should be."
    if is_removal:
        return f"Took the section out of {into}."
    rest = f" {all_of - written_count} more did not fit; --budget makes room." if all_of > written_count else ""
    return f"Wrote {written_count} memories into {into}.{rest}"


def _warn_of_others(into: Path) -> None:
    siblings = [into.with_name(name) for name in context_file.READERS if name != into.name]
    for sibling in [file for file in siblings if into.name in context_file.READERS and _has_section(file)]:
        note(
            f"{sibling} holds a section, too, and some agents read both. "
            f"Keep one: `holdfast export --into {sibling} --remove`."
        )


def _has_section(path: Path) -> bool:
    return path.is_file() and bool(context_file.SECTION.search(path.read_text(encoding="utf-8", errors="replace")))
