"""Changing memories: update, pin, confirm, supersede, history."""

import io

import pytest

from holdfast import Holdfast
from tests.interfaces.cli.shell import Shell


def test_update_changes_what_is_named_and_nothing_else(shell: Shell) -> None:
    short = shell.add("The queue is Redis", "--kind", "fact", "--tags", "queue", "--context", "Monday")
    [before] = shell.json("get", short)
    after = shell.json(
        "update", short, "--kind", "decision", "--importance", "0.9", "--metadata", '{"ticket": 7}',
        "--file", "src/queue.py", "--confidence", "0.8", "--title", "Redis it is",
    )  # fmt: skip
    assert after == before | {
        "kind": "decision",
        "importance": 0.9,
        "metadata": {"ticket": 7},
        "files": ["src/queue.py"],
        "confidence": 0.8,
        "title": "Redis it is",
        "updated_at": after["updated_at"],
    }
    assert shell("update", short, "--content", "The queue is Kafka") == f"Updated {short}: Redis it is\n"


def test_an_empty_value_removes_and_never_lets_a_memory_stay(shell: Shell) -> None:
    short = shell.add("A", "--tags", "x,y", "--file", "a.py", "--context", "why", "--expires", "30d")
    after = shell.json("update", short, "--tags", "", "--file", "", "--context", "", "--expires", "never")
    assert (after["tags"], after["files"], after["context"], after["expires"]) == ([], [], "", None)


def test_update_reads_content_from_standard_input(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    short = shell.add("Before")
    monkeypatch.setattr("sys.stdin", io.StringIO("After\n"))
    assert shell.json("update", short, "--content", "-")["content"] == "After"


def test_pin_and_unpin_are_seen_in_the_list(shell: Shell) -> None:
    short = shell.add("Never force-push main", "--kind", "warning")
    assert shell("pin", short) == f"Pinned: {short} Never force-push main\n"
    assert shell.json("list")[0]["status"] == "pinned"
    assert shell.json("unpin", short)["status"] == "confirmed"


def test_a_sixth_pin_is_refused(shell: Shell) -> None:
    shorts = [shell.add(f"Rule number {number}") for number in range(6)]
    for short in shorts[:5]:
        shell("pin", short)
    shell("pin", shorts[5], code=2)
    assert "Unpin one first" in shell.err


def test_a_person_confirms_what_an_agent_said(shell: Shell) -> None:
    with Holdfast.open(shell.project) as memory:
        said = memory.add("Retries are capped at 5").id or ""
    assert shell.json("get", said)[0]["status"] == "candidate"
    assert shell("confirm", said).startswith("Confirmed: ")
    assert shell.json("list")[0]["status"] == "confirmed"


def test_supersede_makes_history_of_the_old_one(shell: Shell) -> None:
    old, new = shell.add("The queue is Redis"), shell.add("The queue is Postgres")
    assert shell("supersede", old, new) == f"Now history: {old} The queue is Redis\n"
    first, second = shell("history", new).splitlines()
    assert first.startswith(old)
    assert "until 20" in first
    assert second.startswith(new)
    assert "holds" in second
    was, now = shell.json("history", old)
    assert (was["superseded_by"], now["superseded_by"]) == (now["id"], None)


def test_only_my_own_are_listed_and_found_with_user(shell: Shell) -> None:
    shell.add("Commits of the project are squashed")
    shell.add("Prefer small commits", "--user")
    assert [one["title"] for one in shell.json("list", "--user")] == ["Prefer small commits"]
    assert [one["title"] for one in shell.json("search", "commits", "--user")] == ["Prefer small commits"]
    assert len(shell.json("search", "commits")) == 2


def test_user_scope_without_a_store_is_empty(shell: Shell) -> None:
    assert shell.json("list", "--user") == []
    assert shell.json("search", "x", "--user") == []
    shell("search", "x", "--user", "--within", "turns", code=2)
    assert "only memories are kept in user scope" in shell.err
