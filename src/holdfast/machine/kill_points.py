"""Named points in what must survive a kill. Light.

`HOLDFAST_KILL_AT=backup:2` ends the process with SIGKILL the second time it passes a point of that name: as
abruptly as the power would, at a place that a test chose. Without it a point is a call that returns.

Each name is one undertaking, its points are the moments between two steps of it that the disk can tell apart.
"""

import os

VARIABLE = "HOLDFAST_KILL_AT"

CREATION = "creation"
MIGRATION = "migration"
BACKUP = "backup"
RESTORE = "restore"
FORGET = "forget"
SCRUB = "scrub"
SIDECAR = "sidecar"
DRAIN = "drain"
PROMOTE = "promote"
REINDEX = "reindex"
WRITE = "write"

NAMES = (CREATION, MIGRATION, BACKUP, RESTORE, FORGET, SCRUB, SIDECAR, DRAIN, PROMOTE, REINDEX, WRITE)

_remaining_passes: "dict[str, int]" = {}
"""How many times a point may still be passed, by name."""

if VARIABLE in os.environ:
    _name, _, _number = os.environ[VARIABLE].partition(":")
    if _name in NAMES and _number.isdecimal():
        _remaining_passes[_name] = int(_number)


def pass_point(name: str) -> None:
    """Pass a point; the process ends here if a test wants it to."""
    if name in _remaining_passes:
        _remaining_passes[name] -= 1
        if _remaining_passes[name] == 0:
            os.kill(os.getpid(), 9)
