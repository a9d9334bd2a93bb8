"""The main job on systems that this machine is not, as far as fakes can tell."""

import json
from pathlib import Path
from typing import Any

from tests.background import wait_until
from tests.platforms.fakes import FakeMachine
from tests.platforms.story import RULE

STORY = str(Path(__file__).with_name("story.py"))
HOOK = "from holdfast.interfaces.hooks.entry import main; main()"
MARK = b"\xef\xbb\xbf"
"""What PowerShell puts before a text that it passes on."""


def printed(outcome: tuple[int, str, str]) -> Any:
    """Return the JSON that a step printed."""
    return json.loads(outcome[1])


def remaining(home: Path) -> list[str]:
    """Return the names of the files that are there, but for those of the project and the programs."""
    files = [path for path in home.rglob("*") if path.is_file() and ".git" not in path.parts]
    return sorted(path.name for path in files if path.name != "memories.jsonl" and path.parent.name != "Scripts")


def test_the_main_job_can_be_done_and_every_module_imported(machine: FakeMachine) -> None:
    facts = json.loads(machine.python(STORY))
    assert facts["platform"] == machine.system
    assert facts["modules"] > 250
    outcomes = facts["outcomes"]
    assert {name: outcome for name, outcome in outcomes.items() if outcome[0]} == {}
    assert [hit["title"] for hit in printed(outcomes["search"])] == [RULE]
    assert [hit["title"] for hit in printed(outcomes["search restored"])] == [RULE]
    assert printed(outcomes["search again"]) == []
    assert printed(outcomes["import"])["own"]
    assert [entry for entry in printed(outcomes["doctor"])["diagnoses"] if entry["severity"] == "problem"] == []
    assert str(machine.data) in printed(outcomes["backup"])["path"]
    assert remaining(machine.home) == ["config.toml"]  # which macOS has in the folder of the data


def test_a_session_reaches_the_store_through_hooks_and_the_worker(machine: FakeMachine) -> None:
    prompt = "Always use tabs – in Go files ✓"
    for event in ("SessionStart", "UserPromptSubmit", "SessionEnd"):
        payload = {"session_id": "s1", "cwd": str(machine.project), "prompt": prompt}
        text = MARK + json.dumps(payload, ensure_ascii=False).encode()
        machine.python("-c", HOOK, "claude", event, stdin=text)
    spool = next((machine.data / "spool").iterdir())
    wait_until(
        lambda: not [path for path in spool.iterdir() if path.suffix in (".open", ".sealed")], "not drained"
    )
    assert not (machine.data / "failures.log").exists()
    assert [session["turns"] for session in json.loads(machine.command("session", "list", "--json"))] == [1]


def test_what_is_piped_in_and_printed_is_utf_8_whatever_the_code_page(machine: FakeMachine) -> None:
    machine.command("add", "-", stdin=(MARK if machine.system == "win32" else b"") + RULE.encode())
    memories = machine.command("list")
    assert f"  {RULE}".encode() in memories
    assert b"\r" not in memories
