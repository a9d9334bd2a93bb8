"""`holdfast add` (also `remember`, `save`): a person's word, confirmed at once; an agent's is a candidate."""

import os
from pathlib import Path

import click

from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.options import json_object, labels, options_of, read_piped
from holdfast.interfaces.cli.output import note, print_json, shown
from holdfast.model.kinds import CANDIDATE
from holdfast.model.memory import Added
from holdfast.model.requests import Draft
from holdfast.service.service import Service


@click.command("add")
@click.argument("text")
@options_of(
    Draft,
    kind="decision, warning, preference, pattern, fact, … (docs/domain.md).",
    title="A title, instead of the first sentence.",
    context="Why, or where it came up.",
)
@click.option("--tags", default="", help="Labels, separated by commas.")
@options_of(
    Draft,
    files="A file it is about; may be given several times.",
    importance="From 0 to 1 (default 0.5).",
    confidence="From 0 to 1.",
    source="Where it comes from.",
    expires="When it stops holding: a date, or a length such as 30d.",
    quote="The user's exact words it rests on: what an agent notes counts as theirs then.",
    supersedes="The memory whose place it takes.",
    session="The session it came up in.",
    at="When it was said, if not now.",
)
@click.option("--metadata", metavar="JSON", help="Anything else, as a JSON object.")
@click.option("--user", is_flag=True, help="Remember it for you, in every project.")
@common
def command(
    text: str,
    tags: str,
    files: tuple[str, ...],
    metadata: str | None,
    user: bool,
    project: Path,
    as_json: bool,
    **rest: object,
) -> None:
    """Remember TEXT ("-" reads it from standard input).

    Run by an agent it is the agent's word: unconfirmed, until you confirm it; or yours at once, where --quote
    gives your own words and you said them in the session that runs.

    \b
    Examples:
      holdfast add "We settled on Postgres LISTEN/NOTIFY for the job queue" --kind decision --tags queue,db
      holdfast add "Never edit the generated client by hand" --kind warning --file src/client.py
      holdfast remember "Prefer small commits" --kind preference --user
      holdfast add "Never push to main on Fridays" --quote "please never push to main on a friday"
    """
    rest["files"] = [_from_here(file) for file in files]
    draft = Draft(
        content=read_piped(text),
        tags=labels(tags),
        metadata=json_object(metadata),
        scope="user" if user else "project",
        trust="user",
        **rest,  # type: ignore[arg-type]  # the options are named after the fields
    )
    with service_of(project, create=not user) as service:
        result = service.add(draft)
        if as_json:
            print_json(result)
        else:
            click.echo(_answer(service, result))
            _warn(service, result)


def _from_here(file: str) -> str:
    """Return a path as the project will know it: one that exists here is meant from here, not from the root."""
    return os.path.abspath(file) if os.path.exists(file) else file


def _answer(service: Service, result: Added) -> str:
    if result.id is None:
        return f"Not remembered: {result.rejected}."
    short = service.short_id(result.id)
    if result.duplicate:
        return f"Known already as {short}; it counts for more now."
    memory = service.peek(result.id)
    if memory is None:
        return f"Remembered as {short}."
    caveat = ", unconfirmed: an agent says so" if memory.status == CANDIDATE else ""
    return f"Remembered as {short} ({memory.kind}{caveat})."


def _warn(service: Service, result: Added) -> None:
    """Say what the new memory opposes, replaces or repeats, what its quote lacks, and what waits for the user."""
    if result.unproven:
        note(f"quote: {result.unproven}.")
    if result.proposal:
        note(f"That it replaces what is the user's waits as proposal {result.proposal[-8:]}: `holdfast review`.")
    if result.id is None or not result.created:
        return
    for conflict in service.conflicts([result.id]):
        note(shown(conflict.marker))
    for old in service.history(result.id):
        if old.superseded_by == result.id:
            note(f"Took the place of {service.short_id(old.id)}: {shown(old.title)}")
    for similar_id in result.similar_to:
        note(f"Much like {service.short_id(similar_id)}.")
