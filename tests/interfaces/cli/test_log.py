"""The audit log on the command line."""

import sqlite3

from holdfast import Holdfast
from tests.interfaces.cli.shell import Shell


def test_the_log_says_who_did_what_newest_first(shell: Shell) -> None:
    short = shell.add("The queue is Redis")
    shell("pin", short)
    with Holdfast.open(shell.project) as memory:
        memory.add("From Python")
    assert [(event["action"], event["actor"]) for event in shell.json("log")] == [
        ("add", "python"),
        ("pin", "cli"),
        ("add", "cli"),
    ]
    assert [event["action"] for event in shell.json("log", "--actor", "cli", "--action", "pin")] == ["pin"]
    assert shell("log", "--limit", "1").split()[1:3] == ["add", "python"]


def test_what_was_forgotten_is_still_found_in_the_log_by_its_id(shell: Shell) -> None:
    """Its text is not."""
    short = shell.add("A secret thing")
    shell.add("Another thing")
    shell("forget", short, "--yes")
    assert [event["action"] for event in shell.json("log", "--id", f"#{short.upper()}")] == ["remove", "add"]
    assert "secret" not in shell("log", "--json")


def test_since_leaves_out_what_is_older(shell: Shell) -> None:
    shell.add("Now")
    assert len(shell.json("log", "--since", "1h")) == 1
    assert shell.json("log", "--since", "2099-01-01") == []


def test_the_users_store_has_a_log_of_its_own(shell: Shell) -> None:
    shell.add("Here")
    assert shell.json("log", "--user") == []
    shell.add("Everywhere", "--user")
    assert len(shell.json("log", "--user")) == len(shell.json("log")) == 1


def test_a_whole_log_is_verified(shell: Shell) -> None:
    shell.add("One")
    assert shell("log", "--verify") == "The log is whole: 1 events fit together.\n"
    assert shell.json("log", "--verify") == {"events": 1, "whole": True, "broken_at": None}


def test_an_edited_event_is_found_and_named(shell: Shell) -> None:
    for number in range(3):
        shell.add(f"Thing {number}")
    with sqlite3.connect(shell.project / ".holdfast" / "memory.db") as database:
        database.execute("UPDATE audit SET actor = 'nobody' WHERE seq = 2")
    database.close()
    assert shell("log", "--verify", code=6) == ""
    assert "event 2 does not fit" in shell.err
    assert shell.json("log", "--verify", code=6)["broken_at"] == 2


def test_an_id_that_is_none_is_refused(shell: Shell) -> None:
    shell("log", "--id", "queue", code=2)
    assert "id: 'queue' is not an id" in shell.err
