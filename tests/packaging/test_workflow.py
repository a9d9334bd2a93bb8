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


def test_what_the_page_says_was_not_tried_in_full_has_no_classifier() -> None:
    page = " ".join((ROOT / "docs" / "platforms.md").read_text(encoding="utf-8").split())
    named = [
        line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r"System ::|:: 3\.\d+$", line)
    ]
    assert f"every test has run on: {' and '.join(named)}." in page


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


def test_what_linux_alone_tries_is_there_and_left_out_elsewhere() -> None:
    steps = {step["name"]: step for step in jobs()["test"]["steps"] if "name" in step}
    assert steps["What is tested against"]["if"] == "runner.os == 'Linux'"
    assert all(name in steps["What is tested against"]["run"] for name in ("strace", "pgbouncer", "chromium"))
    assert steps["Tests"]["env"]["WITHOUT"] == "${{ runner.os != 'Linux' && ' and not browser' || '' }}"
    assert "$WITHOUT" in steps["Tests"]["run"]
