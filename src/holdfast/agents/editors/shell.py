"""How a program of ours is named in a command that an agent runs, and how such a command is known again.

On Windows that depends on the shell, which is the agent's choice: Claude Code has Git Bash, most others have
PowerShell, some cmd.exe. What all three understand is a name without a path, so it is used wherever it leads to
this very program. A path stands in Bash in quotes, in the others bare, or, where it holds a blank, as PowerShell
calls it.
"""

import os
import re
import shlex
import shutil
import sys

SILENT = " 2>/dev/null || true"
"""What lets a hook succeed in silence where the program is gone; the shells of Windows do not share such words."""

_BASH = ("claude",)
"""Agents that run commands in Bash on every system."""

_BARE_PATH = re.compile(r"[\w.:\\/-]+", re.ASCII)


def program_word(program: str, agent: str) -> str:
    """Return a program as the shell of an agent is to read it."""
    if sys.platform != "win32":
        return shlex.quote(program)
    if _is_on_path(program):
        return _base(program)
    if agent in _BASH:
        return shlex.quote(program)
    if _BARE_PATH.fullmatch(program):
        return program
    escaped_path = program.replace("'", "''")
    return f"& '{escaped_path}'"


def hook_command(program: str, agent: str, event: str) -> str:
    """Return the command of a hook. Where the shell can, it succeeds in silence if the program is gone."""
    words = f"{program_word(program, agent)} {agent} {event}"
    return words if sys.platform == "win32" and agent not in _BASH else words + SILENT


def names_program(command: str, name: str) -> bool:
    """Say whether a command begins with a program of that name, whichever path leads to it and however quoted."""
    words = command.removeprefix("& ")
    try:
        first_words = {*shlex.split(words)[:1], *words.split(maxsplit=1)[:1]}
    except ValueError:
        return False
    return name in {_base(word).removesuffix(".exe") for word in first_words}


def _is_on_path(program: str) -> bool:
    there = shutil.which(_base(program))
    try:
        return there is not None and os.path.samefile(there, program)
    except OSError:
        return False


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
