"""From a typed line to the command that does it, and whether a person typed it: a recorded turn of theirs says so.

Agents run these commands from a command file, with their own marks in the environment; that alone tells nothing of
who asked. Clients that tell a hook of the prompt first (Claude Code, Codex) leave the proof. Here are also the
commands about single memories, `/remember`, `/forget` and `/pin`; `/memory` has a module of its own.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from holdfast.capture.forget_command import SIGN, opens
from holdfast.capture.text.clean import echo, quote
from holdfast.errors import InvalidInput, Proposed, UnknownId
from holdfast.model.display import line
from holdfast.model.ids import is_full_id, tail_of
from holdfast.model.kinds import CANDIDATE, PINNED, USER
from holdfast.model.memory import Memory
from holdfast.model.requests import Draft, SearchRequest
from holdfast.model.search import Filters
from holdfast.model.times import day
from holdfast.service.service import Service
from holdfast.slash import memory

COMMANDS: dict[str, Callable[[Service, Path, str], str]] = {
    "remember": lambda service, _, rest: remember(service, rest),
    "forget": lambda service, _, rest: forget(service, rest),
    "pin": lambda service, _, rest: pin(service, rest),
    "memory": memory.memory,
}

FORGET = "forget"
"""The command that is not recorded: what is kept of it is a seal."""
WITHIN_MS = 600_000
"""How long ago it may have been typed: an agent that runs it itself may work on something else first."""

SOURCE = "slash"
MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A line as typed, taken apart: which command, and the rest."""

    command: str
    rest: str

    @property
    def creates(self) -> bool:
        """Whether it may make a store where there is none."""
        return self.command == "remember"


def parse(text: str) -> SlashCommand:
    """Take a line apart; the slash may be left out."""
    name, _, rest = text.strip().removeprefix("/").partition(" ")
    if name not in COMMANDS:
        command_names = ", ".join(f"/{command}" for command in COMMANDS)
        raise InvalidInput(field="command", problem=f"{quote(name)} is not one. There are: {command_names}.")
    return SlashCommand(name, rest.strip())


def run(slash_command: SlashCommand, service: Service, directory: Path) -> str:
    """Do what was typed; return what to say, also where it waits for the user because an agent asked for it."""
    try:
        return COMMANDS[slash_command.command](service, directory, slash_command.rest)
    except Proposed as waits:
        return str(waits)


def proven(service: Service, command_line: str) -> bool:
    """Say whether the user typed this line lately, and it was not run before; it counts as run then."""
    slash_command = parse(command_line)
    comparable_rest = service.user_words.comparable(slash_command.rest)
    begins = re.compile(rf"{SIGN}{slash_command.command}(?=\s|$)", re.MULTILINE)
    for seal in service.user_words.seals(WITHIN_MS) if slash_command.command == FORGET else ():
        if opens(seal, comparable_rest) and service.user_words.take_seal(seal, slash_command.command):
            return True
    for turn in service.user_words.turns(WITHIN_MS):
        rests = [turn.text[opening.end() :] for opening in begins.finditer(turn.text)]
        is_said = any(service.user_words.comparable(rest) == comparable_rest for rest in rests)
        if is_said and service.user_words.take(turn, slash_command.command):
            return True
    return False


def remember(service: Service, text: str) -> str:
    """Keep a text, confirmed at once."""
    if not text:
        raise InvalidInput(field="text", problem="is missing. Say what to remember: /remember TEXT.")
    result = service.add(Draft(content=text, source=SOURCE, trust=USER))
    if result.id is None:
        return f"Not remembered: {result.rejected}."
    memory, short = service.peek(result.id), service.short_id(result.id)
    if memory and memory.status == CANDIDATE:
        return (
            f"Noted as {short}, unconfirmed, because an agent asked for it. `holdfast confirm {short}` settles it."
        )
    return f"{'Remembered as' if result.created else 'Known already as'} {short}."


def forget(service: Service, text: str) -> str:
    """Remove the one memory with an id, or that holds a text."""
    memory = _resolve_memory(service, text, "forget")
    if isinstance(memory, str):
        return memory
    short = service.short_id(memory.id)
    result = service.forget(memory.id)
    backup_note = (
        " Backups still hold it: `holdfast forget --backups` takes it out of them." if result.backups else ""
    )
    also = f" Said too by {', '.join(map(service.short_id, result.similar))}." if result.similar else ""
    waits = " Its last bytes go when another process stops reading." if result.pending else ""
    # not its words: what is said here is recorded
    return f"Forgotten {short}: {result.account}.{also}{backup_note}{waits}"


def pin(service: Service, text: str) -> str:
    """Put the one memory with an id, or that holds a text, into every brief; or take it out again."""
    memory = _resolve_memory(service, text, "pin")
    if isinstance(memory, str):
        return memory
    is_pinned = memory.status == PINNED
    result = service.unpin(memory.id) if is_pinned else service.pin(memory.id)
    return f"{'Unpinned' if is_pinned else 'Pinned'} {service.short_id(result.id)}: {line(result.title)}"


def _resolve_memory(service: Service, text: str, command: str) -> Memory | str:
    """Return the memory that is meant, or what to say when that is not certain: nothing is done on a guess."""
    if not text:
        raise InvalidInput(field="id", problem=f"is missing. Say which: /{command} ID, or words that it holds.")
    if is_full_id(text) or tail_of(text):
        memory = service.peek(text)
        if memory is None:
            raise UnknownId(noun="memory", id=echo(text), near=service.near_id(text))
        return memory
    holding = service.list(Filters(contains=text), MOST_SHOWN)
    if len(holding) == 1:
        return holding[0]
    candidates = holding or _similar_memories(service, text)
    if not candidates:
        return f"No memory is about {quote(text)}. Nothing was changed."
    choices = "\n".join(
        f"{service.short_id(candidate.id)} {candidate.kind} {day(candidate.created_at)} {line(candidate.title)}"
        for candidate in candidates
    )
    return f"Which one? Nothing was changed; say /{command} ID.\n{choices}"


def _similar_memories(service: Service, text: str) -> list[Memory]:
    hits = service.search(SearchRequest(query=text, limit=MOST_SHOWN))
    return [memory for hit in hits if (memory := service.peek(hit.id))]
