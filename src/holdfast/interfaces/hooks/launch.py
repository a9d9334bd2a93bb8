"""Starting the worker that drains the spool: a process of its own that outlives the hook and holds nothing of it.

Light.
"""

import os
import sys

WORKER = "holdfast.interfaces.hooks.worker"


def launch(root: str) -> None:
    """Start the worker for a project, in a session of its own, with nothing on its standard streams.

    `-P` keeps the current directory, which is anybody's, out of where it imports from.
    """
    command = [sys.executable, "-P", "-m", WORKER, root]
    if hasattr(os, "posix_spawn"):
        _spawn(command)
    else:
        _start(command)


def _spawn(command: "list[str]") -> None:
    null = os.devnull
    streams = [(os.POSIX_SPAWN_OPEN, handle, null, os.O_RDWR, 0) for handle in (0, 1, 2)]
    try:
        os.posix_spawn(command[0], command, os.environ, file_actions=streams, setsid=True)
    except NotImplementedError:  # macOS: the worker makes its own session
        os.posix_spawn(command[0], command, os.environ, file_actions=streams)


def _start(command: "list[str]") -> None:
    import subprocess  # Windows only

    null = subprocess.DEVNULL
    detached = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    subprocess.Popen(command, stdin=null, stdout=null, stderr=null, creationflags=detached, close_fds=True)
