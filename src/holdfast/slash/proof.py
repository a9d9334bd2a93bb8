"""Whether a person typed a slash command: a recorded turn of theirs says so.

Agents run these commands from a command file, with their own marks in the environment; that alone tells nothing of
who asked. Clients that tell a hook of the prompt first (Claude Code, Codex) leave the proof.
"""

import re

from holdfast.capture.forget_command import SIGN, opens
from holdfast.service.service import Service
from holdfast.slash.dispatch import parse

FORGET = "forget"
"""The command that is not recorded: what is kept of it is a seal."""

WITHIN_MS = 600_000
"""How long ago it may have been typed: an agent that runs it itself may work on something else first."""


def proven(service: Service, typed: str) -> bool:
    """Say whether the user typed this line lately, and it was not run before; it counts as run then."""
    asked = parse(typed)
    wanted = service.testimony.comparable(asked.rest)
    begins = re.compile(rf"{SIGN}{asked.command}(?=\s|$)", re.MULTILINE)
    for sealed in service.testimony.seals(WITHIN_MS) if asked.command == FORGET else ():
        if opens(sealed, wanted) and service.testimony.take_seal(sealed, asked.command):
            return True
    for turn in service.testimony.turns(WITHIN_MS):
        rests = [turn.text[found.end() :] for found in begins.finditer(turn.text)]
        said = any(service.testimony.comparable(rest) == wanted for rest in rests)
        if said and service.testimony.take(turn, asked.command):
            return True
    return False
