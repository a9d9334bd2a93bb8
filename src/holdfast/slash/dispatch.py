"""From a typed line to the command that does it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from holdfast.capture.text.clean import quote
from holdfast.errors import InvalidInput, Proposed
from holdfast.service.service import Service
from holdfast.slash import memory, remember


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A line as typed, taken apart: which command, and the rest."""

    command: str
    rest: str

    @property
    def creates(self) -> bool:
        """Whether it may make a store where there is none."""
        return self.command == "remember"


COMMANDS: dict[str, Callable[[Service, Path, str], str]] = {
    "remember": lambda service, _, rest: remember.remember(service, rest),
    "forget": lambda service, _, rest: remember.forget(service, rest),
    "pin": lambda service, _, rest: remember.pin(service, rest),
    "memory": memory.memory,
}


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
