"""The program: what it records, what it leaves alone, and that it never fails."""

import json
import os
from pathlib import Path

import pytest

from holdfast.agents import spool
from holdfast.interfaces.hooks import respond
from holdfast.interfaces.hooks.respond import load_settings
from holdfast.machine import environment, paths
from tests.hooking import hook, prompt, reply, traces, waiting
from tests.interfaces.hooks.conftest import init_git
from tests.interfaces.hooks.recorded import recorded
from tests.rows import each


def test_what_is_said_goes_to_the_spool_and_nothing_is_printed(repository: Path) -> None:
    assert hook("claude", "UserPromptSubmit", prompt(repository, "Use teal.")).silent
    assert hook("claude", "Stop", reply(repository, "Teal it is.")).silent
    assert waiting(repository) == [
        {"kind": "prompt", "session": "s1", "role": "user", "text": "Use teal."},
        {"kind": "reply", "session": "s1", "role": "assistant", "text": "Teal it is."},
    ]
    assert traces() == []
    assert not (repository / ".holdfast").exists(), "the store is the worker's business"


@each(
    "client, event, text",
    [
        ("claude", "UserPromptSubmit", "FAILTOOL now"),
        ("codex", "UserPromptSubmit", "please remember the zebra"),
        ("gemini", "BeforeAgent", "please remember the zebra"),
        ("copilot", "userPromptSubmitted", "please remember the zebra"),
        ("opencode", "chat.message", "please remember the zebra"),
    ],
    fresh={"repository": init_git},
)
def test_a_recorded_prompt_of_every_client_is_recorded(
    repository: Path, client: str, event: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The directories in the recordings are not here, so that the hook's own counts."""
    monkeypatch.setenv("HOLDFAST_BRIEF_NUDGE", "no")
    assert hook(client, event, recorded(client, event)[0], cwd=repository).silent
    assert [entry["text"] for entry in waiting(repository)] == [text]


def test_a_secret_never_reaches_the_disk(repository: Path) -> None:
    secret = "ghp_" + "x7Kq2mNp9RsT4vWyZ1aBcD3eFgH5iJ6kLmNo"[:36]
    call = {"tool_name": "Bash", "tool_input": {"command": f"curl -H 'Authorization: {secret}'"}}
    hook("claude", "UserPromptSubmit", prompt(repository, f"my token is {secret} ok"))
    hook("claude", "PostToolUse", prompt(repository, "") | call | {"tool_response": f"token {secret}"})
    kept = [entry["text"] for entry in waiting(repository)]
    assert len(kept) == 2
    data = Path(paths.data_directory())
    assert [path for path in data.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()] == []


def test_private_blocks_are_dropped_even_across_messages(repository: Path) -> None:
    hook("claude", "UserPromptSubmit", prompt(repository, "Public. <private>hidden one", key="p1"))
    hook(
        "claude",
        "PostToolUse",
        prompt(repository, "", key="p1") | {"tool_name": "Bash", "tool_response": "hidden"},
    )
    hook("claude", "Stop", reply(repository, "hidden two </private> shown", key="p1"))
    assert [entry["text"] for entry in waiting(repository)] == ["Public.", "shown"]


def test_a_private_block_that_two_hooks_are_told_of_opens_once(repository: Path) -> None:
    for _ in range(2):
        hook("claude", "UserPromptSubmit", prompt(repository, "Public. <private>hidden", key="p1"))
    hook("claude", "Stop", reply(repository, "hidden </private> shown", key="p1"))
    hook("claude", "UserPromptSubmit", prompt(repository, "Public again.", key="p2"))
    assert [entry["text"] for entry in waiting(repository)] == ["Public.", "shown", "Public again."]


def test_memory_that_was_injected_or_looked_up_is_not_recorded_again(repository: Path) -> None:
    ours = '<project_memory nonce="1f">\n<entry>teal</entry>\n</project_memory>'
    hook("claude", "UserPromptSubmit", prompt(repository, f"{ours}\nGo on."))
    call = {"tool_name": "mcp__holdfast__memory_search", "tool_input": {"query": "x"}, "tool_response": "teal"}
    assert hook("claude", "PostToolUse", prompt(repository, "") | call).silent
    assert [entry["text"] for entry in waiting(repository)] == ["Go on."]


def test_a_session_without_git_and_without_a_store_leaves_no_trace(project: Path) -> None:
    assert hook("claude", "UserPromptSubmit", prompt(project, "Use teal.")).silent
    assert not os.path.exists(spool.folder_of(str(project)))
    assert traces() == []


def test_a_home_directory_under_git_is_left_alone(repository: Path) -> None:
    assert hook("claude", "UserPromptSubmit", prompt(repository, "Use teal."), HOME=str(repository)).silent
    assert waiting(repository) == []


def test_linked_worktrees_share_a_spool(repository: Path, tmp_path: Path) -> None:
    import subprocess

    for command in (
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
        ["git", "worktree", "add", "-q", str(tmp_path / "linked")],
    ):
        subprocess.run(command, cwd=repository, check=True)
    hook("claude", "UserPromptSubmit", prompt(tmp_path / "linked", "Use teal."))
    assert [entry["text"] for entry in waiting(repository)] == ["Use teal."]


@pytest.mark.parametrize("how", ["variable", "pause", "pause everywhere", "opt-out", "switch"])
def test_switched_off_nothing_is_recorded(repository: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "variable":
        monkeypatch.setenv("HOLDFAST_DISABLE", "1")
    if how.startswith("pause"):
        environment.pause(None if how.endswith("everywhere") else str(repository))
    elif how == "opt-out":
        (repository / ".holdfast").mkdir()
        (repository / ".holdfast" / "config.toml").write_text("[project]\nenabled = false\n")
    elif how == "switch":
        monkeypatch.setenv("HOLDFAST_HOOKS_PROMPT", "off")
    assert hook("claude", "UserPromptSubmit", prompt(repository, "Use teal.")).silent
    assert waiting(repository) == []
    assert traces() == []


def test_each_hook_has_a_switch_of_its_own(repository: Path) -> None:
    """In the user's settings, which a hook reads from a compiled copy from the second time on."""
    config = Path(paths.config_directory())
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[hooks]\nreply = false\n")
    for key in ("p1", "p2"):
        hook("claude", "UserPromptSubmit", prompt(repository, f"Use {key}.", key=key))
        hook("claude", "Stop", reply(repository, "Fine.", key=key))
    assert [entry["text"] for entry in waiting(repository)] == ["Use p1.", "Use p2."]
    [copy] = (Path(paths.data_directory()) / "settings").iterdir()
    assert '"hooks.reply": false' in copy.read_text()


def test_settings_that_cannot_be_used_switch_hooks_off_and_are_in_the_log(repository: Path) -> None:
    config = Path(paths.config_directory())
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[hooks]\ninject = "always"\n')
    assert hook("claude", "UserPromptSubmit", prompt(repository, "Use teal.")).silent
    assert waiting(repository) == []
    [problem] = traces()
    assert "must be one of off, first, new, every" in problem


def test_a_copy_of_the_settings_that_says_what_is_wrong_in_no_known_form_is_made_anew(repository: Path) -> None:
    """Memory is switched off here, and one key more is mistyped: nothing is recorded whatever an old copy says."""
    config = Path(paths.config_directory())
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[project]\nenabled = false\nunknown = 1\n")
    hook("claude", "UserPromptSubmit", prompt(repository, "Use teal."))
    [copy] = (Path(paths.data_directory()) / "settings").iterdir()
    copy.write_text('{"error": "project.unknown is no setting"}')
    assert hook("claude", "UserPromptSubmit", prompt(repository, "Use red.", key="p2")).silent
    assert waiting(repository) == []
    assert [problem for problem in traces() if "project.unknown" not in problem] == []
    assert len(traces()) == 2
    assert isinstance(json.loads(copy.read_text())["error"], dict)


def test_a_copy_of_the_settings_is_not_read_by_another_version(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_HOOKS_REPLY", "false")
    assert load_settings(str(repository))["hooks.reply"] is False
    monkeypatch.setattr(respond, "__version__", "0.0.9")
    monkeypatch.setattr(respond, "compile_settings", lambda root: {"hooks.reply": True})
    assert load_settings(str(repository))["hooks.reply"] is True
    assert len(list((Path(paths.data_directory()) / "settings").iterdir())) == 2


@each(
    "client, event, raw, problem",
    [
        ("claude", "UserPromptSubmit", b"{nonsense", "JSONDecodeError"),
        ("claude", "UserPromptSubmit", b"", "JSONDecodeError"),
        ("claude", "UserPromptSubmit", b'{"prompt": "x"}', "nothing in the payload tells of a session"),
        ("claude", "SomethingNew", b"{}", "unknown event"),
        ("emacs", "SessionStart", b"{}", "unknown client"),
        ("", "", b"", "unknown client"),
    ],
)
def test_what_cannot_be_understood_is_passed_over_with_a_trace(
    client: str, event: str, raw: bytes, problem: str
) -> None:
    before = len(traces())
    assert hook(client, event, raw).silent
    [trace] = traces()[before:]
    assert trace.startswith(problem)


def test_an_error_in_the_log_never_quotes_a_payload(repository: Path) -> None:
    hook("claude", "UserPromptSubmit", b'{"prompt": "my secret word')
    hook(
        "claude",
        "UserPromptSubmit",
        {"session_id": "s", "cwd": "x\0y", "prompt": "my secret word"},
        cwd=repository,
    )
    log = (Path(paths.data_directory()) / "failures.log").read_text()
    assert "secret word" not in log


def test_an_event_may_be_written_in_any_case(repository: Path) -> None:
    assert hook("claude", "userpromptsubmit", prompt(repository, "Use teal.")).silent
    assert len(waiting(repository)) == 1
