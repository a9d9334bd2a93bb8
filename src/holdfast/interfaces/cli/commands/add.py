"""`holdfast add` (also `remember`, `save`): a person's word, confirmed at once."""

import json
import sys
from pathlib import Path

import click

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.frame import common, service_of
from holdfast.interfaces.cli.output import note, print_json
from holdfast.model.memory import Added, Draft
from holdfast.service import Service


@click.command("add")
@click.argument("text")
@click.option("--kind", "-k", help="decision, warning, preference, pattern, fact, … (see docs/domain.md).")
@click.option("--title", help="A title, instead of the first sentence.")
@click.option("--context", help="Why, or where it came up.")
@click.option("--tags", default="", help="Labels, separated by commas.")
@click.option("--file", "files", multiple=True, help="A file it is about; may be given several times.")
@click.option("--importance", type=float, help="From 0 to 1 (default 0.5).")
@click.option("--confidence", type=float, default=1.0, show_default=True, help="From 0 to 1.")
@click.option("--source", default="manual", show_default=True, help="Where it comes from.")
@click.option("--expires", help="When it stops holding: a date, or a length such as 30d.")
@click.option("--supersedes", metavar="ID", help="The memory whose place it takes.")
@click.option("--session", metavar="ID", help="The session it came up in.")
@click.option("--metadata", metavar="JSON", help="Anything else, as a JSON object.")
@click.option("--at", help="When it was said, if not now.")
@click.option("--user", is_flag=True, help="Remember it for you, in every project.")
@common
def command(
    text: str, tags: str, metadata: str | None, user: bool, project: Path, as_json: bool, **rest: object
) -> None:
    """Remember TEXT ("-" reads it from standard input).

    \b
    Examples:
      holdfast add "We settled on Postgres LISTEN/NOTIFY for the job queue" --kind decision --tags queue,db
      holdfast add "Never edit the generated client by hand" --kind warning --file src/client.py
      holdfast remember "Prefer small commits" --kind preference --user
    """
    draft = Draft(
        content=sys.stdin.read() if text == "-" else text,
        tags=tuple(tag.strip() for tag in tags.split(",") if tag.strip()),
        metadata=_object(metadata),
        scope="user" if user else "project",
        trust="user",
        **rest,  # type: ignore[arg-type]  # the options are named after the fields
    )
    with service_of(project, create=True) as service:
        added = service.add(draft)
        if as_json:
            print_json(added)
        else:
            click.echo(_answer(service, added))
            _warn(service, added)


def _object(text: str | None) -> dict[str, object] | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidInput(field="metadata", problem=f"is not JSON ({error}).") from error
    if not isinstance(value, dict):
        raise InvalidInput(field="metadata", problem="must be a JSON object, such as '{\"ticket\": 12}'.")
    return value


def _answer(service: Service, added: Added) -> str:
    if added.id is None:
        return f"Not remembered: {added.rejected}."
    short = service.short_id(added.id)
    if added.duplicate:
        return f"Known already as {short}; it counts for more now."
    memory = service.peek(added.id)
    return f"Remembered as {short} ({memory.kind})." if memory else f"Remembered as {short}."


def _warn(service: Service, added: Added) -> None:
    """Say what the new memory opposes, replaces or repeats."""
    if added.id is None or not added.created:
        return
    for conflict in service.conflicts([added.id]):
        note(conflict.marker)
    for old in service.history(added.id):
        if old.superseded_by == added.id:
            note(f"Took the place of {service.short_id(old.id)}: {old.title}")
    for other in added.similar_to:
        note(f"Much like {service.short_id(other)}.")
