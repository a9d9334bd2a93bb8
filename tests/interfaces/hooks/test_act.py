"""Before a tool call a rule is told, a guard asks or refuses; afterwards it is counted what became of the call."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.model.requests import Draft
from holdfast.recall.act import match
from holdfast.service.rules import RuleRecord
from holdfast.storage.open import CLI, open_service
from tests.hooking import drained, hook, traces, waiting

RULE = "We use bun here, never npm install"
INSTALL: Mapping[str, object] = {"command": "npm install left-pad"}


def call(project: Path, arguments: Mapping[str, object], tool: str = "Bash", key: str = "t1") -> dict[str, object]:
    """Return Claude Code's payload for a tool call."""
    return {
        "session_id": "s1",
        "cwd": str(project),
        "tool_name": tool,
        "tool_input": arguments,
        "tool_use_id": key,
        "tool_response": "done",
    }


def before(project: Path, arguments: Mapping[str, object], tool: str = "Bash", key: str = "t1") -> dict[str, str]:
    """Run the hook before a call; return what it says to Claude Code."""
    done = hook("claude", "PreToolUse", call(project, arguments, tool, key))
    assert (done.code, done.err) == (0, "")
    return dict(json.loads(done.out)["hookSpecificOutput"]) if done.out else {}


def after(project: Path, arguments: Mapping[str, object], key: str = "t1") -> None:
    """Run the hook after a call."""
    assert hook("claude", "PostToolUse", call(project, arguments, key=key)).silent


def remember(project: Path, text: str = RULE, **fields: object) -> str:
    """Remember a rule as a person would; return its id."""
    with Holdfast.open(project) as memory:
        return str(memory.add(text, **({"trust": "user", "kind": "preference"} | fields)).id)  # type: ignore[arg-type]  # add's names


def guard(project: Path, rule: str, **fields: object) -> str:
    """Guard a rule as a person at the command line would; return its id."""
    service = open_service(project, CLI)
    try:
        service.check_on()
        return service.acts.add_guard(rule, dict(fields)).id
    finally:
        service.close()


def record(project: Path, rule_id: str) -> RuleRecord:
    """Take in what hooks saw, and return what is known of a rule."""
    drained(project)
    service = open_service(project, CLI)
    try:
        return next(one for one in service.rules.records(everything=True) if one.id == rule_id)
    finally:
        service.close()


def test_a_rule_is_told_once_a_session_beside_the_call_that_it_touches(repository: Path) -> None:
    known = remember(repository)
    said = before(repository, INSTALL)
    assert said["hookEventName"] == "PreToolUse"
    assert f"(#{known[-8:]}): {RULE}." in said["additionalContext"]
    assert "permissionDecision" not in said
    assert before(repository, {"command": "npm install right-pad"}, key="t2") == {}


def test_a_rule_is_told_again_once_the_context_was_compacted(repository: Path) -> None:
    remember(repository)
    before(repository, INSTALL)
    hook("claude", "PreCompact", {"session_id": "s1", "cwd": str(repository), "trigger": "auto"})
    assert RULE in before(repository, INSTALL)["additionalContext"]


def test_only_what_a_person_said_is_told(repository: Path) -> None:
    with Holdfast.open(repository) as memory:
        memory.add("Never run npm install", trust="agent", kind="preference")
        memory.add("Never run npm install please", trust="tool", kind="preference")
        memory.add(
            "Never, ever run npm install",
            trust="imported",
            kind="preference",
            metadata={"guard": {"strength": "deny"}},
        )
    assert before(repository, INSTALL) == {}


def test_a_forgotten_rule_is_told_no_more_and_its_words_are_gone(repository: Path) -> None:
    known = remember(repository)
    with Holdfast.open(repository) as memory:
        memory.forget(known)
    assert before(repository, INSTALL) == {}
    assert b"bun" not in Path(match.file_of(str(repository))).read_bytes()


def test_a_call_that_ran_although_a_rule_was_told_counts_as_broken(repository: Path) -> None:
    known = remember(repository)
    before(repository, INSTALL)
    after(repository, INSTALL)
    after(repository, INSTALL)
    one = record(repository, known)
    assert (one.told, one.kept, one.broken) == (1, 0, 1)


def test_a_call_that_never_ran_or_ran_otherwise_counts_as_kept(repository: Path) -> None:
    known = remember(repository)
    before(repository, INSTALL)
    after(repository, {"command": "bun add left-pad"})
    one = record(repository, known)
    assert (one.told, one.kept, one.broken) == (1, 1, 0)


def test_a_guard_has_the_person_asked(repository: Path) -> None:
    guard(repository, remember(repository), commands=["npm install|i"])
    said = before(repository, {"command": "cd web && npm i left-pad"})
    assert said["permissionDecision"] == "ask"
    assert RULE in said["permissionDecisionReason"]
    assert before(repository, {"command": "echo npm install"}) == {}


def test_a_refused_call_passes_when_it_is_said_again_and_is_counted(repository: Path) -> None:
    known = guard(repository, remember(repository), strength="deny", commands=["npm install"])
    assert before(repository, INSTALL)["permissionDecision"] == "deny"
    assert before(repository, {"command": "npm install another"})["permissionDecision"] == "deny"
    assert "permissionDecision" not in before(repository, INSTALL)
    after(repository, INSTALL)
    one = record(repository, known)
    assert (one.told, one.refused, one.passed, one.broken, one.kept) == (2, 2, 1, 1, 1)


def test_a_hard_guard_refuses_again_and_again(repository: Path) -> None:
    guard(repository, remember(repository), strength="deny", hard=True, commands=["npm install"])
    assert [before(repository, INSTALL)["permissionDecision"] for _ in range(3)] == ["deny"] * 3


def test_a_pattern_becomes_a_rule_of_its_own(repository: Path) -> None:
    remember(repository, "The logo is teal")
    guard(repository, "git push --force|-f", strength="deny")
    said = before(repository, {"command": "git push -f origin main"})
    assert "Do not run `git push --force|-f`" in said["permissionDecisionReason"]


def test_a_client_that_cannot_ask_refuses_once_and_says_whom_to_ask(repository: Path) -> None:
    guard(repository, remember(repository), commands=["npm install"])
    said = json.loads(hook("codex", "PreToolUse", call(repository, INSTALL)).out)["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert "Ask the user first" in said["permissionDecisionReason"]
    assert hook("codex", "PreToolUse", call(repository, INSTALL)).silent


def test_a_client_that_takes_nothing_before_a_call_is_told_after_it(repository: Path) -> None:
    remember(repository)
    payload = call(repository, INSTALL)
    assert hook("gemini", "BeforeTool", payload).silent
    said = json.loads(hook("gemini", "AfterTool", payload).out)["hookSpecificOutput"]
    assert RULE in said["additionalContext"]
    assert hook("gemini", "AfterTool", payload).silent


def test_the_first_look_at_a_file_tells_what_memory_knows_of_it(repository: Path) -> None:
    (repository / "pay.py").write_text("x = 1\n")
    remember(repository, "The bank rounds half to even", kind="fact", files=("pay.py",))
    said = before(repository, {"file_path": str(repository / "pay.py")}, tool="Read")
    assert said["additionalContext"].startswith("Project memory on pay.py: The bank rounds half to even")
    assert before(repository, {"file_path": "pay.py"}, tool="Read") == {}
    assert before(repository, {"file_path": "other.py"}, tool="Read") == {}


def test_what_is_known_of_files_can_be_switched_off(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(repository, "The bank rounds half to even", kind="fact", files=("pay.py",))
    monkeypatch.setenv("HOLDFAST_HOOKS_FILES", "false")
    assert before(repository, {"file_path": "pay.py"}, tool="Read") == {}


def test_the_hook_can_be_switched_off(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(repository)
    monkeypatch.setenv("HOLDFAST_HOOKS_ACT", "false")
    assert before(repository, INSTALL) == {}


def test_a_payload_that_cannot_be_read_lets_the_call_pass_and_leaves_a_trace(repository: Path) -> None:
    remember(repository)
    assert hook("claude", "PreToolUse", b'{"session_id": "s1", "tool_', cwd=repository).silent
    assert len(traces()) == 1


def test_a_damaged_file_of_rules_lets_the_call_pass_and_leaves_a_trace(repository: Path) -> None:
    remember(repository)
    compiled_file = Path(match.file_of(str(repository)))
    compiled_file.write_bytes(compiled_file.read_bytes()[:-7])
    assert before(repository, INSTALL) == {}
    assert len(traces()) == 1


def test_a_session_ends_with_a_line_of_how_rules_were_kept(repository: Path) -> None:
    remember(repository)
    before(repository, INSTALL)
    after(repository, INSTALL)
    done = hook("claude", "SessionEnd", {"session_id": "s1", "cwd": str(repository), "reason": "exit"})
    assert json.loads(done.out) == {"systemMessage": "holdfast: 1 told at the act, 0 kept, 1 broken"}


def test_a_rule_that_was_broken_twice_is_offered_a_guard(repository: Path) -> None:
    known = remember(repository)
    for number in range(2):
        payload = {**call(repository, INSTALL), "session_id": f"s{number}"}
        hook("claude", "PreToolUse", payload)
        hook("claude", "PostToolUse", payload)
    drained(repository)
    with Holdfast.open(repository) as memory:
        [item] = memory.review().items
        assert (item.verb, item.why, item.arguments) == (
            "guard",
            "it was broken twice: guard it?",
            {"strength": "ask"},
        )
        memory.accept(item.id)
    assert before(repository, INSTALL)["permissionDecision"] == "ask"
    assert record(repository, known).guard == {"strength": "ask"}


def test_an_agent_proposes_a_guard_and_neither_sets_nor_loosens_one(repository: Path) -> None:
    known = remember(repository)
    service = open_service(repository, CLI, person=False)
    service.check_on()
    added = service.add(
        Draft(content="Never npm publish", trust="agent", metadata={"guard": {"strength": "deny"}})
    )
    memory = service.peek(str(added.id))
    assert memory is not None
    assert "guard" not in memory.metadata
    service.close()
    guard(repository, known, commands=["npm install"])
    service = open_service(repository, CLI, person=False)
    with pytest.raises(Exception, match="only a person sets or loosens a guard"):
        service.acts.keep_guard(known, {})
    service.close()
    assert before(repository, INSTALL)["permissionDecision"] == "ask"


def test_what_becomes_of_calls_goes_through_the_spool_without_their_words(repository: Path) -> None:
    known = remember(repository)
    before(repository, INSTALL)
    assert waiting(repository) == [{"kind": "act", "session": "s1", "rules": [known], "fate": "told"}]


def test_counts_and_guards_stay_with_a_rule_that_is_edited(repository: Path) -> None:
    known = guard(repository, remember(repository), commands=["npm install"])
    before(repository, INSTALL)
    drained(repository)
    with Holdfast.open(repository) as memory:
        memory.update(
            known, content="We use bun in this shop, never npm install", metadata={"guard": {}}, trust="user"
        )
    one = record(repository, known)
    assert (one.guard, one.asked) == ({"strength": "ask", "commands": ["npm install"]}, 1)
    assert "in this shop" in before(repository, {"command": "npm install y"})["permissionDecisionReason"]


def test_a_rule_that_its_person_let_pass_six_times_is_offered_for_forgetting(repository: Path) -> None:
    known = remember(repository)
    for number in range(6):
        payload = {**call(repository, INSTALL), "session_id": f"s{number}"}
        hook("claude", "PreToolUse", payload)
        hook("claude", "PostToolUse", payload)
    drained(repository)
    with Holdfast.open(repository) as memory:
        reasons = {item.verb: item.why for item in memory.review().items}
    assert reasons["forget"] == "you let it pass six times: does it still hold?"
    assert record(repository, known).broken == 6
