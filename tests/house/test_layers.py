"""The architecture holds: layers, light modules, lazy imports."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIGHT = (
    "holdfast.errors",
    "holdfast.machine.paths",
    "holdfast.machine.environment",
    "holdfast.machine.failures",
    "holdfast.model.ids",
    "holdfast.model.kinds",
    "holdfast.model.limits",
    "holdfast.capture.text.clean",
    "holdfast.capture.text.redact",
    "holdfast.interfaces.mcp.front",
)
"""What a recording hook loads, and the server that answers a client before the rest is there."""
BRIEF = (
    "holdfast.interfaces.hooks.brief",
    "holdfast.recall.search",
    "holdfast.storage.brief_stores",
    "holdfast.stores.sqlite.store",
)
HEAVY = {"dataclasses", "pathlib", "tomllib", "numpy", "pydantic", "mcp", "click"}
VALUES = {"msgspec", "inspect", "uuid"}
"""The library of values and the most costly of what it imports: about 15 ms of CPU."""


def modules_after(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter holds after a statement, beyond those it starts with."""
    program = f"import sys; before = set(sys.modules)\n{statement}\nprint(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_imports_point_down() -> None:
    """The contracts in pyproject.toml: layers, independent interfaces, one place that names backends."""
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_what_recording_hooks_load_imports_no_values_and_nothing_heavy(subtests: pytest.Subtests) -> None:
    """A recording hook has a few dozen milliseconds in all."""
    for module in LIGHT:
        with subtests.test(module=module):
            assert modules_after(f"import {module}") & (HEAVY | VALUES) == set()


def test_what_briefs_load_imports_nothing_heavy(subtests: pytest.Subtests) -> None:
    for module in BRIEF:
        with subtests.test(module=module):
            assert modules_after(f"import {module}") & HEAVY == set()


def test_importing_the_package_loads_next_to_nothing() -> None:
    """Names load on first use."""
    loaded = modules_after("import holdfast")
    assert {name for name in loaded if name.startswith("holdfast")} == {"holdfast"}
    assert loaded <= {"holdfast", *modules_after("import typing")}


def test_using_the_python_api_loads_no_command_line_and_no_server() -> None:
    """An agent that embeds holdfast pays for what it uses."""
    assert modules_after("from holdfast import Holdfast") & {"numpy", "mcp", "pydantic", "click"} == set()
