"""`holdfast update`: change fields of a memory."""

from pathlib import Path

import click

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.options import KIND, json_object, labels, read_piped
from holdfast.interfaces.cli.output import print_json, shown
from holdfast.model.requests import Changes


@click.command("update")
@click.argument("id")
@click.option("--content", help='What it says now ("-" reads it from standard input).')
@click.option("--title", help="Another title.")
@click.option("--kind", "-k", type=KIND, help="Another kind.")
@click.option("--context", help='Why, or where it came up; "" removes it.')
@click.option("--tags", help='Labels, separated by commas, instead of those there are; "" removes them.')
@click.option(
    "--file", "files", multiple=True, help='A file it is about, instead of those so far; "" removes them.'
)
@click.option("--importance", type=float, help="From 0 to 1.")
@click.option("--confidence", type=float, help="From 0 to 1.")
@click.option("--expires", help="When it stops holding: a date, a length such as 30d, or `never`.")
@click.option("--metadata", metavar="JSON", help="A JSON object, instead of the one there is.")
@common
def command(
    id: str,  # noqa: A002 - the argument's name in help
    content: str | None,
    tags: str | None,
    files: tuple[str, ...],
    metadata: str | None,
    project: Path,
    as_json: bool,
    **rest: object,
) -> None:
    """Change fields of the memory ID; what is not named stays as it is.

    \b
    Examples:
      holdfast update 1f2e3d4c --kind warning --tags security,parser
      holdfast update 1f2e3d4c --expires never
      holdfast update 1f2e3d4c --content "Retries are capped at 5" --json
    """
    changes = Changes(
        content=None if content is None else read_piped(content),
        tags=None if tags is None else labels(tags),
        files=tuple(file for file in files if file) if files else None,
        metadata=json_object(metadata),
        trust="user",
        **rest,  # type: ignore[arg-type]  # the options are named after the fields
    )
    if changes == Changes(trust="user"):
        raise InvalidInput(field="update", problem="nothing to change. Name a field, such as --kind or --content.")
    with service_of(project) as service:
        memory = service.update(id, changes)
        if as_json:
            print_json(memory)
        else:
            click.echo(f"Updated {service.short_id(memory.id)}: {shown(memory.title)}")
