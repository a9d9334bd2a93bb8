"""`holdfast config`: what is set, by whom, and changing it."""

from collections.abc import Sequence
from pathlib import Path

import click

from holdfast.capture.sessions.promotion import PRESETS
from holdfast.compose import settings as configure
from holdfast.interfaces.cli.base import Group, common, only_person
from holdfast.interfaces.cli.options import Word, can_ask
from holdfast.interfaces.cli.output import faint, note, print_json, print_table, shown
from holdfast.settings.schema import Chosen, setting, settings

KEY = Word("key", lambda: tuple(one.key for one in settings()))
_ORIGINS = {"default": "default", "user": "user file", "project": "project file", "environment": "environment"}

in_user_file = click.option("--user", is_flag=True, help="In your own file, for every project.")
agree = click.option(
    "--yes", "-y", is_flag=True, help="Obey what else stands in a file that came with the project."
)


@click.group("config", cls=Group)
def command() -> None:
    """Settings: from their defaults, your file, the project's file, the environment; the later wins."""


@command.command("list")
@common
def list_settings(project: Path, as_json: bool) -> None:
    """Show every setting with the value in force and who set it.

    \b
    Example:
      holdfast config list
    """
    report = configure.report(project)
    if as_json:
        print_json({"settings": [_shape(one) for one in report.settings], "ignored": report.ignored})
        return
    print_table([(one.key, _origin(one), shown(configure.as_text(one.shown))) for one in report.settings])
    if report.ignored:
        note(f"Not obeyed, because you did not write it: {', '.join(report.ignored)}")


@command.command("get")
@click.argument("key", type=KEY)
@common
def get(key: str, project: Path, as_json: bool) -> None:
    """Print the value in force of KEY; an empty line when it has none.

    \b
    Examples:
      holdfast config get store.synchronous
      holdfast config get search.floor --json
    """
    found = configure.in_force(project, key)
    if as_json:
        print_json(_shape(found))
    else:
        click.echo(shown(configure.as_text(found.shown)))


@command.command("set")
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


@command.command("unset")
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


@command.command("preset")
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


@command.command("path")
@click.option("--user", is_flag=True, help="Only your own file.")
@common
def path(user: bool, project: Path, as_json: bool) -> None:
    """Print where the settings files are, or would be: yours, then the project's.

    \b
    Example:
      holdfast config path
    """
    found = configure.sources(project)
    if as_json:
        print_json({"user": str(found.user_file), "project": str(found.project_file)})
        return
    for file in (found.user_file,) if user else (found.user_file, found.project_file):
        click.echo(str(file))


def _change(project: Path, key: str, value: str | None, *, user: bool, yes: bool, as_json: bool) -> None:
    only_person("changing settings")
    done = configure.change(project, key, value, user=user, agreed=lambda keys: yes or _asked(keys))
    if as_json:
        print_json({"file": str(done.file), "changed": done.changed, **_shape(done.in_force)})
        return
    if not done.changed and value is None:
        note(f"{key} was not set in {done.file}")
        return
    click.echo(f"{key}: {shown(configure.as_text(done.in_force.shown)) or 'none'} ({_origin(done.in_force)})")
    if value is not None and done.in_force.where != str(done.file):
        note(f"Written to {done.file}, but {done.in_force.where or 'another place'} wins.")


def _asked(keys: Sequence[str]) -> bool:
    question = f"The file came with the project and also sets {', '.join(keys)}. Obey that from now on?"
    return can_ask() and click.confirm(question, err=True)


def _shape(one: Chosen) -> dict[str, object]:
    known = {item.key: item for item in settings()}.get(one.key)
    return {
        "key": one.key,
        "value": one.shown,
        "origin": one.origin,
        "where": one.where or None,
        "default": known.default if known else None,
        "doc": known.doc if known else None,
    }


def _origin(one: Chosen) -> str:
    return faint(_ORIGINS[one.origin])
