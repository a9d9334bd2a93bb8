"""`holdfast pause`: stop remembering for a while, here or everywhere."""

from pathlib import Path

import click

from holdfast.compose.workspace import find_workspace
from holdfast.interfaces.cli.base import common, only_person
from holdfast.interfaces.cli.output import print_json
from holdfast.machine import switch


@click.command("pause")
@click.argument("state", type=click.Choice(("on", "off")), default="on")
@click.option("--all", "everywhere", is_flag=True, help="In every project, not just this one.")
@common
def command(state: str, everywhere: bool, project: Path, as_json: bool) -> None:
    """Stop remembering in this project until `pause off`. Reading still works.

    \b
    Examples:
      holdfast pause
      holdfast pause off
      holdfast pause on --all
      holdfast pause off --all
    """
    only_person("switching memory on or off")
    workspace = find_workspace(project)
    root = str(workspace.project.root)
    (switch.pause if state == "on" else switch.resume)(None if everywhere else root)
    reason = workspace.off()
    if as_json:
        print_json({"root": root, "off": reason is not None, "reason": reason})
    elif reason:
        click.echo(f"Memory is off: {reason}")
    else:
        click.echo("Memory is on.")
