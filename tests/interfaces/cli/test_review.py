"""`holdfast review`: one by one with keys at a terminal, by lines without one, and by ids from a script."""

import io
from pathlib import Path

import pytest

from holdfast import Holdfast
from tests.embedded import service_behind
from tests.interfaces.cli.shell import Shell, at_terminal

NOTE = "The integration tests need the emulator on port 9099"


@pytest.fixture
def inbox(project: Path) -> dict[str, str]:
    """A conflict of a person's rules and a note of an agent; their ids."""
    with Holdfast.open(project) as memory:
        for content in ("Always use Redis for the job queue", "Never use Redis for the job queue"):
            memory.add(content, kind="decision", trust="user")
        note = memory.add(NOTE).id or ""
        [conflict] = [one.id for one in memory.conflicts()]
    return {"conflict": conflict, "note": note}


def holding(project: Path) -> set[str]:
    """Return what holds in a project."""
    with Holdfast.open(project) as memory:
        return {one.content for one in memory.list()}


def reviewed(project: Path, *keys: str) -> str:
    """Go through the inbox at a terminal; return what the screen showed."""
    code, screen = at_terminal(
        "review", "--project", str(project), keys=keys, NO_COLOR="1", EDITOR="", VISUAL="", COLUMNS="200"
    )
    assert code == 0, screen
    return screen


def test_what_waits_is_listed_whole_without_a_terminal(shell: Shell, inbox: dict[str, str]) -> None:
    listed = shell("review")
    lines = listed.splitlines()
    assert lines[0] == f"conflict {inbox['conflict'][-8:]}: they say the opposite"
    assert "the older" in lines[1]
    assert lines[2].strip() == "Always use Redis for the job queue"
    assert "the newer" in lines[3]
    assert f"candidate {inbox['note'][-8:]}: an agent noted it, and nobody has confirmed it" in lines
    assert NOTE in listed
    assert "accept|edit|drop" in shell.err


def test_nothing_waits_in_an_empty_project(shell: Shell) -> None:
    assert shell("review") == ""
    assert "Nothing waits for you." in shell.err
    assert shell.json("review") == []


def test_keys_settle_one_after_another_and_undo_goes_back(project: Path, inbox: dict[str, str]) -> None:
    screen = reviewed(project, "2", "u", "1", "e", "The emulator listens on port 9099\n")
    assert "Kept: Never use Redis for the job queue" in screen
    assert "Waits again: Never use Redis for the job queue" in screen
    assert "Confirmed in your words: The emulator listens on port 9099" in screen
    assert "2 settled, 0 wait." in screen
    assert holding(project) == {"Always use Redis for the job queue", "The emulator listens on port 9099"}


def test_quitting_keeps_what_was_settled_and_leaves_the_rest(project: Path, inbox: dict[str, str]) -> None:
    assert "1 settled, 1 wait." in reviewed(project, "b", "q")
    with Holdfast.open(project) as memory:
        assert [one.id for one in memory.review().items] == [inbox["note"]]


def test_skipping_changes_nothing_and_an_unknown_key_helps(project: Path, inbox: dict[str, str]) -> None:
    before = holding(project)
    screen = reviewed(project, "x", "s", "?", "s")
    assert screen.count("undo what you settled last") == 2
    assert "0 settled, 2 wait." in screen
    assert holding(project) == before


def test_undo_with_nothing_to_undo_says_so_and_goes_on(project: Path, inbox: dict[str, str]) -> None:
    screen = reviewed(project, "u", "d", "d")
    assert "nothing was settled" in screen
    assert "Dropped both" in screen
    assert holding(project) == set()


def test_forgetting_for_good_is_asked_about_twice(shell: Shell, project: Path) -> None:
    rule = shell.add("Never push to main")
    with Holdfast.open(project) as memory:
        from holdfast.errors import Proposed
        from holdfast.model.actor import Actor

        agent = service_behind(memory).acting_as(Actor("mcp", person=False, agent="codex"))
        with pytest.raises(Proposed):
            agent.forget(rule)
    assert "0 settled, 1 wait." in reviewed(project, "a", "n\n", "s")
    assert "Done (forget): Never push to main" in reviewed(project, "a", "y\n")
    assert holding(project) == set()


def test_a_line_is_an_answer_where_there_is_no_terminal(
    shell: Shell, inbox: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\ne The emulator listens on 9099\n"))
    screen = shell("review", "--ask")
    assert "Kept: Always use Redis" in screen
    assert holding(shell.project) == {"Always use Redis for the job queue", "The emulator listens on 9099"}


def test_the_end_of_input_is_quitting(
    shell: Shell, inbox: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    shell("review", "--ask")
    assert "0 settled, 2 wait." in shell.err


def test_several_ids_are_settled_in_one_call(shell: Shell) -> None:
    with Holdfast.open(shell.project) as memory:
        ids = [memory.add(f"Fact {number} of the matter").id or "" for number in range(3)]
    assert shell("review", "accept", *(one[-8:] for one in ids[:2])).count("Confirmed: ") == 2
    assert [one["id"] for one in shell.json("review")] == [ids[2]]
    assert shell.json("review", "drop", ids[2])["outcome"] == "dropped"
    assert shell.json("review", "undo")["outcome"] == "undone"


def test_an_edit_without_words_says_what_is_missing(shell: Shell, inbox: dict[str, str]) -> None:
    shell("review", "edit", inbox["note"], code=2)
    assert "text" in shell.err


def test_an_agent_lists_but_settles_nothing(
    shell: Shell, inbox: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    assert NOTE in shell("review")
    for words in (
        ("accept", inbox["note"]),
        ("drop", inbox["note"]),
        ("keep", inbox["conflict"], "both"),
        ("undo",),
    ):
        shell("review", *words, code=14)
    shell("review", "--ask", code=14)
    monkeypatch.delenv("CLAUDECODE")
    assert len(shell.json("review")) == 2


def test_status_says_how_many_wait(shell: Shell, inbox: dict[str, str]) -> None:
    assert "2 wait for you: holdfast review (1 conflict, 1 candidate)" in shell("status")
    assert shell.json("status")["waits"] == {"conflicts": 1, "proposals": 0, "candidates": 1, "imported": 0}
