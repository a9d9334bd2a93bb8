"""Asking the real hook what it tells an agent: a process with a payload on its standard input, as a client does.

Every session is a new one. What was asked is removed from the spool, so that the next one does not hear of it.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from holdfast.agents import spool

PROGRAM = Path(sys.executable).with_name("holdfast-hook")
PACE = "10"
"""What is told is measured, not how fast this machine is: a hook may take its time."""


def on_start(project: Path) -> str:
    """Return what a session's start is told."""
    return told(project, "SessionStart", str(uuid4()), source="startup")


def on_prompt(project: Path, prompt: str) -> str:
    """Return what the first prompt of a session is told by itself."""
    brief = told(project, "UserPromptSubmit", str(uuid4()), prompt=prompt)
    forget_what_was_asked(project)
    return brief


def in_session(project: Path, prompt: str) -> tuple[str, str]:
    """Return what a session is told at its start, and then with its first prompt."""
    start, brief = through_session(project, [prompt])
    return start, brief


def through_session(project: Path, prompts: Sequence[str]) -> list[str]:
    """Return what a session is told at its start, and then with each of its prompts."""
    session = str(uuid4())
    briefs = [told(project, "SessionStart", session, source="startup")]
    for number, prompt in enumerate(prompts):
        briefs.append(told(project, "UserPromptSubmit", session, prompt=prompt, prompt_id=str(number)))
    forget_what_was_asked(project)
    return briefs


def told(project: Path, event: str, session: str, **fields: str) -> str:
    """Run a hook of Claude Code; return what its model would read."""
    payload = {"session_id": session, "cwd": str(project), "hook_event_name": event, **fields}
    done = subprocess.run(
        [PROGRAM, "claude", event],
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        env=os.environ | {"HOLDFAST_HOOK_PACE": PACE, "HOLDFAST_HOOKS_SIGN": "false"},
        check=True,
    )
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""


def forget_what_was_asked(project: Path) -> None:
    """Empty the spool."""
    shutil.rmtree(spool.folder_of(str(project)), ignore_errors=True)
