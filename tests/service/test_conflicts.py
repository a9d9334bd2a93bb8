"""Conflicts that are conflicts: what cannot both hold is one, what was changed is gone, the rest is left alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.judge import Judge
from tests.judges import ScriptedJudge, lasting

SECTIONS = (
    "Errors are JSON. Add the trace id to the error response. Clients show it to the user.",
    "Errors changed in version 3. Remove the trace id from the error response. It stays in the log.",
    "The build is reproducible. The build runs on Node 20. Its image is pinned.",
    "A release needs a tag. The build runs on Node 22. Its image is pinned.",
)


def kept(memory: Holdfast) -> list[str]:
    return [one.content for one in memory.list()]


@pytest.mark.parametrize("trust", ["user", "agent"])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Add the trace id to the error response", "Remove the trace id from the error response"),
        ("Add caching to the price endpoint", "Remove caching from the price endpoint"),
        ("We use Node 20 for the build", "We use Node 22 for the build"),
        ("Use Node 20", "Use Node 22"),
        ("Node 20", "Node 22"),
    ],
)
def test_what_cannot_both_hold_is_a_conflict_and_both_sides_are_found(
    project: Path, first: str, second: str, trust: str
) -> None:
    with Holdfast.open(project) as memory:
        for text in (first, second):
            memory.add(text, trust=trust)
        [conflict] = memory.conflicts()
        assert conflict.kind == "contradictory"
        assert {hit.title for hit in memory.search(second)} == {first, second}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Add the banner to the checkout page", "Add the banner to the cart page"),
        ("Add the banner to the checkout page", "Remove the banner from the cart page"),
        ("Node 20 of the cluster is in Frankfurt", "Node 22 of the cluster is in Dublin"),
        ("Read chapter 20", "Read chapter 22"),
    ],
)
def test_what_is_about_two_things_is_none(project: Path, first: str, second: str) -> None:
    with Holdfast.open(project) as memory:
        for text in (first, second):
            memory.add(text, trust="user")
        assert memory.conflicts() == []
        assert len(memory.list()) == 2


def test_a_switch_that_a_person_announces_leaves_the_new_rule_only(project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.add("Always Google style docstrings", trust="user")
        memory.add("Switch docstrings to NumPy style", trust="user")
        assert kept(memory) == ["Switch docstrings to NumPy style"]
        assert [hit.title for hit in memory.search("docstring style")] == ["Switch docstrings to NumPy style"]
        assert memory.conflicts() == []


def test_the_same_said_in_two_sessions_leaves_the_new_rule_only(
    project: Path, use_judge: Callable[[Judge], None]
) -> None:
    use_judge(ScriptedJudge({"docstrings": lasting()}, {("Google", "NumPy"): "replaces"}))
    with Holdfast.open(project) as memory:
        for text in ("Always use Google style docstrings.", "Switch docstrings to NumPy style."):
            session = memory.start_session()
            session.record("user", text)
            session.record("assistant", "Ok.")
            session.end()
        assert kept(memory) == ["Switch docstrings to NumPy style."]
        for question in ("docstring style", "which docstring style do we use?", "Google style docstrings"):
            current, outdated = memory.search(question)
            assert (current.title, current.kind) == ("Switch docstrings to NumPy style", "decision")
            assert (outdated.title, outdated.kind, outdated.source) == (
                "Always use Google style docstrings",
                "turn",
                "user",
            )
            assert current.score > outdated.score
        said = [hit.title for hit in memory.search("docstring style", within="turns")]
        assert sorted(said) == ["Always use Google style docstrings", "Switch docstrings to NumPy style"]


def test_sections_of_documents_do_not_conflict_with_each_other(project: Path) -> None:
    """Of 47 conflicts between the documents and the history of one repository none that was read was one."""
    with Holdfast.open(project) as memory:
        memory.add_many([{"content": text, "trust": "imported", "source": "docs"} for text in SECTIONS])
        assert memory.conflicts() == []
        assert len(memory.list()) == len(SECTIONS)
