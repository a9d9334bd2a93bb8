"""Running hooks as clients do: the real program, a payload on its standard input."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from holdfast.agents import spool
from holdfast.machine import failures, paths
from holdfast.storage.drain import drain

PROGRAM = Path(sys.executable).with_name("holdfast-hook")

HUNG_S = 600
"""No child takes so long on any machine; what waits for something that a test holds is ended by this alone."""


@dataclass(frozen=True)
class Done:
    """What a hook left: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def silent(self) -> bool:
        """Whether it succeeded and said nothing."""
        return (self.code, self.out, self.err) == (0, "", "")


def hook(client: str, event: str, payload: object, cwd: Path | None = None, **environment: str) -> Done:
    """Run a hook with a payload, given as JSON or as bytes; an event may be followed by further words."""
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    done = subprocess.run(
        [PROGRAM, client, *(event.split() or [event])],
        input=raw,
        capture_output=True,
        cwd=cwd,
        env=os.environ | environment,
        timeout=HUNG_S,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def prompt(project: Path, text: str, session: str = "s1", key: str = "p1") -> dict[str, object]:
    """Return Claude Code's payload for what a user says."""
    return {"session_id": session, "cwd": str(project), "prompt": text, "prompt_id": key}


def reply(project: Path, text: str, session: str = "s1", key: str = "p1") -> dict[str, object]:
    """Return Claude Code's payload for what the agent answers."""
    return {"session_id": session, "cwd": str(project), "last_assistant_message": text, "prompt_id": key}


def drained(project: Path) -> None:
    """Take in what hooks left, after whoever does so at this moment."""
    held = spool.hold(spool.folder_of(str(project)), spool.DRAINING, 60.0)
    assert held is not None, "a worker drains for a minute at most"
    try:
        drain(str(project))
    finally:
        os.close(held)


def waiting(project: Path) -> list[dict[str, object]]:
    """Return what is in the project's spool, without what says only when and who."""
    dull = ("at", "client", "agent", "ref")
    return [
        {name: value for name, value in entry.items() if name not in dull}
        for entry in spool.waiting_entries(str(project))
    ]


def traces() -> list[str]:
    """Return the problems in the log of failures."""
    log = Path(paths.data_directory()) / failures.NAME
    return [json.loads(line)["problem"] for line in log.read_text().splitlines()] if log.exists() else []
