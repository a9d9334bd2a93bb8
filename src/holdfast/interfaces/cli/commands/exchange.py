"""`holdfast export`, `import`, `share`: memories out and in, as files, from other tools, with the team through
git."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from holdfast.errors import InvalidInput
from holdfast.export import formats
from holdfast.export.formats import FORMATS, ExportedMemory, HashedPieces, export_memory, format_for
from holdfast.interfaces.cli.base import Word, common, only_labelled, only_own, only_person, service_of
from holdfast.interfaces.cli.output import note, print_json, shown
from holdfast.interfaces.cli.progress import embed_option, make_vectors, note_rest, progress
from holdfast.machine import disk
from holdfast.model.ingest import Imported, Shared, Tie
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.storage.ingest import exports, read_table, sharing_of
from holdfast.storage.workspace import find_workspace

if TYPE_CHECKING:
    from holdfast.share.sharing import MemorySharing

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
    "--budget", default=formats.BUDGET, show_default=True, help="With --into: bytes the section may have."
)
@click.option("--candidates", is_flag=True, help="With --into: also what nobody has confirmed yet, marked so.")
@only_labelled
@only_own
@common
def export(
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
            settled = formats.settled_memories(service.list(filters, _MOST, scope), candidates=candidates)
            _write_section(service, into, settled, None if remove else budget, as_json)
            return
        form = format_for(name or ("json" if as_json and output is None else None), output)
        pieces = HashedPieces(
            FORMATS[form](_entries(memories, filters, service.moment("0m", "now") if current else None))
        )
        if output is None:
            for piece in pieces:
                click.echo(piece, nl=False)
        else:
            disk.replace_file(output, pieces)
    exports().claim(pieces.digest)
    if output is not None and as_json:
        print_json({"output": str(output), "bytes": output.stat().st_size})
    elif output is not None:
        note(f"Wrote {output}.")


def _entries(
    memories: Iterable[tuple[Memory, Sequence[Tie]]], filters: Filters, current_at: int | None
) -> Iterator[ExportedMemory]:
    for memory, ties in memories:
        fits = not filters.kinds or memory.kind in filters.kinds
        fits = fits and set(filters.tags) <= set(memory.tags)
        if fits and (current_at is None or memory.current(current_at)):
            yield export_memory(memory, ties)


def _write_section(
    service: Service, into: Path, memories: Sequence[Memory], budget: int | None, as_json: bool
) -> None:
    before = _text_of(into) if into.exists() else ""
    section, written_count, all_of = None, 0, 0
    if budget is not None:
        short = {memory.id: service.short_id(memory.id) for memory in memories}
        section, written_count = formats.context_section(memories, short, budget)
        all_of = len(memories)
    after = formats.with_section(before, section)
    if after != before:
        real = into.resolve()  # a link stays a link
        disk.replace_file(real, after, real.stat().st_mode & 0o777 if real.exists() else 0o644)
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
    """Say which other file that agents read holds a section, too."""
    if into.name not in formats.READERS:
        return
    for sibling in [into.with_name(name) for name in formats.READERS if name != into.name]:
        if sibling.is_file() and formats.SECTION.search(sibling.read_text(encoding="utf-8", errors="replace")):
            note(
                f"{sibling} holds a section, too, and some agents read both. "
                f"Keep one: `holdfast export --into {sibling} --remove`."
            )


def _import_formats() -> tuple[str, ...]:
    from holdfast.ingest.import_entries import FORMATS as IMPORT_FORMATS

    return IMPORT_FORMATS


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "-f",
    "name",
    type=Word("format", _import_formats),
    help="What it is, when that cannot be told from it.",
)
@click.option("--only", metavar="NAME", help="Of a file that holds several projects, this one; '*' for all.")
@click.option("--own", is_flag=True, help="It is my own export: keep status, trust, pins and history.")
@click.option("--confirm", "confirmed", is_flag=True, help="Confirm all of it at once.")
@click.option("--user", is_flag=True, help="Into your own memory, for every project.")
@click.option("--dry-run", is_flag=True, help="Only say what would come in.")
@embed_option
@common
def import_files(
    path: Path,
    name: str | None,
    only: str | None,
    own: bool,
    confirmed: bool,
    user: bool,
    dry_run: bool,
    embed: bool,
    project: Path,
    as_json: bool,
) -> None:
    """Import PATH: a file, a folder of Markdown, or a zip or tar archive.

    Reads exports of holdfast, mem0 (JSON), claude-mem (its database), basic-memory (Markdown), the official MCP
    memory server (JSONL), and files such as CLAUDE.md, AGENTS.md and MEMORY.md. What cannot be read is named with
    its line, and then nothing comes in; what was interrupted goes on when it is run again. An export that you made
    here and that nobody changed comes back as it was; everything else comes in as unconfirmed imports. What you
    had forgotten stays forgotten. What came in is found by words at once, by meaning once its vectors are made.

    \b
    Examples:
      holdfast import memories.jsonl --dry-run
      holdfast import CLAUDE.md --confirm
    """
    if (own or confirmed) and not dry_run:
        only_person("importing as your own, or confirmed,")
    workspace = find_workspace(project)
    from holdfast.ingest.import_entries import Importer, ImportOptions  # an export needs no reader

    request = ImportOptions(
        format=name,
        only=only,
        own=own,
        confirmed=confirmed,
        scope="user" if user else "project",
        dry_run=dry_run,
    )
    with service_of(project, create=not dry_run) as service:
        importer = Importer(
            exchange=service.exchange,
            project=workspace.project.root.name,
            tables=read_table,
            made_here=exports().made,
        )
        result = importer.run(path, request, progress)
        if as_json:
            print_json(result)
        else:
            _print_imported(result)
        if embed and result.created and not dry_run and service.vector_backlog.can_be_made:
            note_rest(make_vectors(service)[1])


def _print_imported(tally: Imported) -> None:
    how = "as they were" if tally.own else "as unconfirmed imports"
    click.echo(
        f"{'Would import' if tally.dry_run else 'Imported'} {tally.created:,} of {tally.entries:,} entries {how}."
    )
    counts = {
        "here already": tally.duplicates + tally.known,
        "came in as history": tally.superseded,
        "in conflict with what is here; see `holdfast conflicts`": tally.conflicts,
        **{f"refused: {reason}": number for reason, number in tally.rejected.items()},
        **{f"left out: {reason}": number for reason, number in tally.left.items()},
    }
    for label, number in counts.items():
        if number:
            click.echo(f"{number:,} {shown(label)}")


@click.command("share")
@click.option("--take-in", "only_in", is_flag=True, help="Only read what others wrote; write nothing.")
@click.option("--accept", is_flag=True, help="Take over edits of your own entries as if you had made them.")
@click.option("--retract", is_flag=True, help="Take back, for everybody, what you have forgotten here.")
@click.option("--candidates", is_flag=True, help="Also write what nobody has confirmed yet, marked so.")
@click.option("--dry-run", is_flag=True, help="Only say what would be read and written.")
@common
def share(
    only_in: bool, accept: bool, retract: bool, candidates: bool, dry_run: bool, project: Path, as_json: bool
) -> None:
    """Write what is confirmed or pinned into a folder of the repository, and read what others wrote there.

    There is one file for each memory, which says who said it: commit and review them like any others. What others
    wrote comes in unconfirmed. A file that is missing, on another branch say, hides what it said;
    `retracted: true` at its top takes it back.

    \b
    Examples:
      holdfast share --dry-run
      holdfast share
      holdfast share --take-in
    """
    if accept or retract or candidates:
        only_person("--accept, --retract or --candidates")
    with service_of(project, create=True) as service:
        share = replace(
            sharing_of(project, service), accept=accept, retract=retract, candidates=candidates, dry_run=dry_run
        )
        result = share.take_in() if only_in else share.hand_out()
        if as_json:
            print_json(result)
            return
        _print_shared(result, [service.short_id(memory_id) for memory_id in result.disputed], share)


def _print_shared(result: Shared, disputed_ids: list[str], share: "MemorySharing") -> None:
    folder = share.folder.name
    counts = {
        "came in": result.added,
        "shown again": result.shown,
        "hidden, their file is not there": result.hidden,
        "retracted by others": result.retracted,
        "edits taken over": result.accepted,
    }
    parts = [f"{number:,} {label}" for label, number in counts.items() if number]
    click.echo(f"Read {folder}: {', '.join(parts) or 'nothing new'}.")
    for name in result.written:
        click.echo(f"{'Would write' if share.dry_run else 'Wrote'} {folder}/{name}.")
    for name in result.waiting:
        click.echo(f"{folder}/{shown(name)} was edited: see `holdfast conflicts`, or take it over with --accept.")
    for short in disputed_ids:
        click.echo(f"{short} was retracted by others; `holdfast forget {short}` follows them.")
    for name in result.forgotten:
        click.echo(f"{folder}/{shown(name)} says what you forgot here; --retract takes it back for everybody.")
    for name, reason in result.skipped.items():
        click.echo(f"Left out {folder}/{shown(name)}: {shown(reason)}")
