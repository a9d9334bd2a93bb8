"""What every ingest does and says after reading: vectors of what is new, what was learnt, what was unreadable."""

from collections import Counter
from collections.abc import Mapping, Sequence

import click

from holdfast.interfaces.cli.output import kind_label, note, shown
from holdfast.interfaces.cli.vectors import make_vectors, note_rest
from holdfast.model.ingest import Learnt
from holdfast.model.kinds import CANDIDATE
from holdfast.model.memory import shorten
from holdfast.service.service import Service

INCOMPLETE = 15
"""The exit code that says that something could not be read, while the rest was."""

EXAMPLES = 3
MOST_NAMED = 5
"""Of what could not be read, how much is named; `--json` names all of it."""

NAME_CHARS = 80
"""Characters of a name that are shown: its end, which tells more than its beginning."""


def learn(service: Service, ids: Sequence[str], *, embed: bool) -> Learnt:
    """Make the vectors of what an ingest brought, and sum it up."""
    embedded_count, waiting_count = make_vectors(service) if embed else (0, service.waiting())
    memories = [memory for memory_id in dict.fromkeys(ids) if (memory := service.peek(memory_id))]
    current = [memory for memory in memories if not memory.superseded]
    weightiest = sorted(current, key=lambda memory: -memory.importance)
    return Learnt(
        by_kind=dict(Counter(memory.kind for memory in current).most_common()),
        unconfirmed=sum(memory.status == CANDIDATE for memory in current),
        examples=tuple(dict.fromkeys(memory.title for memory in weightiest))[:EXAMPLES],
        embedded=embedded_count,
        unembedded=waiting_count,
    )


def print_learnt(learnt: Learnt | None) -> None:
    """Say what was learnt, with a few examples."""
    if learnt is None:
        return
    if learnt.by_kind:
        kinds = ", ".join(f"{number:,} {kind_label(kind)}" for kind, number in learnt.by_kind.items())
        click.echo(f"Learnt: {kinds}.")
    for title in learnt.examples:
        click.echo(f"  {shown(shorten(title, NAME_CHARS))}")
    if learnt.unconfirmed:
        click.echo(f"{learnt.unconfirmed:,} of it unconfirmed: `holdfast review --imported` goes through it.")
    note_rest(learnt.unembedded)


def print_unread(unread: Mapping[str, str], noun: str) -> int:
    """Name the first of what could not be read; return the exit code that says so."""
    if not unread:
        return 0
    note(f"Could not read {len(unread):,} {noun}; all else was read:")
    for name, reason in list(unread.items())[:MOST_NAMED]:
        note(f"  {shown(_end_of(name))}: {shown(reason).rstrip('.')}.")
    if len(unread) > MOST_NAMED:
        note(f"  and {len(unread) - MOST_NAMED:,} more, which --json names.")
    return INCOMPLETE


def _end_of(name: str) -> str:
    return name if len(name) <= NAME_CHARS else f"…{name[-NAME_CHARS:]}"
