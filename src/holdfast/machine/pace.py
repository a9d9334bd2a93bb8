"""How much longer than usual this machine takes, where somebody has said so. Light.

Every limit on what an agent waits for is counted in it: a hook's whole time, the reads of a brief, git's answer,
another process's lock. One number for all, so that none of them cuts short what the others would have allowed.
"""

import os

VARIABLE = "HOLDFAST_HOOK_PACE"

MOST = 1_000.0
"""Beyond this a limit is none; it is what a machine of tests says that is busy with other things."""


def known_pace() -> float:
    """Return what the environment says, 1 where it says nothing that can be used."""
    value = os.environ.get(VARIABLE, "")
    return max(1.0, min(float(value), MOST)) if value.isdecimal() else 1.0


def stretch(milliseconds: int) -> int:
    """Return how long something may take here that may usually take so long."""
    return round(milliseconds * known_pace())
