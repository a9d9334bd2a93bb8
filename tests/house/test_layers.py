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
    "holdfast.model.ids",
    "holdfast.model.kinds",
    "holdfast.model.limits",
    "holdfast.embedding.scan",
    "holdfast.embedding.static",
    "holdfast.capture.classify",
    "holdfast.capture.text.clean",
    "holdfast.capture.text.redact",
    "holdfast.stores.analyser",
    "holdfast.stores.topics",
    "holdfast.stores.weights",
    "holdfast.stores.sql.queries",
    "holdfast.stores.sqlite.queries",
    "holdfast.stores.sqlite.connection",
    "holdfast.recall.brief.render",
    "holdfast.recall.brief.budget",
    "holdfast.machine.failures",
    "holdfast.storage.brief_stores",
    "holdfast.service.briefs",
    "holdfast.interfaces.hooks.brief",
    "holdfast.capture.check",
    "holdfast.capture.check",
    "holdfast.model.type_hints",
    "holdfast.model.brief",
    "holdfast.model.plain",
    "holdfast.model.records",
    "holdfast.model.care",
    "holdfast.model.value",
    "holdfast.machine.project",
    "holdfast.recall.search",
    "holdfast.service.scopes",
    "holdfast.stores.sqlite.files",
    "holdfast.stores.sqlite.opening",
    "holdfast.stores.sqlite.store",
    "holdfast.stores.sqlite.vectors",
)
HEAVY = {"dataclasses", "typing", "pathlib", "tomllib", "inspect", "uuid", "numpy", "pydantic", "mcp", "click"}


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


def test_what_hooks_share_imports_nothing_heavy(subtests: pytest.Subtests) -> None:
    """A hook has a few dozen milliseconds in all; dataclasses alone cost thirty."""
    for module in LIGHT:
        with subtests.test(module=module):
            assert modules_after(f"import {module}") & HEAVY == set()


def test_the_front_of_the_mcp_server_imports_nothing_heavy() -> None:
    """A client waits for it, and goes without the tools when it is late."""
    assert modules_after("import holdfast.interfaces.mcp.front") & HEAVY == set()


def test_importing_the_package_loads_next_to_nothing() -> None:
    """Names load on first use."""
    assert modules_after("import holdfast") == {"holdfast"}


def test_using_the_python_api_loads_no_command_line_and_no_server() -> None:
    """An agent that embeds holdfast pays for what it uses."""
    assert modules_after("from holdfast import Holdfast") & {"numpy", "mcp", "pydantic", "click"} == set()
