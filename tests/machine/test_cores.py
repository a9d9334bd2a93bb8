"""How many cores a process may keep busy."""

import os

import pytest

from holdfast.machine.environment import usable_cores


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not bind processes to cores")
def test_a_process_bound_to_a_core_uses_that_one() -> None:
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert usable_cores() == 1
    finally:
        os.sched_setaffinity(0, allowed)
