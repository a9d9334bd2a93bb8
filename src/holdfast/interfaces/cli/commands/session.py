"""`holdfast session`: runs of agents, and what was said in them."""

from pathlib import Path

import click

from holdfast.interfaces.cli.base import Group, common, service_of
from holdfast.interfaces.cli.output import faint, note, print_json, print_table, shown
from holdfast.model.finding import Finding
from holdfast.model.session import Session, Turn
from holdfast.model.times import iso
from holdfast.service.service import Service


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
    """Complete the session ID: find what was decided, sum it up, promote it. Twice changes nothing.

    \b
    Example:
      holdfast session end 9a8b7c6d
    """
    with service_of(project) as service:
        session = service.end_session(id)
        _print_session(service, session, as_json)


@command.command("checkpoint")
@click.argument("id")
@common
def checkpoint(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Read what was said in the session ID so far, as before a client compacts its context.

    \b
    Example:
      holdfast session checkpoint 9a8b7c6d
    """
    with service_of(project) as service:
        _print_session(service, service.checkpoint(id), as_json)


@command.command("fork")
@click.argument("id")
@common
def fork(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Let the session ID go on as two, and print the new one's id; it gets a copy of what was found.

    \b
    Example:
      holdfast session fork 9a8b7c6d
    """
    with service_of(project) as service:
        _print_session(service, service.fork_session(id), as_json)


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
    """Show the session ID with its summary, its findings and its turns, as they were said.

    \b
    Example:
      holdfast session show 9a8b7c6d
    """
    with service_of(project) as service:
        session, turns, findings = service.session(id), service.turns(id), service.findings(id)
        if as_json:
            print_json({"session": session, "findings": findings, "turns": turns})
            return
        print_table([_row(service, session)])
        if session.summary:
            click.echo(f"\n{shown(session.summary)}")
        if findings:
            click.echo(f"\n{click.style('Findings', bold=True)}")
            print_table([_finding_row(service, finding) for finding in findings])
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
        shown(session.agent) + _more(service, session),
    )


def _more(service: Service, session: Session) -> str:
    ref = f"  {shown(session.ref)}" if session.ref else ""
    how = "helper of" if session.ref else "fork of"
    parent = f"  {how} {service.short_session_id(session.parent)}" if session.parent else ""
    return faint(ref + parent) if ref or parent else ""


def _finding_row(service: Service, finding: Finding) -> tuple[str, ...]:
    became = service.short_id(finding.memory) if finding.memory else "-"
    return became, finding.kind, faint(", ".join(finding.signals) or "-"), shown(finding.content)


def _heading(turn: Turn) -> str:
    speaker = f"{turn.role} ({turn.tool})" if turn.tool else turn.role
    return f"{click.style(shown(speaker), bold=True)}  {faint(iso(turn.at))}"
