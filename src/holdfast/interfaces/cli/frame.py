"""What every command shares: its common options, and the service of the project it works on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from holdfast.service import Service
from holdfast.wiring import open_service

P = ParamSpec("P")
R = TypeVar("R")


def common(function: Callable[P, R]) -> Callable[P, R]:
    """Give a command `--project` and `--json`."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
    project = click.option(
        "--project",
        type=click.Path(path_type=Path),
        default=Path("."),
        help="The project's directory, or one inside it (default: here).",
    )
    return as_json(project(function))


@contextmanager
def service_of(project: Path, *, create: bool = False) -> Iterator[Service]:
    """Open the service of a project for one command. Reading makes no store where there is none."""
    service = open_service(project, actor="cli", create=create, embed_on_add=False)
    try:
        yield service
    finally:
        service.close()
