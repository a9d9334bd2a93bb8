"""How many cores a process may keep busy."""

import os
from pathlib import Path

import pytest

from holdfast.machine import environment
from holdfast.machine.environment import MOST_CORES, usable_cores


@pytest.fixture
def cpu_max(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of 64 cores, in a container that may say what it gets of them."""
    monkeypatch.setattr(environment, "_allowed_cores", lambda: 64)
    return tmp_path / "cpu.max"


SHARES = (
    ("max 100000", MOST_CORES),
    ("200000 100000", 2),
    ("150000 100000", 2),
    ("50000 100000", 1),
    ("6400000 100000", MOST_CORES),
    ("nonsense", MOST_CORES),
    ("100000 0", MOST_CORES),
)


def test_a_containers_share_counts(cpu_max: Path) -> None:
    """Rounded up: half a core is still one thread."""
    wrong = []
    for said, usable in SHARES:
        cpu_max.write_text(said)
        if usable_cores(str(cpu_max)) != usable:
            wrong.append((said, usable_cores(str(cpu_max))))
    assert wrong == []


def test_without_a_container_all_but_very_many_cores_are_used(cpu_max: Path) -> None:
    assert usable_cores(str(cpu_max)) == MOST_CORES


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not bind processes to cores")
def test_a_process_bound_to_a_core_uses_that_one() -> None:
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert usable_cores() == 1
    finally:
        os.sched_setaffinity(0, allowed)
