"""Sessions on the command line."""

from holdfast import Holdfast
from tests.interfaces.cli.shell import Shell


def test_a_session_is_started_listed_and_ended(shell: Shell) -> None:
    short, word = shell("session", "start", "--agent", "my-agent").split()
    assert word == "active"
    assert shell("session", "list").split()[:2] == [short, "active"]
    assert shell("session", "end", short) == f"{short} completed\n"
    assert shell("session", "end", short) == f"{short} completed\n"
    assert shell.json("session", "list")[0]["status"] == "completed"


def test_the_same_ref_is_the_same_session(shell: Shell) -> None:
    first = shell.json("session", "start", "--ref", "build-17")
    assert shell.json("session", "start", "--ref", "build-17")["id"] == first["id"]
    assert len(shell.json("session", "list")) == 1


def test_show_prints_the_turns_as_they_were_said(shell: Shell) -> None:
    with Holdfast.open(shell.project) as memory:
        session = memory.start_session(agent="claude-code")
        session.record("user", "Why do jobs stall?\nUnder load, I mean.")
        session.record("assistant", "exit 0", tool="bash")
    text = shell("session", "show", session.id[-8:])
    assert "2 turns" in text
    assert "Why do jobs stall?\nUnder load, I mean." in text
    assert "assistant (bash)" in text
    shown = shell.json("session", "show", session.id)
    assert shown["session"]["turns"] == 2
    assert [turn["role"] for turn in shown["turns"]] == ["user", "assistant"]


def test_an_unknown_session_is_named_and_a_near_one_suggested(shell: Shell) -> None:
    short = shell("session", "start").split()[0]
    wrong = short[:-1] + ("0" if short[-1] != "0" else "1")
    shell("session", "show", wrong, code=3)
    assert shell.err == f"holdfast: No session has the id '{wrong}'. Did you mean {short}?\n"
    shell("session", "end", "feedbeef", code=3)
    assert "Find the right one with `holdfast session list`" in shell.err


def test_looking_for_sessions_makes_no_store(shell: Shell) -> None:
    assert shell("session", "list") == ""
    assert "No sessions yet" in shell.err
    assert list(shell.project.iterdir()) == []


def test_show_prints_the_summary_and_what_was_found(shell: Shell) -> None:
    rule = "Settled: uploads are capped at 25 MB, never more."
    with Holdfast.open(shell.project) as memory, memory.start_session() as session:
        session.record("user", rule)
    text = shell("session", "show", session.id[-8:])
    assert f"Decided: {rule}" in text
    [promoted] = shell.json("list")
    assert promoted["id"][-8:] in text
    assert shell.json("session", "show", session.id)["findings"][0]["memory"] == promoted["id"]


def test_a_session_is_read_at_a_checkpoint_and_forked(shell: Shell) -> None:
    with Holdfast.open(shell.project) as memory:
        session = memory.start_session()
        session.record("user", "Settled: uploads are capped at 25 MB, never more.")
    short = session.id[-8:]
    assert shell.json("session", "checkpoint", short)["turns_read"] == 1
    child = shell("session", "fork", short).split()[0]
    assert shell.json("session", "show", child)["session"]["parent"] == session.id
    assert len(shell.json("session", "show", child)["findings"]) == 1
    assert f"fork of {short}" in shell("session", "list")
