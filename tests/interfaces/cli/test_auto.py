"""`holdfast auto` and `holdfast config preset`."""

from holdfast import Holdfast
from tests.interfaces.cli.shell import Shell

RULE = "Settled: uploads are capped at 25 MB, never more."


def session_ends(shell: Shell) -> int:
    """Hold a session in which something was settled; return how many memories there are then."""
    with Holdfast.open(shell.project) as memory, memory.start_session() as session:
        session.record("user", RULE)
    return len(shell.json("list"))


def test_auto_says_whether_it_is_on_and_turns_it_off_and_on(shell: Shell) -> None:
    assert shell("auto") == "Findings and promotion are on.\n"
    assert shell("auto", "off") == "Findings and promotion are off.\n"
    assert session_ends(shell) == 0
    assert shell.json("auto") == {
        "auto": False,
        "origin": "project",
        "where": str(shell.project / ".holdfast" / "config.toml"),
    }
    assert shell("auto", "on") == "Findings and promotion are on.\n"
    assert session_ends(shell) == 1


def test_off_in_your_own_file_wins_over_on_in_the_projects(shell: Shell) -> None:
    shell("auto", "off", "--user")
    assert shell("auto", "on") == "Findings and promotion are off.\n"
    assert "off wins" in shell.err
    shell("auto", "on", "--user")
    assert shell("auto") == "Findings and promotion are on.\n"


def test_the_preset_is_set_and_obeyed(shell: Shell) -> None:
    """It is about what nobody asked for, as what an agent recaps."""
    shell("config", "preset", "conservative")
    assert shell("config", "get", "capture.preset") == "conservative\n"
    with Holdfast.open(shell.project) as memory, memory.start_session() as session:
        session.record("user", "Uploads must not exceed 25 MB.")
        session.record("assistant", RULE)
    assert RULE not in [one["content"] for one in shell.json("list")]
    shell("config", "preset", "nonsense", code=2)
