"""The outcome benchmarks: what counts as a fact that is told, and the way into a runner of sde-bench."""

import subprocess
from pathlib import Path

import pytest

from benchmarks.outcome.facts import facts_of, is_told
from benchmarks.outcome.sdebench import HoldfastMemory
from tests.table import table


def test_a_policy_is_its_facts() -> None:
    assert facts_of("retry 5xx; at most 4 attempts ;") == ["retry 5xx", "at most 4 attempts"]


@table(
    ("fact", "brief", "told"),
    [
        ("at most 4 attempts", "Four? No: 4 attempts at most.", True),
        ("at most 4 attempts", "5 attempts at most.", False),
        ("names sorted by tier", "Prices are stored in cents.", False),
    ],
)
def test_a_fact_is_told_by_its_words_and_its_numbers(fact: str, brief: str, told: bool) -> None:
    assert is_told(fact, brief) is told


@pytest.mark.usefixtures("keyword_judge")
def test_the_adapter_takes_in_a_project_and_recalls_what_a_task_needs(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "CONVENTIONS.md").write_text("# Engineering\n\n## Money\nPrices are stored in integer cents.\n")
    identity = ["-c", "user.name=ada", "-c", "user.email=ada@example.com"]
    for command in (
        ["init", "-q"],
        ["add", "."],
        [*identity, "commit", "-qm", "Count once\n\nReplicas count twice."],
    ):
        subprocess.run(["git", "-C", repository, *command], check=True)
    talk = [
        {"role": "user", "text": "The capture client must never make more than seven attempts at the acquirer."}
    ]
    memory = HoldfastMemory(tmp_path / "home")
    memory.ingest(repository, [talk], "shop")
    assert "seven attempts" in memory.recall("how many attempts may the capture client make at the acquirer?")
    assert "integer cents" in memory.recall("in which unit are prices stored?")
    assert memory.recall("write a haiku about autumn") == ""
