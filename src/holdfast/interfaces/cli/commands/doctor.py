"""`holdfast doctor`: check everything, and repair what can be repaired."""

from pathlib import Path

import click

from holdfast.interfaces.cli.frame import common
from holdfast.interfaces.cli.output import print_json, shown
from holdfast.model.care import OK, PROBLEM, WARNING, Checkup, Diagnosis
from holdfast.wiring import open_guard

FOUND_PROBLEMS = 8

_SIGNS = {OK: ("✓", "green"), WARNING: ("!", "yellow"), PROBLEM: ("✗", "red")}


@click.command("doctor")
@click.option("--repair", is_flag=True, help="Make anew what can be; set a damaged store aside and restore it.")
@click.option("--user", is_flag=True, help="Your own store, instead of the project's.")
@common
def command(repair: bool, user: bool, project: Path, as_json: bool) -> int:
    """Check the store and what is around it: pages, indexes, logs, modes, space, versions, backups, trust.

    The exit code is 8 when a problem is found or left, 0 when there are none or only warnings.

    \b
    Examples:
      holdfast doctor
      holdfast doctor --repair
    """
    guard = open_guard(project, actor="cli", user=user)
    checkup = guard.repair() if repair else guard.examine()
    if as_json:
        print_json(checkup)
    else:
        _print(checkup)
    return 0 if checkup.healthy else FOUND_PROBLEMS


def _print(checkup: Checkup) -> None:
    for done in checkup.repaired:
        click.echo(f"Repaired: {done}.")
    for one in checkup.diagnoses:
        click.echo(_line(one))


def _line(one: Diagnosis) -> str:
    sign, colour = _SIGNS[one.severity]
    advice = f"\n    → {one.advice}" if one.advice else ""
    return f"{click.style(sign, fg=colour)} {one.name}: {shown(one.message)}{advice}"
