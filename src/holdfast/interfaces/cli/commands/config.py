"""`holdfast config`, `auto`, `pause`: settings shown and changed, and the two switches of remembering."""

import os
from collections.abc import Sequence
from pathlib import Path

import click

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import Group, Word, can_ask, common, only_person, project_option
from holdfast.interfaces.cli.output import faint, note, print_json, print_result, print_table, shown
from holdfast.machine import environment
from holdfast.model.finding import PRESETS
from holdfast.settings.load import SettingChoice
from holdfast.settings.schema import setting, settings
from holdfast.storage import settings as configure
from holdfast.storage.workspace import find_workspace

KEY = Word("key", lambda: tuple(entry.key for entry in settings()))
_ORIGINS = {"default": "default", "user": "user file", "project": "project file", "environment": "environment"}

in_user_file = click.option("--user", is_flag=True, help="In your own file, for every project.")
agree = click.option(
    "--yes", "-y", is_flag=True, help="Obey what else stands in a file that came with the project."
)
AUTO_KEY = "capture.auto"


@click.group("config", cls=Group)
def config() -> None:
    """Settings: from their defaults, your file, the project's file, the environment; the later wins."""


@config.command("list")
@common
def list_settings(project: Path, as_json: bool) -> None:
    """Show every setting with the value in force and who set it.

    \b
    Example:
      holdfast config list
    """
    report = configure.report(project)
    if as_json:
        print_json({"settings": [setting_shape(choice) for choice in report.settings], "ignored": report.ignored})
        return
    print_table(
        [(choice.key, origin_label(choice), shown(configure.as_text(choice.shown))) for choice in report.settings]
    )
    if report.ignored:
        note(f"Not obeyed, because you did not write it: {', '.join(report.ignored)}")


@config.command("get")
@click.argument("key", type=KEY)
@common
def get(key: str, project: Path, as_json: bool) -> None:
    """Print the value in force of KEY; an empty line when it has none.

    \b
    Examples:
      holdfast config get store.synchronous
      holdfast config get search.floor --json
    """
    choice = configure.in_force(project, key)
    print_result(setting_shape(choice), shown(configure.as_text(choice.shown)), as_json=as_json)


@config.command("set")
@click.argument("key", type=KEY)
@click.argument("value")
@in_user_file
@agree
@common
def set_key(key: str, value: str, user: bool, yes: bool, project: Path, as_json: bool) -> None:
    """Set KEY to VALUE in the project's file, or with --user in your own. Comments and other keys stay.

    \b
    Examples:
      holdfast config set search.floor 0.2
      holdfast config set user.name ada --user
    """
    setting(key)
    _change(project, key, value, user=user, yes=yes, as_json=as_json)


@config.command("unset")
@click.argument("key", type=KEY)
@in_user_file
@agree
@common
def unset(key: str, user: bool, yes: bool, project: Path, as_json: bool) -> None:
    """Take KEY out of the project's file, or with --user out of your own.

    \b
    Example:
      holdfast config unset search.floor
    """
    _change(project, key, None, user=user, yes=yes, as_json=as_json)


@config.command("preset")
@click.argument("name", type=click.Choice(tuple(PRESETS)))
@in_user_file
@agree
@common
def preset(name: str, user: bool, yes: bool, project: Path, as_json: bool) -> None:
    """Say how much must speak for a finding before it is promoted by itself.

    \b
    Example:
      holdfast config preset conservative
    """
    _change(project, "capture.preset", name, user=user, yes=yes, as_json=as_json)


@config.command("path")
@click.option("--user", is_flag=True, help="Only your own file.")
@common
def path(user: bool, project: Path, as_json: bool) -> None:
    """Print where the settings files are, or would be: yours, then the project's.

    \b
    Example:
      holdfast config path
    """
    sources = configure.sources(project)
    if as_json:
        print_json({"user": str(sources.user_file), "project": str(sources.project_file)})
        return
    for file in (sources.user_file,) if user else (sources.user_file, sources.project_file):
        click.echo(str(file))


@config.command("edit")
@in_user_file
@project_option
def edit(user: bool, project: Path) -> None:
    """Open the project's file, or with --user your own, in your editor ($VISUAL or $EDITOR), and check it after.

    What is wrong in it is named with its line. It works with a file that no other command can read.

    \b
    Examples:
      holdfast config edit
      holdfast config edit --user
    """
    only_person("changing settings")
    if not (can_ask() or os.environ.get("VISUAL") or os.environ.get("EDITOR")):
        raise InvalidInput(
            field="edit", problem="there is no terminal for an editor. `config path` says where it is."
        )
    file = configure.edit(project, user=user, editor=_open_editor)
    click.echo(f"{file}: nothing is wrong in it.")


def _open_editor(file: Path) -> None:
    click.edit(filename=str(file))


def _change(project: Path, key: str, value: str | None, *, user: bool, yes: bool, as_json: bool) -> None:
    only_person("changing settings")
    change = configure.change(project, key, value, user=user, agreed=lambda keys: yes or _confirm_keys(keys))
    if as_json:
        print_json({"file": str(change.file), "changed": change.changed, **setting_shape(change.in_force)})
        return
    if not change.changed and value is None:
        note(f"{key} was not set in {change.file}")
        return
    click.echo(
        f"{key}: {shown(configure.as_text(change.in_force.shown)) or 'none'} ({origin_label(change.in_force)})"
    )
    if value is not None and change.in_force.where != str(change.file):
        note(f"Written to {change.file}, but {change.in_force.where or 'another place'} wins.")


def _confirm_keys(keys: Sequence[str]) -> bool:
    question = f"The file came with the project and also sets {', '.join(keys)}. Obey that from now on?"
    return can_ask() and click.confirm(question, err=True)


def setting_shape(choice: SettingChoice) -> dict[str, object]:
    """Return a setting as `--json` prints it."""
    definition = {item.key: item for item in settings()}.get(choice.key)
    return {
        "key": choice.key,
        "value": choice.shown,
        "origin": choice.origin,
        "where": choice.where or None,
        "default": definition.default if definition else None,
        "doc": definition.doc if definition else None,
    }


def origin_label(choice: SettingChoice) -> str:
    """Return who set a value, as people are told."""
    return faint(_ORIGINS[choice.origin])


@click.command("auto")
@click.argument("state", type=click.Choice(("on", "off")), required=False)
@in_user_file
@agree
@common
def auto(state: str | None, user: bool, yes: bool, project: Path, as_json: bool) -> None:
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
        configure.change(project, AUTO_KEY, value, user=user, agreed=lambda keys: yes)
    setting = configure.in_force(project, AUTO_KEY)
    if as_json:
        print_json({"auto": setting.value, "origin": setting.origin, "where": setting.where or None})
        return
    click.echo(f"Findings and promotion are {'on' if setting.value else 'off'}.")
    if state == "on" and not setting.value:
        note(f"Written, but {setting.where or 'another place'} says off, and off wins.")


@click.command("pause")
@click.argument("state", type=click.Choice(("on", "off")), default="on")
@click.option("--all", "everywhere", is_flag=True, help="In every project, not just this one.")
@common
def pause(state: str, everywhere: bool, project: Path, as_json: bool) -> None:
    """Stop remembering in this project until `pause off`. Reading still works.

    \b
    Examples:
      holdfast pause
      holdfast pause off
      holdfast pause on --all
      holdfast pause off --all
    """
    only_person("switching memory on or off")
    workspace = find_workspace(project, anyway=True)
    root = str(workspace.project.root)
    (environment.pause if state == "on" else environment.resume)(None if everywhere else root)
    reason = workspace.off()
    answer = {"root": root, "off": reason is not None, "reason": reason}
    print_result(answer, f"Memory is off: {reason}" if reason else "Memory is on.", as_json=as_json)
