"""`holdfast install` and `holdfast uninstall`: hooks, server and commands in the files of coding agents."""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import click

from holdfast.agents.editors import plan
from holdfast.agents.editors.plan import AGENTS, Change
from holdfast.agents.editors.targets import PROJECT, USER, InstallScope, surroundings
from holdfast.compose.drain import drain_everything
from holdfast.compose.purge import Purge, plan_purge, remove
from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import here_or_there, only_person
from holdfast.interfaces.cli.output import faint, note, print_json, shown
from holdfast.machine.project import find_project

ALL = "all"
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def _options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command its agents, its scope, and what else both share."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON for programs."),
        click.option("--dry-run", is_flag=True, help="Show the change, and do nothing."),
        click.option("--user", is_flag=True, help="In your own files (default)."),
        click.option(
            "--project",
            "inside",
            is_flag=False,
            flag_value="",
            metavar="[DIR]",
            help="In the files of this project, or of the one in DIR.",
        ),
        click.argument("agents", nargs=-1, metavar="AGENT..."),
    ):
        function = option(function)
    return function


class _Wish(NamedTuple):
    """What a command is to work on."""

    agents: list[str]
    place: InstallScope


def _wish(context: click.Context, agents: tuple[str, ...], user: bool, inside: str | None) -> _Wish:
    """Read the common options. `--project claude` names an agent, not a directory."""
    if inside in (*AGENTS, ALL):
        agents, inside = (*agents, str(inside)), ""
    unknown = [name for name in agents if name not in (*AGENTS, ALL)]
    if unknown or not agents:
        complaint = f"{unknown[0]!r} is none" if unknown else "is missing"
        raise InvalidInput(field="AGENT", problem=f"{complaint}. There are: {', '.join((*AGENTS, ALL))}.")
    if user and inside is not None:
        raise InvalidInput(field="--project", problem="and --user exclude each other.")
    here = here_or_there(context, context.command.params[0], Path(inside) if inside else None)
    scope = USER if inside is None else PROJECT
    names = list(AGENTS) if ALL in agents else list(dict.fromkeys(agents))
    return _Wish(names, surroundings(scope, find_project(here).root))


@click.command("install")
@_options
@click.pass_context
def install(
    context: click.Context, agents: tuple[str, ...], user: bool, inside: str | None, dry_run: bool, as_json: bool
) -> None:
    """Install hooks, the MCP server and slash commands into AGENT: claude, codex, gemini, opencode, copilot,
    cursor, or all.

    The change is shown line by line. Entries and comments of others stay; how a file was is kept, and `uninstall`
    brings it back. Doing it twice changes nothing.

    \b
    Examples:
      holdfast install claude
      holdfast install all --dry-run
    """
    wish = _wish(context, agents, user, inside)
    plans = [(AGENTS[name], plan.installing(AGENTS[name].targets(wish.place))) for name in wish.agents]
    if not dry_run:
        for _, changes in plans:
            plan.install(changes)
    _report(plans, wish.place.scope, dry_run=dry_run, as_json=as_json)
    if not as_json:
        for module, _ in plans:
            note(f"{module.NAME}: {module.TO_DO[wish.place.scope]}")


@click.command("uninstall")
@_options
@click.option("--purge", is_flag=True, help="Also remove everything that is remembered, here and of your own.")
@click.option("--all-projects", is_flag=True, help="With --purge: also the backups of other projects.")
@click.option("--yes", "-y", is_flag=True, help="With --purge: do not ask.")
@click.pass_context
def uninstall(
    context: click.Context,
    agents: tuple[str, ...],
    user: bool,
    inside: str | None,
    dry_run: bool,
    as_json: bool,
    purge: bool,
    all_projects: bool,
    yes: bool,
) -> None:
    """Take hooks, server and commands out of AGENT again, or out of all.

    A file that nobody changed since is as it was before, to the byte; from any other only our entries are taken.
    What was said and is not in the store yet is taken in first. With --purge this project's store goes as well,
    and your own, with the backups of both and everything else in your data directory; what is there for other
    projects, their backups above all, stays unless --all-projects is given. It is said what stays.

    \b
    Examples:
      holdfast uninstall claude
      holdfast uninstall all --purge
    """
    if all_projects and not purge:
        raise InvalidInput(field="--all-projects", problem="goes with --purge only.")
    if purge and not dry_run:
        only_person("removing everything that is remembered")
    wish = _wish(context, agents, user, inside)
    plans = [(AGENTS[name], plan.uninstalling(AGENTS[name].targets(wish.place))) for name in wish.agents]
    if not dry_run:
        for _, changes in plans:
            plan.uninstall(changes)
        drain_everything(lambda label, error: note(f"Not taken in: {label}: {error}"))
    _report(plans, wish.place.scope, dry_run=dry_run, as_json=as_json)
    if purge:
        planned_purge = plan_purge(wish.place.root, all_projects=all_projects)
        _purge(planned_purge, note if as_json else click.echo, dry_run=dry_run, yes=yes)


def _report(
    plans: Sequence[tuple[ModuleType, Sequence[Change]]], scope: str, *, dry_run: bool, as_json: bool
) -> None:
    if as_json:
        print_json(
            [
                {
                    "agent": module.NAME,
                    "to_do": module.TO_DO[scope],
                    "files": [
                        {"path": str(change.path), "change": change.verb, "diff": change.diff()}
                        for change in changes
                    ],
                }
                for module, changes in plans
            ]
        )
        return
    for module, changes in plans:
        would = "would " if dry_run else ""
        for change in changes:
            verb = change.verb if change.nothing or dry_run else f"{change.verb.rstrip('e')}ed"
            click.echo(f"{module.NAME}: {change.path} {faint(f'{would}{verb}' if not change.nothing else verb)}")
            for line in shown(change.diff()).splitlines():
                click.echo(click.style(f"  {line}", fg=_STYLES.get(line[:1])))


def _purge(purge: Purge, say: Callable[[str], None], *, dry_run: bool, yes: bool) -> None:
    """Say what goes and what stays, and remove it after asking."""
    for path in purge.gone:
        say(f"{path} {faint('would be removed' if dry_run else 'is removed for good')}")
    for remnant in purge.left:
        say(f"{remnant.path} {faint(f'stays: {remnant.what}')}")
    if dry_run or not purge.gone:
        return
    if not yes:
        click.confirm("Remove all this for good? There is no way back", abort=True, err=True)
    remove(purge.gone)
