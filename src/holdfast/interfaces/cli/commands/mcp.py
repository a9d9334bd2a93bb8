"""`holdfast mcp`: the server for agents. `entry` starts it before this is imported; here it has its help."""

from pathlib import Path

import click

from holdfast.interfaces.cli.base import here_or_there
from holdfast.interfaces.mcp.front import main


@click.command("mcp")
@click.option(
    "--project",
    metavar="DIR",
    type=click.Path(path_type=Path),
    callback=here_or_there,
    help="The project's directory, or one inside it (default: here).",
)
def command(project: Path) -> int:
    """Serve this project's memory to an agent, over standard input and output, by the Model Context Protocol.

    An agent starts this by itself once it is told to, with `claude mcp add holdfast -s user -- holdfast mcp` say,
    and it ends when the agent does.

    \b
    Examples:
      holdfast mcp
      holdfast mcp --project ~/src/shop
    """
    if str(project).startswith("-") and not project.is_dir():  # an option was taken for the directory
        raise click.BadOptionUsage("--project", "Option '--project' requires an argument.")
    return main(str(project))
