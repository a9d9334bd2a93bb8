"""`holdfast auto`: whether sessions are read and their findings promoted by themselves."""

from pathlib import Path

import click

from holdfast.compose import settings
from holdfast.interfaces.cli.base import common, only_person
from holdfast.interfaces.cli.commands.config import agree, in_user_file
from holdfast.interfaces.cli.output import note, print_json

KEY = "capture.auto"


@click.command("auto")
@click.argument("state", type=click.Choice(("on", "off")), required=False)
@in_user_file
@agree
@common
def command(state: str | None, user: bool, yes: bool, project: Path, as_json: bool) -> None:
    """Turn findings and promotion on or off; without a word, say which. What you add yourself is always kept.

    \b
    Examples:
      holdfast auto
      holdfast auto off
      holdfast auto on --user
    """
    if state:
        only_person("changing settings")
        value = "true" if state == "on" else "false"
        settings.change(project, KEY, value, user=user, agreed=lambda keys: yes)
    setting = settings.in_force(project, KEY)
    if as_json:
        print_json({"auto": setting.value, "origin": setting.origin, "where": setting.where or None})
        return
    click.echo(f"Findings and promotion are {'on' if setting.value else 'off'}.")
    if state == "on" and not setting.value:
        note(f"Written, but {setting.where or 'another place'} says off, and off wins.")
