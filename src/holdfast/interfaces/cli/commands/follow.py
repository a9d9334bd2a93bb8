"""`holdfast context`, `session`, `log`, `slash`: what agents are told, say, did, and can be told to do."""

import sys
from pathlib import Path

import click

from holdfast.errors import AlteredLog, HoldfastError, InvalidInput
from holdfast.interfaces.cli.base import Group, Word, calling_agent, common, options_of, read_piped, service_of
from holdfast.interfaces.cli.output import (
    faint,
    kind_label,
    note,
    print_json,
    print_list,
    print_result,
    print_table,
    shown,
)
from holdfast.machine import failures
from holdfast.model.actor import Actor
from holdfast.model.brief import Brief, BriefItem, Receipt, ReceiptItem
from holdfast.model.finding import Finding
from holdfast.model.ids import tail_of
from holdfast.model.records import ACTIONS, Event, EventFilters
from holdfast.model.requests import BriefRequest
from holdfast.model.session import Session, Turn
from holdfast.model.times import iso
from holdfast.recall.brief.render import AGENTS, CODEX
from holdfast.service.service import Service

AGENT = Word("agent", lambda: AGENTS)


@click.command("context")
@click.argument("prompt", required=False)
@click.option("--agent", type=AGENT, default=CODEX, show_default=True, help="Who reads it; decides its form.")
@options_of(
    BriefRequest,
    budget="Tokens it may have; else 1,500, and without PROMPT what brief.start_budget says.",
    remaining="Tokens the agent has left: it gets 8 % of them instead.",
    files="A file that is being worked on; several: all of them.",
    session="The session that asks: what was said in it is left out.",
)
@click.option("--explain", is_flag=True, help="Also show why each entry is there.")
@common
def context(prompt: str | None, explain: bool, project: Path, as_json: bool, **rest: object) -> None:
    """Print what an agent is to know about PROMPT or, without one, at the start of a session.

    Nothing relevant, nothing printed. A store that is locked or damaged, or takes too long, gives an empty brief;
    the reason is noted, and `holdfast status` shows it. "-" reads the prompt from standard input.

    \b
    Examples:
      holdfast context "why does the importer retry seven times?"
      holdfast context --agent claude-code --budget 2000
      holdfast context "fix the login" --file src/auth.py --explain
    """
    text = None if prompt is None else read_piped(prompt)
    brief = _brief(project, BriefRequest(prompt=text, **rest))  # type: ignore[arg-type]  # named after the fields
    if as_json:
        print_json(brief)
        return
    click.echo(brief.text, nl=False)
    if brief.failure:
        note(f"holdfast: no brief: {brief.failure}")
    if explain:
        _explain(brief)


def _brief(project: Path, request: BriefRequest) -> Brief:
    """Ask for the brief; a store that cannot even be opened gives an empty one."""
    try:
        with service_of(project) as service:
            return service.briefs.context(request)
    except InvalidInput:
        raise
    except (HoldfastError, OSError) as error:
        return Brief(
            text="",
            tokens=0,
            budget=request.budget or 0,
            failure=failures.leave("context", str(project.resolve()), error),
        )


def _explain(brief: Brief) -> None:
    cut_note = ", cut off by the time limit" if brief.cut else ""
    slow = ", looked at less because the latest briefs were slow" if brief.degraded else ""
    note(f"{brief.tokens:,} of {brief.budget:,} tokens, {brief.took_ms:,} ms{cut_note}{slow}")
    print_table([_item_row(item) for item in brief.items])


def _item_row(item: BriefItem) -> tuple[str, ...]:
    parts = " × ".join(f"{name} {value:.2f}" for name, value in item.why.items())
    marks = f" [{', '.join(item.marks)}]" if item.marks else ""
    return item.id[-8:], kind_label(item.kind), item.tier, f"{item.score:.2f}", faint(parts) + marks


@click.group("session", cls=Group)
def session() -> None:
    """Sessions: one run of one agent each, with its turns."""


@session.command("start")
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


@session.command("end")
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


@session.command("checkpoint")
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


@session.command("fork")
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


@session.command("list")
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
        print_list(sessions, lambda session: _session_row(service, session), "No sessions yet.", as_json=as_json)


@session.command("show")
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
        print_table([_session_row(service, session)])
        if session.summary:
            click.echo(f"\n{shown(session.summary)}")
        if findings:
            click.echo(f"\n{click.style('Findings', bold=True)}")
            print_table([_finding_row(service, finding) for finding in findings])
        for turn in turns:
            click.echo(f"\n{_heading(turn)}\n{shown(turn.text)}")


def _print_session(service: Service, session: Session, as_json: bool) -> None:
    print_result(session, f"{service.short_session_id(session.id)} {session.status}", as_json=as_json)


def _session_row(service: Service, session: Session) -> tuple[str, ...]:
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


@click.command("log")
@click.option("--action", type=click.Choice(ACTIONS), help="Only this action.")
@click.option("--actor", help="Only by this actor: cli, python, …")
@click.option("--since", help="Only from then on: a date, or a length such as 7d.")
@click.option("--id", help="Only about this entry; also one that is forgotten.")
@click.option("--limit", "-n", default=50, show_default=True, help="At most this many.")
@click.option("--user", is_flag=True, help="The log of your own store, instead of the project's.")
@click.option(
    "--receipts", is_flag=True, help="What went into the latest briefs, and what was fetched afterwards."
)
@click.option("--verify", is_flag=True, help="Check that no event was altered or taken out.")
@common
def log(
    action: str | None,
    actor: str | None,
    since: str | None,
    id: str | None,  # noqa: A002 - the option's name
    limit: int,
    user: bool,
    receipts: bool,
    verify: bool,
    project: Path,
    as_json: bool,
) -> None:
    """Show who did what, newest first. It names entries by id and never holds their text.

    \b
    Examples:
      holdfast log --action remove --since 30d
      holdfast log --id 1f2e3d4c
      holdfast log --receipts
      holdfast log --verify
    """
    with service_of(project) as service:
        if receipts:
            _show_receipts(service.briefs.receipts(limit), as_json)
            return
        scope = "user" if user else "project"
        if verify:
            _verify(service, scope, as_json)
            return
        filters = EventFilters(
            action=action, actor=actor, since=service.moment(since, "since"), id=_tail(id), limit=limit
        )
        print_list(service.events(filters, scope), _event_row, "Nothing in the log fits.", as_json=as_json)


def _tail(id_text: str | None) -> str | None:
    tail = tail_of(id_text) if id_text is not None else None
    if id_text is not None and tail is None:
        raise InvalidInput(field="id", problem=f"{id_text!r} is not an id. Give its last digits, eight at least.")
    return tail


def _verify(service: Service, scope: str, as_json: bool) -> None:
    verification = service.verify_log(scope)
    if as_json:
        print_json(
            {"events": verification.events, "whole": verification.whole, "broken_at": verification.broken_at}
        )
    elif verification.whole:
        click.echo(f"The log is whole: {verification.events:,} events fit together.")
    if not verification.whole:
        raise AlteredLog(number=verification.broken_at)


def _show_receipts(receipts: list[Receipt], as_json: bool) -> None:
    if as_json:
        print_json(receipts)
        return
    for receipt in receipts:
        occasion = "prompt" if receipt.prompted else "start"
        usage = f"{receipt.tokens:,} of {receipt.budget:,} tokens, {receipt.took_ms:,} ms" + (
            ", cut off" if receipt.cut else ""
        )
        click.echo(f"{faint(iso(receipt.at))}  {shown(receipt.agent)}  {occasion}  {usage}")
        print_table([_receipt_row(item) for item in receipt.items])
    if not receipts:
        note("No brief was made yet.")


def _receipt_row(item: ReceiptItem) -> tuple[str, ...]:
    fetch_text = f"fetched {iso(item.fetched_at)}" if item.fetched_at is not None else ""
    return f"  {item.id[-8:]}", item.kind, item.tier, f"{item.score:.2f}", faint(fetch_text)


def _event_row(event: Event) -> tuple[str, ...]:
    about = ", ".join(entry_id[-8:] for entry_id in event.ids[:3])
    more = f" and {len(event.ids) - 3:,} more" if len(event.ids) > 3 else ""
    return faint(iso(event.at)), event.action, shown(event.actor), about + more


@click.command("slash", context_settings={"ignore_unknown_options": True})
@click.argument("line", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--until", metavar="MARK", help="With `-`: the last line, without which the text was cut and is refused."
)
@common
def slash(line: tuple[str, ...], until: str | None, project: Path, as_json: bool) -> None:
    """Run the slash command LINE: /remember, /forget, /pin or /memory. With `-` it is read from standard input.

    \b
    /remember TEXT               keep a text, confirmed
    /forget ID or words          remove a memory for good
    /pin ID or words             put a memory into every brief, or take it out
    /memory status               what there is, and whether memory is on
    /memory review [VERB ID …]   what waits for you; accept, drop, edit, keep or undo
    /memory list [KIND]          the newest memories
    /memory search QUERY         find, with scores
    /memory budget [TOKENS]      the most tokens that a brief may have; none: as asked for
    /memory alias [add|remove …] words that this project uses for each other
    /memory auto [on|off]        whether findings are kept by themselves
    /memory config [KEY [VALUE]] what is set, or set it for this project; also a preset of promotion
    /memory learn                what an agent does to note what lasts of its session

    Run by an agent, it counts as yours where you typed it: your recorded turn proves that, once. Otherwise what it
    asks for is kept unconfirmed, or waits for `holdfast review`.

    What is to be forgotten or pinned by words must be the only memory that holds them; otherwise the candidates
    are shown and nothing is done.

    \b
    Examples:
      holdfast slash "/memory search auth"
      holdfast slash /remember Deploys go out on Tuesdays
    """
    from holdfast.slash import parse, proven, run

    command_line = _read_line(until) if line == ("-",) else " ".join(line)
    slash_command = parse(command_line)
    with service_of(project, create=slash_command.creates) as service:
        agent = calling_agent()
        typed_by_user = agent is not None and proven(service, command_line)
        answer = run(
            slash_command, service.acting_as(Actor("cli", agent=agent)) if typed_by_user else service, project
        )
    print_result({"command": slash_command.command, "text": answer}, answer, as_json=as_json)


def _read_line(until: str | None) -> str:
    """Read the line from standard input; agents that look for a backtick at the end of a command cut it at one."""
    text = sys.stdin.read()
    if until is None:
        return text
    line, _, last = text.strip().rpartition("\n")
    if last != until:
        raise InvalidInput(field="line", problem="it was cut on the way, probably at a backtick. Say it without.")
    return line
