"""`holdfast install` and `holdfast uninstall`: hooks, server and commands in the files of coding agents."""

import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from holdfast.agents import plan
from holdfast.agents.ledger import entries_left
from holdfast.agents.plan import AGENTS, Change
from holdfast.agents.targets import PROJECT, USER, Installation, InstallScope, Target, surroundings
from holdfast.errors import AgentFileUnusable, InvalidInput
from holdfast.interfaces.cli.base import can_ask, check_can_ask, here_or_there, only_person
from holdfast.interfaces.cli.output import faint, note, print_json, shown
from holdfast.machine.project import find_project
from holdfast.model.nearest import suggestion
from holdfast.storage.drain import drain_everything
from holdfast.storage.purge import Purge, plan_purge, remove

ALL = "all"
EXIT_LEFT_OUT = 11
Plan = tuple[Installation, Sequence[Change]]
"""An agent, and what becomes of its files."""

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
        click.argument("agents", nargs=-1, metavar="[AGENT]..."),
    ):
        function = option(function)
    return function


class _Wish(NamedTuple):
    """What a command is to work on."""

    agents: list[str]
    place: InstallScope
    is_chosen: bool
    """Whether the agents were named, rather than found."""


def _wish(context: click.Context, agents: tuple[str, ...], user: bool, inside: str | None) -> _Wish:
    """Read the common options. `--project claude` names an agent, not a directory."""
    if inside in (*AGENTS, ALL):
        agents, inside = (*agents, str(inside)), ""
    unknown = [name for name in agents if name not in (*AGENTS, ALL)]
    if unknown:
        raise InvalidInput(field="AGENT", problem=_no_agent(unknown[0]))
    if user and inside is not None:
        raise InvalidInput(field="--project", problem="and --user exclude each other.")
    if inside and not Path(inside).is_dir():
        raise InvalidInput(field="--project", problem=f"{inside} is no directory. Name one, or an agent.")
    here = here_or_there(context, context.command.params[0], Path(inside) if inside else None)
    scope = USER if inside is None else PROJECT
    place = surroundings(scope, find_project(here).root)
    names = list(AGENTS) if ALL in agents else list(dict.fromkeys(agents))
    return _Wish(names, place, bool(agents))


def _no_agent(name: str) -> str:
    likely = suggestion(name, (*AGENTS, ALL))
    question = f"Did you mean {likely}? " if likely else ""
    return f"{name!r} is none. {question}There are: {', '.join((*AGENTS, ALL))}."


@click.command("install")
@_options
@click.option("--diff", "with_diff", is_flag=True, help="Show every line that changes, not only the files.")
@click.option(
    "--yes", "-y", is_flag=True, help="Without AGENT: connect every agent that is found, and do not ask."
)
@click.pass_context
def install(
    context: click.Context,
    agents: tuple[str, ...],
    user: bool,
    inside: str | None,
    dry_run: bool,
    as_json: bool,
    with_diff: bool,
    yes: bool,
) -> None:
    """Connect coding agents: hooks, the MCP server, slash commands, and instructions where there are no hooks.

    Without AGENT, those that are on this machine are found, and you are asked once. AGENT is claude, codex,
    gemini, opencode, copilot, cursor, windsurf, cline, roo, zed, vscode, or all.

    Entries and comments of others stay; how a file was is kept, and `uninstall` brings it back. Doing it twice
    changes nothing.

    \b
    Examples:
      holdfast install
      holdfast install claude codex
      holdfast install all --dry-run
    """
    wish = _wish(context, agents, user, inside)
    names = wish.agents or _agents_found(wish.place)
    plans, left_out = _plan_each(names, wish, plan.installing)
    must_ask = not (wish.is_chosen or dry_run or yes) and any(
        not change.nothing for _, changes in plans for change in changes
    )
    if must_ask and not _confirm_connecting(plans, as_json=as_json):
        note("Nothing was changed.")
        return
    if not dry_run:
        project = str(wish.place.root) if wish.place.scope == PROJECT else ""
        for module, changes in plans:
            plan.install(changes, module.name, project)
    _report(plans, wish.place.scope, dry_run=dry_run, as_json=as_json, with_diff=with_diff or dry_run)
    if not as_json:
        for module, changes in plans:
            if any(not change.nothing for change in changes):
                note(f"{module.name}: {module.to_do_in(wish.place.scope)}")
            for change in changes:
                if change.replaces_others:
                    note(f"{change.path}: your own entry `holdfast` is kept, and comes back with `uninstall`.")
    if left_out:
        context.exit(EXIT_LEFT_OUT)


def _plan_each(
    names: Iterable[str], wish: _Wish, planning: Callable[[Sequence[Target]], list[Change]]
) -> tuple[list[Plan], list[str]]:
    """Plan agent by agent; return whom that left out, too.

    Of agents that nobody named, one with a file that cannot be changed holds up no other.
    """
    plans: list[Plan] = []
    left_out: list[str] = []
    for name in names:
        module = AGENTS[name]
        try:
            plans.append((module, planning(module.targets(wish.place))))
        except AgentFileUnusable as error:
            if wish.is_chosen:
                raise
            note(f"{module.name} is left out: {error}")
            left_out.append(name)
    return plans, left_out


def _agents_found(place: InstallScope) -> list[str]:
    names = plan.agents_here(place)
    if not names:
        advice = f"Name the one you will use: {', '.join(AGENTS)}."
        raise InvalidInput(field="AGENT", problem=f"is missing, and no agent was found on this machine. {advice}")
    absent = [module.name for name, module in AGENTS.items() if name not in names]
    not_here = f"; not {', '.join(absent)}" if absent else ""
    note(f"Found {', '.join(AGENTS[name].name for name in names)}{not_here}.")
    return names


def _confirm_connecting(plans: Sequence[Plan], *, as_json: bool) -> bool:
    """Say in a line an agent what would change, and ask once."""
    if as_json or not can_ask():
        raise InvalidInput(
            field="--yes",
            problem="is needed where nobody can be asked; or name the agents: holdfast install claude.",
        )
    for module, changes in plans:
        note(_summary(module, changes, would=True))
    note("Every line of it: holdfast install --dry-run. Out again: holdfast uninstall.")
    return click.confirm("Connect?", default=True, err=True)


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
    """Take hooks, server and commands out of AGENT again; without one, out of every agent that has them.

    A file that nobody changed since is as it was before, to the byte; from any other only our entries are taken.
    What was said and is not in the store yet is taken in first. With --purge this project's store goes as well,
    and your own, with the backups of both and everything else in your data directory; what is there for other
    projects, their backups above all, stays unless --all-projects is given. It is said what stays. Entries in the
    files of projects go with --project only: they are named, and can be taken out after a purge, too.

    \b
    Examples:
      holdfast uninstall
      holdfast uninstall claude --dry-run
      holdfast uninstall --purge
    """
    if all_projects and not purge:
        raise InvalidInput(field="--all-projects", problem="goes with --purge only.")
    if purge and not dry_run:
        only_person("removing everything that is remembered")
    wish = _wish(context, agents, user, inside)
    names = wish.agents or list(AGENTS)
    plans, left_out = _plan_each(names, wish, plan.uninstalling)
    changed_plans = [
        (module, changes) for module, changes in plans if any(not change.nothing for change in changes)
    ]
    shown_plans = plans if wish.is_chosen else changed_plans
    if purge and not (dry_run or yes or _confirm_purge(changed_plans, wish.place.root, all_projects=all_projects)):
        note("Nothing was changed.")
        return
    if not dry_run:
        for _, changes in plans:
            plan.uninstall(changes)
        drain_everything(lambda label, error: note(f"Not taken in: {label}: {error}"))
    _report(shown_plans, wish.place.scope, dry_run=dry_run, as_json=as_json, with_diff=dry_run)
    rest = [] if wish.is_chosen else _rest(plans, wish.place)
    for line in rest:
        note(line)
    if not shown_plans and not rest and not left_out and not as_json:
        note("Nothing of ours is in the files of any agent.")
    if purge:
        planned_purge = plan_purge(wish.place.root, all_projects=all_projects)
        _report_purge(
            planned_purge,
            note if as_json else click.echo,
            "would be removed" if dry_run else "is removed for good",
        )
        if not dry_run:
            remove(planned_purge.gone)
    if left_out:
        context.exit(EXIT_LEFT_OUT)


def _rest(plans: Sequence[Plan], place: InstallScope) -> list[str]:
    """Say which files still hold entries of ours: a project's, and those where a variable pointed before."""
    change_paths = {os.path.realpath(change.path) for _, changes in plans for change in changes}
    entries = [
        entry
        for entry in entries_left()
        if os.path.realpath(entry.path) not in change_paths
        and (place.scope != PROJECT or entry.project == str(place.root))
    ]
    projects = sorted({entry.project for entry in entries if entry.project})
    elsewhere = "repeat this with the variable that named its folder, or with --project DIR if it is a project's"
    return [
        *(f"Still in the files of {root}: holdfast uninstall --project {shlex.quote(root)}" for root in projects),
        *(f"Still in {entry.path} ({entry.agent}): {elsewhere}." for entry in entries if not entry.project),
    ]


def _report(plans: Sequence[Plan], scope: str, *, dry_run: bool, as_json: bool, with_diff: bool) -> None:
    if as_json:
        print_json(
            [
                {
                    "agent": module.name,
                    "to_do": module.to_do_in(scope),
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
        click.echo(_summary(module, changes, would=dry_run))
        for change in changes if with_diff else ():
            _print_diff(change, would="would " if dry_run and not change.nothing else "")


def _summary(module: Installation, changes: Sequence[Change], *, would: bool) -> str:
    """Say in one line what becomes of an agent's files."""
    counts = Counter(change.verb for change in changes)
    if counts.keys() <= {"unchanged"}:
        return f"{module.name}: nothing to do, {faint('all of it is as it should be')}"
    parts = [
        f"{number} file{'' if number == 1 else 's'} " + (f"to {verb}" if would else _past(verb))
        for verb, number in sorted(counts.items())
        if verb != "unchanged"
    ]
    places = dict.fromkeys(_beginning(change.path) for change in changes if not change.nothing)
    return f"{module.name}: {', '.join(parts)} {faint('(' + ', '.join(places) + ')')}"


def _beginning(path: Path) -> str:
    """Return the part of a path that a person knows an agent by: its file or folder in the home or the project."""
    for root in (Path.home(), Path.cwd()):
        if path.is_relative_to(root):
            parts = path.relative_to(root).parts
            deep = 2 if parts[0] == ".config" else 1
            name = "/".join(parts[:deep])
            return f"~/{name}" if root == Path.home() else name
    return str(path)


def _print_diff(change: Change, would: str) -> None:
    verb = change.verb if change.nothing or would else _past(change.verb)
    click.echo(f"  {change.path} {faint(f'{would}{verb}')}")
    for line in shown(change.diff()).splitlines():
        click.echo(click.style(f"    {line}", fg=_STYLES.get(line[:1])))


def _past(verb: str) -> str:
    return f"{verb.rstrip('e')}ed"


def _confirm_purge(plans: Sequence[Plan], root: Path, *, all_projects: bool) -> bool:
    """Say what would become of everything, and ask once, before anything is touched."""
    check_can_ask()
    for module, changes in plans:
        note(_summary(module, changes, would=True))
    change_paths = {str(change.path) for _, changes in plans for change in changes}
    _report_purge(
        plan_purge(root, all_projects=all_projects, freed_paths=change_paths), note, "to be removed for good"
    )
    return click.confirm("Remove all this? There is no way back", err=True)


def _report_purge(purge: Purge, say: Callable[[str], None], fate: str) -> None:
    """Say what goes and what stays."""
    for path in purge.gone:
        say(f"{path} {faint(fate)}")
    for remnant in purge.left:
        say(f"{remnant.path} {faint(f'stays: {remnant.what}')}")
