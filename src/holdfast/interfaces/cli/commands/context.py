"""`holdfast context`: the brief an agent gets. Whatever goes wrong, it prints nothing rather than an error."""

from pathlib import Path

import click

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.options import Word, options_of, read_piped
from holdfast.interfaces.cli.output import faint, kind_label, note, print_json, print_table
from holdfast.machine import failures
from holdfast.model.brief import Brief, BriefItem
from holdfast.model.requests import BriefRequest
from holdfast.recall.brief.render import AGENTS, CODEX

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
def command(prompt: str | None, explain: bool, project: Path, as_json: bool, **rest: object) -> None:
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
    print_table([_row(item) for item in brief.items])


def _row(item: BriefItem) -> tuple[str, ...]:
    parts = " × ".join(f"{name} {value:.2f}" for name, value in item.why.items())
    marks = f" [{', '.join(item.marks)}]" if item.marks else ""
    return item.id[-8:], kind_label(item.kind), item.tier, f"{item.score:.2f}", faint(parts) + marks
