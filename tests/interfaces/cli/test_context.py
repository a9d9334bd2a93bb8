"""Briefs, their receipts and aliases on the command line."""

import re

import pytest

from holdfast.machine import failures
from tests.faults.processes import database
from tests.interfaces.cli.shell import Shell

RULE = "Login tokens expire after 15 minutes; never extend them silently."
PROMPT = "how long do our login tokens live before they expire?"


def test_a_brief_goes_to_the_output_and_why_beside_it(shell: Shell) -> None:
    short = shell.add(RULE, "--kind", "decision")
    assert RULE in shell("context", PROMPT)
    assert shell.err == ""
    explained = shell("context", PROMPT, "--explain")
    assert f"{short}  decision" in explained
    assert "relevance 0." in explained
    assert "of 1,500 tokens, " in shell.err


def test_nothing_relevant_nothing_printed(shell: Shell) -> None:
    assert shell("context") == ""
    shell.add(RULE)
    assert shell("context", "write a haiku about autumn leaves") == ""


def test_without_a_prompt_the_standing_rules_are_printed(shell: Shell) -> None:
    shell.add(RULE)
    assert re.search(rf"\n- \d{{4}}-\d\d-\d\d: {re.escape(RULE)}\n", shell("context"))


def test_each_agent_gets_its_own_form(shell: Shell, subtests: pytest.Subtests) -> None:
    for agent, start in [
        ("claude-code", "<project_memory nonce="),
        ("gemini", "## Project memory "),
        ("copilot", "## Project memory "),
        ("codex", "=== project memory "),
        ("opencode", "=== project memory "),
        ("cursor", "=== project memory "),
    ]:
        with subtests.test(agent=agent, start=start):
            shell.add(RULE)
            assert shell("context", PROMPT, "--agent", agent).startswith(start)


def test_a_file_at_hand_and_a_budget_are_options(shell: Shell) -> None:
    (shell.project / "auth.py").write_text("x = 1\n", encoding="utf-8")
    shell.add(RULE, "--file", "auth.py")
    plain, lifted = (shell.json("context", PROMPT, *more)["items"][0] for more in ((), ("--file", "auth.py")))
    assert lifted["why"]["files"] > plain["why"]["files"]
    assert shell.json("context", PROMPT, "--budget", "300")["budget"] == 300
    assert shell.json("context", PROMPT, "--remaining", "10000")["budget"] == 800
    assert "budget" in shell("context", PROMPT, "--budget", "-1", code=2) + shell.err


def test_a_store_that_cannot_be_opened_is_no_error_for_the_agent(shell: Shell) -> None:
    shell.add(RULE)
    database(shell.project).write_bytes(b"no store" * 2_000)
    assert shell("context", PROMPT) == ""
    assert "no brief: " in shell.err
    brief = shell.json("context", PROMPT)
    assert (brief["text"], brief["items"]) == ("", [])
    assert brief["failure"]
    left = failures.last(str(shell.project))
    assert left
    assert left[1] == "context"
    assert "context: " in shell.json("status")["last_failure"]


def test_receipts_say_what_went_in_and_what_was_fetched_afterwards(shell: Shell) -> None:
    short = shell.add(RULE)
    assert shell("log", "--receipts") == ""
    shell("context", PROMPT)
    assert f"{short}  " in shell("log", "--receipts")
    assert "fetched" not in shell("log", "--receipts")
    shell("get", short)
    assert "fetched 2" in shell("log", "--receipts")
    [receipt] = shell.json("log", "--receipts")
    assert receipt["items"][0]["fetched_at"] >= receipt["at"]


def test_status_tells_how_fast_briefs_are_once_there_are_enough(shell: Shell) -> None:
    shell.add(RULE)
    shell("context", PROMPT)
    assert "1 so far" in shell("status")
    for _ in range(5):
        shell("context", PROMPT)
    assert "95 of 100 within" in shell("status")
    assert shell.json("status")["briefs"]["samples"] == 6


def test_aliases_are_added_shown_and_removed(shell: Shell) -> None:
    shell.add("Keycloak realms are exported nightly.")
    asked = ("context", "do we export the idp realms?")
    [before] = shell.json(*asked)["items"]
    assert shell("alias", "add", "idp", "keycloak", "sso") == "2 new.\n"
    assert shell("alias", "add", "IDP", "sso") == "Known already.\n"
    assert shell("alias", "list") == "idp  keycloak, sso\n"
    [after] = shell.json(*asked)["items"]
    assert after["why"]["relevance"] > before["why"]["relevance"]
    assert shell("alias", "remove", "idp") == "2 removed.\n"
    assert shell("alias", "remove", "idp") == "There was none.\n"
    assert "authentication" in shell("alias", "list", "--all")
    assert "single plain word" in shell("alias", "add", "two words", "x", code=2) + shell.err
