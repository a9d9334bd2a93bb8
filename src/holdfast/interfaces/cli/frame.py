"""What every command shares: its common options, groups of subcommands, and the service it works on."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

if TYPE_CHECKING:
    from holdfast.service import Service

P = ParamSpec("P")
R = TypeVar("R")


def common(function: Callable[P, R]) -> Callable[P, R]:
    """Give a command `--project` and `--json`."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
    project = click.option(
        "--project",
        metavar="DIR",
        type=click.Path(path_type=Path),
        callback=here_or_there,
        help="The project's directory, or one inside it (default: here).",
    )
    return as_json(project(function))


def here_or_there(context: click.Context, _: click.Parameter, given: Path | None) -> Path:
    """Return the directory given after the command, else the one before it, else this one."""
    before: Path | None = context.find_root().params.get("project")
    return given or before or Path()


class Group(click.Group):
    """Commands under one word; a slip of the finger gets a suggestion."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            raise click.UsageError(
                f"{args[0]!r} is not a command. {_nearest(ctx.command_path, args[0], names)}", ctx
            )
        return super().resolve_command(ctx, args)


def _nearest(path: str, name: str, names: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, list(names), n=1)
    return f"Did you mean `{path} {near[0]}`?" if near else f"`{path} --help` lists the commands."


@contextmanager
def service_of(project: Path, *, create: bool = False, fresh: bool = False) -> "Iterator[Service]":
    """Open the service of a project for one command. Reading makes no store where there is none."""
    from holdfast.wiring import open_keeper, open_service

    if fresh:
        open_keeper(project, actor="cli").begin_anew()
    service = open_service(project, actor="cli", create=create, fresh=fresh, embed_on_add=False, short=True)
    reason = service.read_only()
    if reason:
        click.echo(f"holdfast: {reason}", err=True)
    try:
        yield service
        service.waiting_rows.leave()
    finally:
        service.close()
