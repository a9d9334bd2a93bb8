"""`holdfast slash`: the slash commands that agents offer, from any shell."""

import sys
from pathlib import Path

import click

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import calling_agent, common, service_of
from holdfast.interfaces.cli.output import print_json
from holdfast.model.actor import Actor
from holdfast.slash.dispatch import parse, proven, run


@click.command("slash", context_settings={"ignore_unknown_options": True})
@click.argument("line", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--until", metavar="MARK", help="With `-`: the last line, without which the text was cut and is refused."
)
@common
def command(line: tuple[str, ...], until: str | None, project: Path, as_json: bool) -> None:
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
    command_line = _read_line(until) if line == ("-",) else " ".join(line)
    slash_command = parse(command_line)
    with service_of(project, create=slash_command.creates) as service:
        agent = calling_agent()
        typed_by_user = agent is not None and proven(service, command_line)
        answer = run(
            slash_command, service.acting_as(Actor("cli", agent=agent)) if typed_by_user else service, project
        )
    if as_json:
        print_json({"command": slash_command.command, "text": answer})
    else:
        click.echo(answer)


def _read_line(until: str | None) -> str:
    """Read the line from standard input; agents that look for a backtick at the end of a command cut it at one."""
    text = sys.stdin.read()
    if until is None:
        return text
    line, _, last = text.strip().rpartition("\n")
    if last != until:
        raise InvalidInput(field="line", problem="it was cut on the way, probably at a backtick. Say it without.")
    return line
