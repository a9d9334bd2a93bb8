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
