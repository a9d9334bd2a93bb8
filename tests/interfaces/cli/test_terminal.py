"""At a terminal: colours, widths, questions; without one: plain text, whole lines, no questions."""

from pathlib import Path

import pytest

from holdfast import Holdfast
from tests.interfaces.cli.shell import at_terminal, program

RED = "\x1b["
LONG = "A rule that goes on and on " * 6


@pytest.fixture
def rule(project: Path) -> str:
    """Remember one long rule and return its short id."""
    with Holdfast.open(project) as memory:
        return (memory.add("Body", title=LONG[:80], kind="warning", trust="user").id or "")[-8:]


def test_colours_are_for_terminals_only(project: Path, rule: str) -> None:
    code, screen = at_terminal("list", "--project", str(project))
    assert code == 0
    assert RED in screen
    assert RED not in program("list", "--project", str(project)).stdout


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_a_terminal_without_colour_gets_none(project: Path, rule: str, variable: dict[str, str]) -> None:
    assert RED not in at_terminal("list", "--project", str(project), **variable)[1]


def test_colour_can_be_forced_into_a_pipe(project: Path, rule: str) -> None:
    assert RED in program("list", "--project", str(project), FORCE_COLOR="1").stdout
    assert RED not in program("list", "--project", str(project), FORCE_COLOR="0").stdout


def test_lines_are_cut_to_the_terminal_and_whole_in_a_pipe(project: Path, rule: str) -> None:
    _, screen = at_terminal("list", "--project", str(project), NO_COLOR="1", COLUMNS="70")
    [line] = screen.splitlines()
    assert len(line) <= 70
    assert line.endswith("…")
    assert LONG[:78] in program("list", "--project", str(project)).stdout


def test_forget_asks_and_obeys(project: Path, rule: str) -> None:
    code, screen = at_terminal("forget", rule, "--project", str(project), keys="n\n", NO_COLOR="1")
    assert code == 0
    assert "Forget " in screen
    assert "Kept." in screen
    assert "Forgotten: " in at_terminal("forget", rule, "--project", str(project), keys="y\n", NO_COLOR="1")[1]


def test_ctrl_c_at_a_question_changes_nothing(project: Path, rule: str) -> None:
    code, screen = at_terminal("forget", rule, "--project", str(project), keys="\x03")
    assert code == 130
    assert "holdfast: interrupted" in screen
    assert "Traceback" not in screen
    assert program("get", rule, "--project", str(project)).returncode == 0


def test_remembered_text_cannot_drive_the_terminal(project: Path) -> None:
    """A memory may come from anywhere; a terminal obeys escape codes."""
    with Holdfast.open(project) as memory:
        memory.add("Wipe \x1b[2J\x1b]0;title\x07 and turn \u202e around \x9b31m", kind="fact")
    short = program("list", "--project", str(project)).stdout.split()[0]
    for words in (("list",), ("search", "wipe"), ("get", short), ("timeline", short)):
        _, screen = at_terminal(*words, "--project", str(project), NO_COLOR="1")
        assert "Wipe" in screen
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(screen), words


def test_a_config_that_came_with_the_project_is_asked_about(project: Path) -> None:
    place = project / ".holdfast"
    place.mkdir()
    (place / "config.toml").write_text('[user]\nname = "mallory"\n')
    words = ("config", "set", "search.floor", "0.2", "--project", str(project))
    code, screen = at_terminal(*words, keys="n\n", NO_COLOR="1")
    assert (code, "also sets user.name. Obey that from now on?" in screen) == (4, True)
    code, _ = at_terminal(*words, keys="y\n", NO_COLOR="1")
    assert code == 0
    assert program("config", "get", "user.name", "--project", str(project)).stdout == "mallory\n"
