"""Processes of our own that outlive who starts them: they hold nothing of theirs. Light."""

import os
import sys

from holdfast.machine import failures

WORKER = "holdfast.storage.worker"
"""The background worker of a project."""


def start_worker(root: str) -> None:
    """Start the background worker of a project; where that fails, leave a trace."""
    try:
        start(WORKER, root)
    except OSError as error:
        failures.leave("worker", root, error)


def start(module: str, *arguments: str) -> None:
    """Start a module of ours as a process in a session of its own, with nothing on its standard streams.

    `-P` keeps the current directory, which is anybody's, out of where it imports from.
    """
    command = [sys.executable, "-P", "-m", module, *arguments]
    if sys.platform == "win32":
        _start_hidden(command)
    else:
        _spawn(command)


if sys.platform == "win32":
    import subprocess

    _HIDDEN = (
        subprocess.CREATE_NO_WINDOW  # what it starts itself, git say, would else open one of its own
        | subprocess.CREATE_NEW_PROCESS_GROUP
        | subprocess.BELOW_NORMAL_PRIORITY_CLASS
    )

    def _start_hidden(command: list[str]) -> None:
        """Start a process out of the job of whoever started this one, where that job lets anybody out."""
        try:
            _start(command, _HIDDEN | subprocess.CREATE_BREAKAWAY_FROM_JOB)
        except PermissionError:
            _start(command, _HIDDEN)

    def _start(command: list[str], flags: int) -> None:
        null = subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=null, stdout=null, stderr=null, creationflags=flags)
        process.returncode = 0  # nobody waits for it, and nobody is to be warned of that

else:

    def _spawn(command: list[str]) -> None:
        null = os.devnull
        streams = [(os.POSIX_SPAWN_OPEN, handle, null, os.O_RDWR, 0) for handle in (0, 1, 2)]
        try:
            os.posix_spawn(command[0], command, os.environ, file_actions=streams, setsid=True)
        except NotImplementedError:  # macOS: the process makes its own session
            os.posix_spawn(command[0], command, os.environ, file_actions=streams)
