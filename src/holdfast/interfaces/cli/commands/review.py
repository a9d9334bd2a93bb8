"""`holdfast review`: what agents asked for and only a person can grant."""

from pathlib import Path

import click

from holdfast.interfaces.cli.frame import Group, common, service_of
from holdfast.interfaces.cli.output import date_label, faint, note, print_json, print_table, shown
from holdfast.model.proposal import RESOLVE, SUPERSEDE, UPDATE, Proposal
from holdfast.model.title import shorten
from holdfast.service import Service

_SHOWN = 80
"""Characters of a text that a line shows."""


@click.group("review", cls=Group, invoke_without_command=True)
@common
@click.pass_context
def command(context: click.Context, project: Path, as_json: bool) -> None:
    """Show what agents propose: changes to what you said or pinned, and every pin and confirmation of theirs.

    Nothing of it is done until you accept it. What you drop is not proposed again.

    \b
    Examples:
      holdfast review
      holdfast review accept 0c1d2e3f
      holdfast review drop 0c1d2e3f
    """
    if context.invoked_subcommand:
        return
    with service_of(project) as service:
        waiting = service.review.waiting()
        if as_json:
            print_json(waiting)
            return
        print_table(
            [(service.review.short_id(one), date_label(one.at), _by(one), _told(service, one)) for one in waiting],
            cut=False,
        )
    note("`holdfast review accept ID` does it, `drop ID` does not." if waiting else "Nothing waits for you.")


@command.command("accept")
@click.argument("id")
@common
def accept(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Do what the proposal ID asks for, as your own word.

    \b
    Example:
      holdfast review accept 0c1d2e3f
    """
    with service_of(project) as service:
        service.check_person("accepting a proposal")
        told = _told(service, service.review.find(id))
        done = service.review.accept(id)
    if as_json:
        print_json(done)
    else:
        click.echo(f"Done: {told}")


@command.command("drop")
@click.argument("id")
@common
def drop(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name in help
    """Say no to the proposal ID; nothing is changed.

    \b
    Example:
      holdfast review drop 0c1d2e3f
    """
    with service_of(project) as service:
        done = service.review.drop(id)
        told = _told(service, done)
    if as_json:
        print_json(done)
    else:
        click.echo(f"Dropped: {told}")


def _by(proposal: Proposal) -> str:
    return faint(shown(proposal.agent or proposal.actor))


def _told(service: Service, proposal: Proposal) -> str:
    """Say in one line what is asked for, of what, with what, and why it waits."""
    what = f"{proposal.verb} {_named(service, proposal.memory)}"
    if proposal.verb == SUPERSEDE:
        what += f" by {_named(service, proposal.other or '')}"
    elif proposal.verb == RESOLVE:
        what += f": keep {_kept(service, proposal)}"
    elif proposal.verb == UPDATE:
        fields = (f"{name}={shorten(str(one), _SHOWN)!r}" for name, one in proposal.arguments.items())
        what += f": {', '.join(fields)}"
    return f"{shown(what)} ({proposal.why})"


def _kept(service: Service, proposal: Proposal) -> str:
    keep = str(proposal.arguments.get("keep", ""))
    return keep if keep == "both" else _named(service, keep)


def _named(service: Service, memory_id: str) -> str:
    memory = service.peek(memory_id)
    if memory is None:
        return memory_id[-8:]
    return f'{service.short_id(memory.id)} "{shorten(memory.title, _SHOWN)}" ({memory.trust}, {memory.status})'
