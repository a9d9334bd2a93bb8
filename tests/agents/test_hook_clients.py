"""What each client tells its hooks, read from payloads that the real clients sent."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from holdfast.agents import claude, codex, copilot, cursor, gemini, opencode
from holdfast.agents import events as moments
from holdfast.agents.events import CLIENTS
from tests.interfaces.hooks.recorded import SHOP, events, plain, recorded
from tests.rows import each

MODULES = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "copilot": copilot,
    "cursor": cursor,
}
RECORDED = [
    (name, event)
    for name in ("claude", "codex", "gemini", "opencode", "copilot", "copilot_user")
    for event in events(name)
]


def module_of(name: str) -> ModuleType:
    """Return the module of a client, or of one of its two ways to be told."""
    return MODULES[name.removesuffix("_user")]


def test_there_is_a_module_for_every_client() -> None:
    assert tuple(MODULES) == CLIENTS


@each("name, event", RECORDED)
def test_every_recorded_payload_of_an_event_we_know_tells_of_a_session(name: str, event: str) -> None:
    """And the payloads of every other event are passed over."""
    module = module_of(name)
    known = event.removeprefix("event_") in module.EVENTS or name == "copilot_user"
    for payload in recorded(name, event):
        moment = module.moment(event, payload)
        assert (moment is not None) == known
        assert moment is None or moment.session


@each("name", CLIENTS)
@each("payload", [None, 3, "text", [], {}, [[]], [{}], {"session_id": 3, "prompt": {}}])
def test_a_payload_of_any_other_form_tells_of_nothing(name: str, payload: object) -> None:
    module = MODULES[name]
    assert {event: module.moment(event, payload) for event in module.EVENTS} == dict.fromkeys(module.EVENTS)


def test_claude_tells_of_a_prompt_a_tool_and_a_reply() -> None:
    session = "51e71b27-4715-468b-9503-052a85e5e747"
    prompt = claude.moment("UserPromptSubmit", recorded("claude", "UserPromptSubmit")[0])
    tool = claude.moment("PostToolUse", recorded("claude", "PostToolUse")[2])
    failed = claude.moment("PostToolUseFailure", recorded("claude", "PostToolUseFailure")[1])
    reply = claude.moment("Stop", recorded("claude", "Stop")[0])
    where = {"session": session, "cwd": SHOP}
    assert plain(prompt) == where | {
        "kind": moments.PROMPT,
        "key": "d081f604-d534-4216-b62f-106c2a703d25",
        "text": "FAILTOOL now",
    }
    assert plain(tool) == {
        "kind": moments.TOOL,
        "session": "8e7d9560-971f-4eb6-a4df-d74f394c631b",
        "cwd": SHOP,
        "key": "toolu_1794724644410639a40a4bcda112f844e",
        "tool": "Bash",
        "text": "$ echo hi-from-bash\nhi-from-bash",
        "ref": "toolu_1794724644410639",
    }
    assert plain(failed) == where | {
        "kind": moments.TOOL,
        "key": "toolu_1794724637000314",
        "tool": "Read",
        "text": '{"file_path": "/nonexistent/x"}\n'
        "File does not exist. Note: your current working directory is " + SHOP + ".",
        "files": ("/nonexistent/x",),
        "ref": "toolu_1794724637000314",
    }
    assert plain(reply) == where | {
        "kind": moments.REPLY,
        "key": "d081f604-d534-4216-b62f-106c2a703d25",
        "text": "All done.",
    }


def test_claude_tells_how_a_session_began() -> None:
    found = [claude.moment("SessionStart", payload) for payload in recorded("claude", "SessionStart")]
    assert [moment.source for moment in found if moment] == ["startup", "resume", "compact"]


def test_a_subagents_reply_is_another_event_than_the_agents_own() -> None:
    own = claude.moment("Stop", recorded("claude", "Stop")[1])
    sub = claude.moment("SubagentStop", recorded("claude", "SubagentStop")[0])
    assert own
    assert sub
    assert own.text == sub.text
    assert own.key != sub.key


def test_codex_names_a_tool_call_by_its_turn_as_well() -> None:
    """Its calls are numbered, and the numbers begin again."""
    tool = codex.moment("PostToolUse", recorded("codex", "PostToolUse")[0])
    assert plain(tool) == {
        "kind": moments.TOOL,
        "session": "01a1dded-4577-7a60-a314-8196c26c4b49",
        "cwd": SHOP,
        "key": "call_0",
        "tool": "Bash",
        "text": "$ echo hi-from-codex\nhi-from-codex\n",
        "ref": "01a1dded-4610-75a2-8933-c3d7df38bd2a/call_0",
    }


def test_codex_wraps_the_whole_answer_of_a_server_and_its_text_is_found() -> None:
    tool = codex.moment("PostToolUse", recorded("codex", "PostToolUse")[1])
    assert tool
    assert tool.text.startswith('{"query": "hooks"}\n{\n  "query": "hooks"')


def test_gemini_gives_the_time_of_an_event_and_shows_a_tools_answer_once() -> None:
    tool = gemini.moment("AfterTool", recorded("gemini", "AfterTool")[0])
    assert tool
    assert tool.at == 1794724735678
    assert tool.text == (
        "$ echo hi-from-gemini\n"
        "<untrusted_context>\nOutput: hi-from-gemini\nProcess Group PGID: 18588\n</untrusted_context>"
    )


def test_gemini_announces_a_compression_on_every_turn_so_it_means_nothing() -> None:
    assert gemini.moment("PreCompress", recorded("gemini", "PreCompress")[0]) is None


def test_opencode_hands_over_what_its_plugin_was_given() -> None:
    session = "ses_e2210e7f1ffeLmQPQx6ntcKGcr"
    start = opencode.moment("session.created", recorded("opencode", "event_session.created")[0])
    prompt = opencode.moment("chat.message", recorded("opencode", "chat.message")[0])
    tool = opencode.moment("tool.execute.after", recorded("opencode", "tool.execute.after")[0])
    reply = opencode.moment("experimental.text.complete", recorded("opencode", "experimental.text.complete")[0])
    assert plain(start) == {
        "kind": moments.START,
        "session": session,
        "cwd": SHOP,
        "at": 1794724796431,
        "source": "startup",
    }
    assert plain(prompt) == {
        "kind": moments.PROMPT,
        "session": session,
        "at": 1794724796946,
        "key": "msg_1ddef1a12001Q3QlukrnM7nYFc",
        "text": "please remember the zebra",
    }
    assert plain(tool) == {
        "kind": moments.TOOL,
        "session": session,
        "key": "call_0",
        "tool": "bash",
        "text": "$ echo hi-from-oc\nhi-from-oc\n",
        "ref": "call_0",
    }
    assert plain(reply) == {
        "kind": moments.REPLY,
        "session": session,
        "key": "prt_1ddef4a77001kYp5CTgSf4xcp7",
        "text": "All done.",
    }


def test_a_session_that_opencode_began_for_a_subagent_is_passed_over() -> None:
    [[event]] = json.loads(json.dumps(recorded("opencode", "event_session.created")))
    event["properties"]["info"]["parentID"] = "ses_parent"
    assert opencode.moment("session.created", [event]) is None


def test_what_opencode_added_to_a_prompt_is_left_out() -> None:
    [given, made] = json.loads(json.dumps(recorded("opencode", "chat.message")[0]))
    made["parts"].append({"type": "text", "text": "Called the Read tool", "synthetic": True})
    moment = opencode.moment("chat.message", [given, made])
    assert moment
    assert moment.text == "please remember the zebra"


def test_copilot_is_read_in_both_of_its_ways() -> None:
    camel = copilot.moment("postToolUse", recorded("copilot", "postToolUse")[0])
    pascal = copilot.moment("PostToolUse", recorded("copilot_user", "PostToolUse")[0])
    shown = "$ echo hi-from-oc\nhi-from-oc\n<shellId: 0 completed with exit code 0>"
    common = {"kind": moments.TOOL, "session": "65127904-edbc-4848-8a7b-7b30f644484e", "cwd": SHOP}
    assert plain(camel) == common | {"at": 1794724886757, "key": "1794724886757", "tool": "bash", "text": shown}
    assert plain(pascal) == common | {
        "at": 1794724886757,
        "key": "2026-11-15T06:41:26.757Z",
        "tool": "Bash",
        "text": shown,
    }


COPILOTS_LOG: list[dict[str, object]] = [
    {"type": "user.message", "data": {"content": "first"}},
    {"type": "assistant.message", "data": {"content": "Earlier."}},
    {"type": "hook.start", "data": {"hookType": "agentStop", "input": {"timestamp": 1794724880000}}},
    {"type": "user.message", "data": {"content": "second"}},
    {"type": "assistant.message", "data": {"content": "Use teal."}},
    {"type": "assistant.message", "data": {"content": "", "toolRequests": [{"name": "bash"}]}},
    {"type": "hook.start", "data": {"hookType": "agentStop", "input": {"timestamp": 1794724888673}}},
]


def write_log(log: Path, lines: Sequence[object]) -> None:
    log.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def copilots_reply(log: Path) -> str:
    payload = {"sessionId": "s", "timestamp": 1794724888673, "transcriptPath": str(log)}
    moment = copilot.moment("agentStop", payload)
    assert moment
    return moment.text


def test_copilots_reply_is_read_from_the_end_of_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copilot, "LOG_WAIT_S", 0.0)
    log = tmp_path / "events.jsonl"
    write_log(log, COPILOTS_LOG)
    assert copilots_reply(log) == "Use teal."
    write_log(log, COPILOTS_LOG[:4])
    assert copilots_reply(log) == "", "what was said before the last prompt is another turn"
    log.unlink()
    assert copilots_reply(log) == ""


def test_copilots_log_is_waited_for_until_it_has_this_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copilot writes behind its events: the log may be missing, or end with the turn before."""
    log = tmp_path / "events.jsonl"
    written = iter([COPILOTS_LOG[:3], COPILOTS_LOG[:3], COPILOTS_LOG])
    monkeypatch.setattr(time, "sleep", lambda _: write_log(log, next(written)))
    assert copilots_reply(log) == "Use teal."


def test_cursor_is_read_as_its_makers_document_it() -> None:
    base = {"conversation_id": "c1", "generation_id": "g1", "workspace_roots": ["/srv/shop"]}
    prompt = cursor.moment("beforeSubmitPrompt", base | {"prompt": "Use teal."})
    reply = cursor.moment("afterAgentResponse", base | {"text": "Done."})
    call = {
        "tool_name": "Shell",
        "tool_input": {"command": "ls"},
        "tool_output": '{"stdout": "a"}',
        "tool_use_id": "t1",
    }
    tool = cursor.moment("postToolUse", base | call)
    where = {"session": "c1", "cwd": "/srv/shop"}
    assert plain(prompt) == where | {"kind": moments.PROMPT, "key": "g1", "text": "Use teal."}
    assert plain(reply) == where | {"kind": moments.REPLY, "key": "g1", "text": "Done."}
    assert plain(tool) == where | {
        "kind": moments.TOOL,
        "key": "t1",
        "tool": "Shell",
        "text": '$ ls\n{"stdout": "a"}',
        "ref": "t1",
    }


def test_files_that_a_patch_touches_are_found() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n*** Add File: src/b.py\n*** End Patch"
    payload = {
        "session_id": "s",
        "tool_name": "apply_patch",
        "tool_input": {"command": patch},
        "tool_response": "ok",
    }
    moment = codex.moment("PostToolUse", payload)
    assert moment
    assert moment.files == ("src/a.py", "src/b.py")


def test_each_client_is_answered_in_its_own_form() -> None:
    answers = {name: MODULES[name].answer("SessionStart", 'a "brief"', "") for name in CLIENTS if name != "cursor"}
    specific = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": 'a "brief"'}}
    assert {name: json.loads(answers[name]) for name in ("claude", "codex", "gemini")} == dict.fromkeys(
        ("claude", "codex", "gemini"), specific
    )
    assert json.loads(answers["copilot"]) == {"additionalContext": 'a "brief"'}
    assert answers["opencode"] == 'a "brief"'
    assert json.loads(cursor.answer("sessionStart", "a brief", "")) == {"additional_context": "a brief"}
    assert cursor.answer("beforeSubmitPrompt", "a brief", "") == ""


SIGN = "holdfast: 3 rules told, 1 learnt"


def test_a_sign_stands_where_the_client_shows_it_to_the_person_and_not_to_the_model() -> None:
    specific = {"hookEventName": "SessionStart", "additionalContext": "a brief"}
    for name in ("claude", "codex", "gemini"):
        assert json.loads(MODULES[name].answer("SessionStart", "a brief", SIGN)) == {
            "hookSpecificOutput": specific,
            "systemMessage": SIGN,
        }
        assert json.loads(MODULES[name].answer("SessionStart", "", SIGN)) == {"systemMessage": SIGN}
    lines = copilot.answer("sessionStart", "a brief", SIGN).splitlines()
    assert [json.loads(line) for line in lines] == [
        {"type": "progress", "message": SIGN},
        {"additionalContext": "a brief"},
    ]
    assert json.loads(copilot.answer("sessionStart", "", SIGN)) == {"type": "progress", "message": SIGN}
    assert json.loads(opencode.answer("session.created", "a brief", SIGN)) == {"brief": "a brief", "sign": SIGN}


@each(
    "version, shows",
    [("1.0.102", True), ("1.0.55", True), ("1.0.55-3", True), ("1.0.54", False), ("0.0.342", False), ("", False)],
)
def test_a_copilot_that_knows_no_progress_of_hooks_gets_no_sign(
    version: str, shows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take both lines for one answer, and neither for a brief."""
    monkeypatch.setenv("COPILOT_CLI_BINARY_VERSION", version)
    assert copilot.shows_sign("sessionStart", ()) is shows


def test_signs_are_for_clients_that_show_them() -> None:
    shown = {name for name in CLIENTS if MODULES[name].shows_sign("SessionStart", ())}
    assert shown == {"claude", "codex", "gemini"}
    assert opencode.shows_sign("session.created", ("sign",)), "the plugin of this version says that it does"
    assert not cursor.shows_sign("sessionStart", ("sign",))
