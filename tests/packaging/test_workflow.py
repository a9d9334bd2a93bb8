"""The workflow for other machines covers what the package says it supports, with actions that cannot change."""

import re
import tomllib
from typing import Any

import yaml

from tests.packaging.distributions import ROOT

WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SYSTEMS = {"ubuntu-latest", "macos-latest", "windows-latest"}


def jobs() -> dict[str, Any]:
    """Return the jobs by their names."""
    text: dict[str, dict[str, Any]] = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    return text["jobs"]


def matrix(job: str) -> dict[str, list[str]]:
    """Return what a job is run on."""
    axes: dict[str, list[str]] = jobs()[job]["strategy"]["matrix"]
    return axes


def test_the_tests_run_on_three_systems_and_every_python_that_is_supported() -> None:
    supported = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert set(matrix("test")["os"]) == SYSTEMS
    assert set(supported) <= set(matrix("test")["python"])
    assert min(matrix("test")["python"]) == PROJECT["requires-python"].removeprefix(">=")


def test_what_was_built_is_installed_on_three_systems() -> None:
    assert set(matrix("installed")["os"]) == SYSTEMS
    assert matrix("installed")["archive"] == ["*.whl", "*.tar.gz"]


def test_every_action_is_pinned_to_a_commit() -> None:
    """A tag can be moved to other code, a commit cannot."""
    uses = [step["uses"] for job in jobs().values() for step in job["steps"] if "uses" in step]
    assert uses
    assert [action for action in uses if not re.search(r"@[0-9a-f]{40}$", action)] == []


def test_what_must_pass_here_is_what_passes_there() -> None:
    assert any(step.get("run") == ".ci/run" for step in jobs()["land"]["steps"])
