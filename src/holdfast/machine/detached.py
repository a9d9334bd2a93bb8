"""Processes of our own that outlive who starts them: they hold nothing of theirs, and end by themselves. Light."""

import _thread
import os
import sys
import time

TYPE_CHECKING = False  # typing's own, without importing typing: the hooks share this module
if TYPE_CHECKING:
    from collections.abc import Callable


def start(module: str, *arguments: str) -> None:
    """Start a module of ours as a process in a session of its own, with nothing on its standard streams.

    `-P` keeps the current directory, which is anybody's, out of where it imports from.
    """
    command = [sys.executable, "-P", "-m", module, *arguments]
    if hasattr(os, "posix_spawn"):
        _spawn(command)
    else:
        _start(command)


def let_go(nice: int) -> None:
    """Let go of what would tie this process to who started it or to a directory, and let others go first."""
    os.chdir(os.path.abspath(os.sep))
    if hasattr(os, "setsid") and os.getpgrp() != os.getpid():
        os.setsid()
    if hasattr(os, "nice"):
        os.nice(nice)


def end_after(seconds: float, last_word: "Callable[[], object]") -> None:
    """End this process when so much time has passed, whatever it does then."""

    def wait() -> None:
        time.sleep(seconds)
        last_word()
        os._exit(0)

    _thread.start_new_thread(wait, ())


def _spawn(command: "list[str]") -> None:
    null = os.devnull
    streams = [(os.POSIX_SPAWN_OPEN, handle, null, os.O_RDWR, 0) for handle in (0, 1, 2)]
    try:
        os.posix_spawn(command[0], command, os.environ, file_actions=streams, setsid=True)
    except NotImplementedError:  # macOS: the process makes its own session
        os.posix_spawn(command[0], command, os.environ, file_actions=streams)


def _start(command: "list[str]") -> None:
    import subprocess  # Windows only

    null = subprocess.DEVNULL
    flags = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    subprocess.Popen(command, stdin=null, stdout=null, stderr=null, creationflags=flags, close_fds=True)
