"""`/forget …` typed in a client: obeyed once as the user's word, and recorded nowhere, nor what is answered."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.agents.events import without_additions
from holdfast.slash import proven
from holdfast.storage.drain import drain
from holdfast.storage.open import open_service
from tests.hooking import hook, prompt, reply, traces, waiting
from tests.interfaces.hooks.conftest import init_git
from tests.rows import each

RULE = "The Zanzibar importer waits for the Quokka job"
ANSWERED = (
    "holdfast has done what the user asked for; above is what it says. Pass that on to them, and do nothing else."
)
CLI = Path(sys.executable).with_name("holdfast")


def everything(*places: Path) -> bytes:
    """Return every byte below some places, in lower case."""
    return b"".join(path.read_bytes() for place in places for path in place.rglob("*") if path.is_file()).lower()


@each(
    "client, event, typed",
    [
        ("claude", "UserPromptSubmit", "/forget the zanzibar importer"),
        ("claude", "UserPromptSubmit", "/holdfast:forget the zanzibar importer"),
        ("claude", "UserPromptSubmit", "/mcp__holdfast__forget the zanzibar importer"),
        ("codex", "UserPromptSubmit", "$forget the zanzibar importer"),
        ("gemini", "BeforeAgent", "/forget the zanzibar importer"),
        ("copilot", "userPromptSubmitted", "/forget the zanzibar importer"),
        ("cursor", "beforeSubmitPrompt", "/forget the zanzibar importer"),
    ],
    fresh={"repository": init_git},
)
def test_the_words_are_nowhere_and_the_command_is_proven_once(
    repository: Path, tmp_path: Path, client: str, event: str, typed: str
) -> None:
    """Before it is taken in and afterwards."""
    payload = {**prompt(repository, typed), "conversation_id": "s1"}
    if client == "copilot":
        payload = {"sessionId": "s1", "cwd": str(repository), "prompt": typed, "timestamp": 1_800_000_000_000}
    for _ in range(1 if client == "cursor" else 2):  # by the settings, and by a plugin; Cursor names no prompt
        assert hook(client, event, payload, repository).silent
    assert b"zanzibar" not in everything(tmp_path)
    with closing(open_service(repository, actor="cli")) as service:
        assert not proven(service, "/forget the quokka job")
        assert not proven(service, "/pin the zanzibar importer")
    assert drain(str(repository)) == 1
    with closing(open_service(repository, actor="cli")) as service:
        assert proven(service, "/forget the Zanzibar  importer")
        assert not proven(service, "/forget the zanzibar importer"), "it was typed once"
        assert [turn for one in service.sessions() for turn in service.turns(one.id)] == []
    assert b"zanzibar" not in everything(tmp_path)
    assert traces() == []


def test_opencode_tells_of_what_our_command_made_of_it(repository: Path) -> None:
    said = (
        "The user ran /forget, and holdfast has done it. Tell them what it says, no more:\n\nForgotten 1f2e3d4c."
    )
    message = {"message": {"id": "m1", "time": {"created": 1}}, "parts": [{"type": "text", "text": said}]}
    assert hook("opencode", "chat.message", [{"sessionID": "s1"}, message], repository).silent
    assert waiting(repository) == []


@each(
    "made, left",
    [
        ("A command of holdfast, which the user typed. Its plugin runs it.\n\n/forget it all", "/forget it all"),
        (f"Forgotten 1f2e3d4c: 1 memory.\n\n{ANSWERED}\n", ""),
        ("We say: and holdfast has done it. Tell them what it says, no more: fine", None),
    ],
)
def test_what_our_own_commands_become_is_nobodys_word(made: str, left: str | None) -> None:
    assert without_additions(made) == (made if left is None else left)


def test_the_answer_to_it_is_not_recorded_and_what_is_said_next_is(repository: Path) -> None:
    hook("claude", "UserPromptSubmit", prompt(repository, "/forget zanzibar"), repository)
    shell = {
        "tool_name": "Bash",
        "tool_input": {"command": "grep zanzibar"},
        "tool_response": {"stdout": "zanzibar"},
    }
    payload = {"session_id": "s1", "cwd": str(repository), "tool_use_id": "t1", **shell}
    hook("claude", "PostToolUse", payload, repository)
    hook("claude", "Stop", reply(repository, "I forgot the zanzibar importer."), repository)
    hook("claude", "UserPromptSubmit", prompt(repository, "Now fix the tests.", key="p2"), repository)
    hook("claude", "Stop", reply(repository, "Fixed.", key="p2"), repository)
    assert [entry["text"] for entry in waiting(repository) if "text" in entry] == ["Now fix the tests.", "Fixed."]


def test_what_was_said_before_it_in_one_message_is_kept(repository: Path) -> None:
    hook("claude", "UserPromptSubmit", prompt(repository, "Rename foo.\n/forget zanzibar"), repository)
    hook("claude", "Stop", reply(repository, "Renamed."), repository)
    assert [entry["text"] for entry in waiting(repository)] == ["Rename foo.", "Renamed."]


@each(
    "text",
    ["How does the /forget command work?", "See docs/forget for it", "Forget it."],
    fresh={"repository": init_git},
)
def test_a_message_that_only_speaks_of_it_is_recorded(repository: Path, text: str) -> None:
    hook("claude", "UserPromptSubmit", prompt(repository, text), repository)
    assert [entry["text"] for entry in waiting(repository)] == [text]


def test_a_command_typed_in_a_client_forgets_as_the_users_own_word(repository: Path, tmp_path: Path) -> None:
    """The agent runs it, with its marks in the environment; nothing of it is left, nor in the next brief."""
    with Holdfast.open(repository) as memory:
        memory.add(RULE, trust="user")
    hook("claude", "UserPromptSubmit", prompt(repository, "/forget the zanzibar importer"), repository)
    done = subprocess.run(
        [CLI, "slash", "/forget the zanzibar importer"],
        cwd=repository,
        env=os.environ | {"CLAUDECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("Forgotten "), done.stdout
    assert "anzibar" not in done.stdout
    told = hook(
        "claude", "SessionStart", {"session_id": "s2", "cwd": str(repository), "source": "startup"}, repository
    )
    assert "anzibar" not in told.out
    assert spool.waiting_entries(str(repository))
    assert b"zanzibar" not in everything(tmp_path)
