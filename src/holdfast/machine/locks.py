"""Locks that processes hold on files, on every system. Light.

A lock belongs to an open file; it is let go with that, and with the process. Windows locks bytes, and keeps
everybody else from reading them: so there it is one byte far behind the end of whatever is in the file. Where a
file system has no locks, as some network mounts, taking one is an `OSError`: callers say what that means to them.
"""

import os
import sys
import time

LOOK_S = 0.02
"""How often to look whether a lock is free, where the system does not wait for it."""

_FAR = 0x7FFF0000
"""Which byte: Windows' C library counts to 2 GiB; a spool's file, the largest that is locked, has 16 MiB."""


if sys.platform == "win32":
    import errno
    import msvcrt

    _HELD = (errno.EACCES, errno.EDEADLK)

    def take(handle: int) -> bool:
        """Take a file's lock; False when somebody has it."""
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno not in _HELD:
                raise
            return False
        return True

    def wait_for(handle: int) -> None:
        """Take a file's lock, however long it takes."""
        while not take(handle):
            time.sleep(LOOK_S)

else:
    import fcntl

    def take(handle: int) -> bool:
        """Take a file's lock; False when somebody has it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait_for(handle: int) -> None:
        """Take a file's lock, however long it takes."""
        fcntl.flock(handle, fcntl.LOCK_EX)


def take_within(handle: int, seconds: float) -> bool:
    """Take a file's lock within so long; False when somebody has had it all the time."""
    deadline = time.monotonic() + seconds
    while not take(handle):
        if time.monotonic() >= deadline:
            return False
        time.sleep(LOOK_S)
    return True
