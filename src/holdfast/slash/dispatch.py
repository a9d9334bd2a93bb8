"""From a typed line to the command that does it, and whether a person typed it: a recorded turn of theirs says so.

Agents run these commands from a command file, with their own marks in the environment; that alone tells nothing of
who asked. Clients that tell a hook of the prompt first (Claude Code, Codex) leave the proof.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from holdfast.capture.forget_command import SIGN, opens
from holdfast.capture.text.clean import quote
from holdfast.errors import InvalidInput, Proposed
from holdfast.service.service import Service
from holdfast.slash import memory, remember

COMMANDS: dict[str, Callable[[Service, Path, str], str]] = {
    "remember": lambda service, _, rest: remember.remember(service, rest),
    "forget": lambda service, _, rest: remember.forget(service, rest),
    "pin": lambda service, _, rest: remember.pin(service, rest),
    "memory": memory.memory,
}

FORGET = "forget"
"""The command that is not recorded: what is kept of it is a seal."""
WITHIN_MS = 600_000
"""How long ago it may have been typed: an agent that runs it itself may work on something else first."""


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
    comparable_rest = service.testimony.comparable(slash_command.rest)
    begins = re.compile(rf"{SIGN}{slash_command.command}(?=\s|$)", re.MULTILINE)
    for seal in service.testimony.seals(WITHIN_MS) if slash_command.command == FORGET else ():
        if opens(seal, comparable_rest) and service.testimony.take_seal(seal, slash_command.command):
            return True
    for turn in service.testimony.turns(WITHIN_MS):
        rests = [turn.text[opening.end() :] for opening in begins.finditer(turn.text)]
        is_said = any(service.testimony.comparable(rest) == comparable_rest for rest in rests)
        if is_said and service.testimony.take(turn, slash_command.command):
            return True
    return False
