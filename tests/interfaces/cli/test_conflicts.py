"""Conflicts, supersession and forgetting on the command line."""

import json
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.interfaces.cli.main import run

Capture = pytest.CaptureFixture[str]
STRICT, LOOSE = (f"{word} enable strict mode in tsconfig.json" for word in ("Always", "Never"))


class Shell:
    """Runs commands on one project and keeps what they print."""

    def __init__(self, project: Path, capture: Capture) -> None:
        self.project = project
        self._capture = capture
        self.err = ""

    def __call__(self, *arguments: str, code: int = 0) -> str:
        self._capture.readouterr()
        got = run([*arguments, "--project", str(self.project)])
        out, self.err = self._capture.readouterr()
        assert got == code, self.err
        return out


@pytest.fixture
def shell(project: Path, capsys: Capture) -> Shell:
    return Shell(project, capsys)


def ids(shell: Shell) -> dict[str, str]:
    """Return the short ids of what holds, by content."""
    with Holdfast.open(shell.project) as memory:
        return {one.content: one.id[-8:] for one in memory.list()}


def answer(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """Sit at a terminal and type an answer."""
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.confirm", lambda question: word == "y")


def test_an_opposed_rule_is_announced_listed_and_resolved(shell: Shell) -> None:
    shell("add", STRICT)
    shell("add", LOOSE)
    assert "[⚠ CONFLICT] Entry #" in shell.err
    assert "[⚠ CONFLICT] Entry #" in shell("get", ids(shell)[STRICT])
    listed = shell("conflicts")
    assert f'says "{STRICT}" but Entry' in listed
    [conflict] = json.loads(shell("conflicts", "--json"))
    assert (conflict["kind"], conflict["marker"] in listed) == ("contradictory", True)
    shell("conflicts", "resolve", conflict["id"][-8:], "--keep", "feedbeef", code=3)
    out = shell("conflicts", "resolve", conflict["id"][-8:], "--keep", ids(shell)[LOOSE])
    assert f"Kept: {LOOSE}" in out
    assert (shell("conflicts"), shell.err) == ("", "No conflicts.\n")
    assert list(ids(shell)) == [LOOSE]


def test_both_sides_can_be_kept_and_told_as_json(shell: Shell) -> None:
    shell("add", STRICT)
    shell("add", LOOSE)
    [conflict] = json.loads(shell("conflicts", "--json"))
    settled = json.loads(shell("conflicts", "resolve", conflict["id"], "--keep", "both", "--json"))
    assert (settled["id"], settled["kept"]) == (conflict["id"], "both")
    assert len(ids(shell)) == 2


def test_a_memory_takes_anothers_place_and_gives_it_back(shell: Shell) -> None:
    shell("add", "The queue is Redis")
    shell("add", "Jobs live in Postgres tables")
    known = ids(shell)
    old, new = known["The queue is Redis"], known["Jobs live in Postgres tables"]
    assert shell("supersede", old, new) == f"Now history: {old} The queue is Redis\n"
    assert json.loads(shell("supersede", old, "--undo", "--json"))["superseded_by"] is None
    shell("supersede", old, code=2)
    shell("supersede", old, new, "--undo", code=2)
    assert len(ids(shell)) == 2


def test_what_an_amendment_replaced_is_said(shell: Shell) -> None:
    shell("add", "We use Redis for the job queue")
    assert shell("add", "Amendment: we no longer use Redis for the job queue").endswith("(decision).\n")
    assert "Took the place of" in shell.err


def test_a_keyword_forgets_all_that_hold_it_after_asking(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell("add", "Feed the quokka at noon")
    shell("add", "The quokka sleeps in the barn")
    shell("add", "Nothing to do with it")
    shell("forget", "quokka", code=2)
    assert "--yes: is needed when there is no terminal" in shell.err
    answer(monkeypatch, "n")
    assert shell("forget", "quokka").endswith("Kept.\n")
    assert len(ids(shell)) == 3
    answer(monkeypatch, "y")
    asked = shell("forget", "quokka")
    assert "Feed the quokka at noon" in asked
    assert asked.endswith("Forgotten: 2 memories.\n")
    assert list(ids(shell)) == ["Nothing to do with it"]
    shell("forget", "quokka", "--yes", code=3)


def test_a_source_and_a_session_are_forgotten_whole(shell: Shell) -> None:
    shell("add", "Read on the web", "--source", "web")
    shell("add", "Known anyway", "--source", "web")
    shell("add", "Known anyway", "--source", "cli")
    with Holdfast.open(shell.project) as memory, memory.start_session() as session:
        session.record("user", "Something secretive")
        memory.add("Came up in a session", session=session.id)
    out = shell("forget", "--source", "web", "--yes")
    assert out.startswith("Forgotten: 1 memory.\n1 that others said too stay, without this source.\n")
    out = shell("forget", "--session", session.id[-8:], "--yes")
    assert out.startswith("Forgotten: 1 memory, 1 sentence in 1 session.\n")
    assert json.loads(shell("forget", "--source", "nobody", "--yes", "--json"))["ids"] == []
    shell("forget", "x", "--source", "web", "--yes", code=2)
    shell("forget", "--yes", code=2)
    assert list(ids(shell)) == ["Known anyway"]


def test_what_a_session_became_in_its_fork_is_forgotten_with_it_by_name(shell: Shell) -> None:
    with Holdfast.open(shell.project) as memory, memory.start_session() as session:
        session.record("user", "Settled: uploads are capped at 25 MB after decompression.")
        session.fork().end()
        parent = session.id
        out = shell("forget", "--session", parent[-8:], "--yes")
    assert out.startswith("Forgotten: 1 memory, 1 sentence in 1 session.\n")
    assert list(ids(shell)) == []


def test_a_private_text_is_not_remembered_and_says_so(shell: Shell) -> None:
    assert shell("add", "<private>all of it</private>") == "Not remembered: private.\n"
