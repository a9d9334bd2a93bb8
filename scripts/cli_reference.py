"""Write docs/cli.md: the hand-written template, with the commands and exit codes taken from the program itself.

`make docs` runs this; a house test fails when the committed one is not what it writes.
"""

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from holdfast.interfaces.cli.main import EXIT_CODES, GROUPS, cli

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = ROOT / "scripts" / "cli_reference.md"
PAGE = ROOT / "docs" / "cli.md"
COMMON = ("project", "as_json")


def page() -> str:
    """Return the whole page."""
    text = TEMPLATE.read_text(encoding="utf-8")
    filled = text.replace("<!-- commands -->", "\n\n".join(_sections()))
    return filled.replace("<!-- exit codes -->", _exit_codes())


def _sections() -> Iterator[str]:
    with cli.make_context("holdfast", ["--help"], resilient_parsing=True) as context:
        for title, commands in GROUPS.items():
            yield f"## {title}"
            yield from _of_group(commands, context)


def _of_group(commands: Mapping[str, tuple[str, str]], context: click.Context) -> Iterator[str]:
    names_by_place: dict[str, list[str]] = {}
    for name, (place, _) in commands.items():
        names_by_place.setdefault(place, []).append(name)
    for names in names_by_place.values():
        command = cli.get_command(context, names[0])
        if command:
            yield from _of_command(command, names[0], context, names[1:])


def _of_command(command: click.Command, name: str, parent: click.Context, also: list[str]) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    heading = "###" if parent.parent is None else "####"
    yield "\n\n".join([f"{heading} {context.command_path}", *_described(command, context, also)])
    if isinstance(command, click.Group):
        for part, one in command.commands.items():
            yield from _of_command(one, part, context, [])


def _described(command: click.Command, context: click.Context, also: list[str]) -> Iterator[str]:
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    told = [" ".join(one.split()) for one in paragraphs if not one.startswith("\b")]
    if also:
        told[0] += f" Also {' and '.join(f'`holdfast {name}`' for name in also)}."
    yield from told
    if isinstance(command, click.Group) and not command.invoke_without_command:
        return
    yield f"`{' '.join([context.command_path, *command.collect_usage_pieces(context)])}`"
    if table := _options(command):
        yield table
    for one in paragraphs:
        if one.startswith("\b"):
            yield _preformatted(one.splitlines()[1:])


def _preformatted(lines: list[str]) -> str:
    """Return lines that the help keeps as they are: examples, or a list of something else."""
    if lines[0] in ("Example:", "Examples:"):
        return "\n".join(["```console", *(f"$ {line.strip()}" for line in lines[1:]), "```"])
    return "\n".join(["```text", *lines, "```"])


def _options(command: click.Command) -> str:
    rows = [
        f"| {', '.join(f'`{name}`' for name in (*one.opts, *one.secondary_opts))} | {_meaning(one)} |"
        for one in command.params
        if isinstance(one, click.Option) and one.name not in COMMON
    ]
    return "\n".join(["| option | meaning |", "|---|---|", *rows]) if rows else ""


def _meaning(option: click.Option) -> str:
    told = (option.help or "").replace("|", "\\|")
    if isinstance(option.type, click.Choice):
        told += f" One of {', '.join(f'`{one}`' for one in option.type.choices)}."
    return f"{told} Default `{option.default}`." if option.show_default else told


def _exit_codes() -> str:
    rows = [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    return "\n".join(["| code | meaning |", "|---|---|", *rows])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
