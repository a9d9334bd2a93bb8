"""`holdfast slash`: slash commands from a shell."""

import subprocess
from pathlib import Path

import pytest

from holdfast import Holdfast
from tests.interfaces.cli.shell import PROGRAM, Shell


def test_words_make_a_line_quoted_or_not(shell: Shell) -> None:
    assert shell("slash", "/remember", "Deploys", "go out").startswith("Remembered as")
    assert shell("slash", "/remember Deploys go out").startswith("Known already as")
    assert "Deploys go out" in shell("slash", "memory", "search", "deploys")


def test_what_looks_like_an_option_is_part_of_the_text(shell: Shell) -> None:
    shell("slash", "/remember", "run", "with", "--no-cache", "-x")
    assert "run with --no-cache -x" in shell("slash", "/memory list")


def test_json_names_the_command(shell: Shell) -> None:
    assert shell.json("slash", "/memory list") == {"command": "memory", "text": "Nothing remembered yet."}


def test_a_line_is_read_from_standard_input(project: Path) -> None:
    """How agents hand over a person's words without a shell reading them."""
    text = "/remember `rm -rf` is \"not\" run; $(touch pwned) 'neither'"
    done = subprocess.run([PROGRAM, "slash", "-"], input=text, cwd=project, capture_output=True, text=True)
    assert done.stdout.startswith("Remembered as")
    assert [path.name for path in project.iterdir()] == [".holdfast"]


def test_a_text_without_its_last_line_was_cut_and_is_refused(project: Path) -> None:
    for text, code in (("/remember one\nEND\n", 0), ("/remember one\n", 2), ("END", 2), ("", 2)):
        words = [str(PROGRAM), "slash", "-", "--until", "END"]
        assert subprocess.run(words, input=text, cwd=project, capture_output=True, text=True).returncode == code


def test_a_mistake_is_one_line_and_its_exit_code(shell: Shell) -> None:
    shell("slash", "/sing", code=2)
    assert "There are: /remember, /forget, /pin, /memory." in shell.err
    shell("slash", "/forget 00000000", code=3)


def test_a_review_that_the_user_typed_is_theirs_and_one_that_an_agent_made_up_is_not(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Holdfast.open(shell.project) as memory:
        first, second = (memory.add(f"Fact {number} of the matter").id or "" for number in (1, 2))
        typed = f"/memory review accept {first[-8:]}"
        memory.start_session(agent="claude-code").record("user", typed)
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "Fact 2 of the matter" in shell("slash", "/memory review"), "an agent may look"
    shell("slash", f"/memory review accept {second[-8:]}", code=14)
    assert shell("slash", typed) == "Confirmed: Fact 1 of the matter\n"
    shell("slash", typed, code=14)
    monkeypatch.delenv("CLAUDECODE")
    assert [one["id"] for one in shell.json("review")] == [second]
