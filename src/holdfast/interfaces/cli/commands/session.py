"""`holdfast session`: runs of agents, and what was said in them."""

from pathlib import Path

import click

from holdfast.interfaces.cli.frame import Group, common, service_of
from holdfast.interfaces.cli.output import faint, note, print_json, print_table, shown
from holdfast.model.session import Session, Turn
from holdfast.model.times import iso
from holdfast.service import Service


@click.group("session", cls=Group)
def command() -> None:
    """Sessions: one run of one agent each, with its turns."""


@command.command("start")
@click.option("--agent", default="cli", show_default=True, help="Whose run it is.")
@click.option("--ref", help="The caller's own key; the same one goes on with the same session.")
@click.option("--at", help="When it began, if not now.")
@common
def start(agent: str, ref: str | None, at: str | None, project: Path, as_json: bool) -> None:
    """Begin a session and print its id.

    \b
    Examples:
      holdfast session start --agent my-agent
      holdfast session start --ref build-17 --json
    """
    with service_of(project, create=True) as service:
        session = service.start_session(agent, at, ref)
        _print_session(service, session, as_json)


@command.command("end")
@click.argument("id")
@common
def end(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Complete the session ID. Ending it twice changes nothing.

    \b
    Example:
      holdfast session end 9a8b7c6d
    """
    with service_of(project) as service:
        session = service.end_session(id)
        _print_session(service, session, as_json)


@command.command("list")
@click.option("--limit", "-n", default=20, show_default=True, help="At most this many.")
@common
def list_sessions(limit: int, project: Path, as_json: bool) -> None:
    """Show the newest sessions.

    \b
    Example:
      holdfast session list
    """
    with service_of(project) as service:
        sessions = service.sessions(limit)
        if as_json:
            print_json(sessions)
            return
        print_table([_row(service, session) for session in sessions])
    if not sessions:
        note("No sessions yet.")


@command.command("show")
@click.argument("id")
@common
def show(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Show the session ID with its turns, as they were said.

    \b
    Example:
      holdfast session show 9a8b7c6d
    """
    with service_of(project) as service:
        session, turns = service.session(id), service.turns(id)
        if as_json:
            print_json({"session": session, "turns": turns})
            return
        print_table([_row(service, session)])
        for turn in turns:
            click.echo(f"\n{_heading(turn)}\n{shown(turn.text)}")


def _print_session(service: Service, session: Session, as_json: bool) -> None:
    if as_json:
        print_json(session)
    else:
        click.echo(f"{service.short_session_id(session.id)} {session.status}")


def _row(service: Service, session: Session) -> tuple[str, ...]:
    return (
        service.short_session_id(session.id),
        session.status,
        faint(iso(session.started_at)),
        f"{session.turns} turns",
        shown(session.agent) + (faint(f"  {shown(session.ref)}") if session.ref else ""),
    )


def _heading(turn: Turn) -> str:
    who = f"{turn.role} ({turn.tool})" if turn.tool else turn.role
    return f"{click.style(shown(who), bold=True)}  {faint(iso(turn.at))}"
