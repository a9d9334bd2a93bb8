"""`holdfast serve`: memory over HTTP."""

from dataclasses import replace
from pathlib import Path

import click

from holdfast.compose.tenancy import tokens
from holdfast.compose.workspace import find_workspace
from holdfast.interfaces.cli.base import check_place, here_or_there
from holdfast.interfaces.cli.output import note
from holdfast.interfaces.http.serve import serve


@click.command("serve")
@click.option("--host", help="The address to listen on (default: server.host, 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65_535), help="The port (default: server.port, 7420); 0: any.")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes that serve (default: server.workers, 1).")
@click.option(
    "--project",
    metavar="DIR",
    type=click.Path(path_type=Path),
    callback=here_or_there,
    help="The project's directory, or one inside it (default: here).",
)
def command(host: str | None, port: int | None, workers: int | None, project: Path) -> None:
    """Serve this project's memory over HTTP: REST at /api, described by /openapi.json, and MCP at /mcp.

    Whoever asks must show a token, which `holdfast token create` makes. It listens on this machine alone; for
    others, put a proxy with TLS before it (docs/server.md). SIGTERM or Ctrl-C ends it once requests under way are
    answered.

    \b
    Examples:
      holdfast token create --name laptop --scope write
      holdfast serve --port 7420
      holdfast serve --workers 2
    """
    check_place(project)
    config = find_workspace(project).config.server
    config = replace(
        config,
        host=host or config.host,
        port=config.port if port is None else port,
        workers=workers or config.workers,
    )
    if not tokens().all():
        note("There is no token yet, so nobody can ask anything. `holdfast token create` makes one.")
    serve(project, config, lambda address: note(f"Serving at {address} (REST: /api, MCP: /mcp)."))
