"""What a hook shows the person: how much was told, and what was learnt, by name; or nothing."""

import json
import subprocess
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import Holdfast
from holdfast.capture.text.clean import Cleaner
from holdfast.interfaces.hooks import watchdog
from holdfast.interfaces.hooks.brief import make, sign_of
from holdfast.interfaces.hooks.respond import BRIEFING_MS
from holdfast.machine.paths import find_checkout
from holdfast.model.brief import BriefItem
from holdfast.model.kinds import MCP_ACTOR
from holdfast.model.requests import BriefRequest, Draft
from holdfast.service.audit import LearntCount, LearntMemory
from holdfast.settings import DEFAULTS
from holdfast.storage.open import open_service
from tests.hooking import PROGRAM, Done, hook, prompt, reply, traces, waiting
from tests.interfaces.hooks.conftest import init_git
from tests.interfaces.hooks.test_brief import LASTING, QUESTION, remember, start
from tests.interfaces.hooks.test_worker import wait_for_empty_spool, wait_for_no_worker
from tests.rows import each
from tests.table import table

RULES = ("Prices are stored in integer cents", "Every module has a docstring")
ASKED = "Please remember that deploys go out on Tuesdays only."

TICKETS = "Tickets are closed by the release bot"


def heard(memory_id: str) -> str:
    """Return what the sign says of the agent's note on tickets."""
    return f'heard: "{TICKETS}" · /forget {memory_id[-8:]}'


def shown(done: Done) -> str:
    """Return what a person is shown by Claude Code, Codex or Gemini CLI."""
    assert (done.code, done.err) == (0, "")
    return str(json.loads(done.out).get("systemMessage", "")) if done.out else ""


def begin(project: Path, session: str) -> str:
    """Start a session of Claude Code; return what the person is shown."""
    return shown(hook("claude", "SessionStart", start(project, session)))


def say(project: Path, text: str, session: str, key: str = "p1") -> str:
    """Say something in Claude Code; return what the person is shown."""
    return shown(hook("claude", "UserPromptSubmit", prompt(project, text, session, key)))


def end(project: Path, session: str) -> None:
    """End a session, and wait until everything that was said is in the store."""
    hook("claude", "SessionEnd", {"session_id": session, "cwd": str(project)})
    wait_for_empty_spool(project)
    wait_for_no_worker(project)


def note_as_agent(project: Path, text: str, trust: str = "agent") -> str:
    """Remember something as an agent does by its tool."""
    service = open_service(project, actor=MCP_ACTOR, agent="claude-code", person=False, embed_on_add=False)
    try:
        added = service.add(Draft(content=text, kind="decision", source="mcp", trust=trust))
    finally:
        service.close()
    assert added.created
    return str(added.id)


def test_a_session_s_start_says_how_many_rules_were_told(repository: Path) -> None:
    remember(repository, *RULES)
    done = hook("claude", "SessionStart", start(repository))
    assert shown(done) == "holdfast: 2 rules told"
    brief = json.loads(done.out)["hookSpecificOutput"]["additionalContext"]
    assert all(rule in brief for rule in RULES)
    assert "rules told" not in brief, "the model reads none of it"


def test_a_prompt_says_how_many_memories_were_told(repository: Path) -> None:
    remember(repository, RULES[0])
    assert say(repository, QUESTION, "s1") == "holdfast: 1 memory told"
    assert say(repository, QUESTION, "s1", "p2") == "", "it is not told again"


def test_what_is_pinned_is_a_rule_wherever_it_is_told(repository: Path) -> None:
    first, _ = remember(repository, *RULES)
    with Holdfast.open(repository) as memory:
        memory.pin(first)
    assert begin(repository, "s1") == "holdfast: 2 rules told"
    assert say(repository, "Hello", "s2") == "holdfast: 1 rule told"


def test_where_nothing_is_told_nothing_is_shown(repository: Path) -> None:
    assert hook("claude", "SessionStart", start(repository)).silent
    remember(repository, "The importer of the shop is slow", trust="agent")
    assert hook("claude", "SessionStart", start(repository, "s3")).silent
    assert hook("claude", "UserPromptSubmit", prompt(repository, "Rename banner.svg to logo.svg", "s3")).silent


def test_a_request_to_the_agent_is_nothing_told(repository: Path) -> None:
    done = hook("claude", "UserPromptSubmit", prompt(repository, LASTING))
    assert "note it now" in done.out
    assert shown(done) == ""


def test_hooks_that_record_show_nothing(repository: Path) -> None:
    remember(repository, *RULES)
    begin(repository, "s1")
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1", "tool_response": "a.py"}
    assert hook("claude", "PostToolUse", prompt(repository, "", "s1") | call).silent
    assert hook("claude", "Stop", reply(repository, "Done.", "s1")).silent
    assert hook("claude", "PreCompact", {"session_id": "s1", "cwd": str(repository)}).silent


@each("by_file", [True, False], fresh={"repository": init_git})
def test_one_switch_takes_the_sign_away_and_leaves_the_brief(
    repository: Path, by_file: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(repository, *RULES)
    if by_file:
        command = [str(PROGRAM.with_name("holdfast")), "config", "set", "hooks.sign", "false"]
        subprocess.run(command, cwd=repository, check=True, capture_output=True)
    else:
        monkeypatch.setenv("HOLDFAST_HOOKS_SIGN", "false")
    answer = json.loads(hook("claude", "SessionStart", start(repository)).out)
    assert RULES[0] in answer["hookSpecificOutput"]["additionalContext"]
    assert set(answer) == {"hookSpecificOutput"}


def test_each_client_is_sent_the_sign_where_it_shows_it(repository: Path) -> None:
    remember(repository, *RULES)
    sign = "holdfast: 2 rules told"
    for client in ("codex", "gemini"):
        assert shown(hook(client, "SessionStart", start(repository, f"{client}1"))) == sign
    old = hook("copilot", "sessionStart", {"sessionId": "c1", "cwd": str(repository), "source": "new"})
    assert set(json.loads(old.out)) == {"additionalContext"}
    payload = {"sessionId": "c2", "cwd": str(repository), "source": "new"}
    new = hook("copilot", "sessionStart", payload, COPILOT_CLI_BINARY_VERSION="1.0.102").out.splitlines()
    assert json.loads(new[0]) == {"type": "progress", "message": sign}
    assert RULES[0] in json.loads(new[1])["additionalContext"]
    created = [{"properties": {"info": {"id": "o1", "directory": str(repository)}}}]
    both = json.loads(hook("opencode", "session.created sign", created).out)
    assert both["sign"] == sign
    assert RULES[0] in both["brief"]
    created = [{"properties": {"info": {"id": "o2", "directory": str(repository)}}}]
    plain = hook("opencode", "session.created", created).out
    assert plain.startswith("=== project memory "), "a plugin of before hands it to the model as it is"
    cursor = hook("cursor", "sessionStart", {"conversation_id": "u1", "workspace_roots": [str(repository)]})
    assert set(json.loads(cursor.out)) == {"additional_context"}


def test_what_a_session_taught_is_shown_once_when_the_next_one_starts(repository: Path) -> None:
    assert begin(repository, "s1") == ""
    say(repository, ASKED, "s1")
    hook("claude", "Stop", reply(repository, "Noted.", "s1"))
    end(repository, "s1")
    with Holdfast.open(repository) as memory:
        [entry] = memory.list()
    named = f'learnt: "deploys go out on Tuesdays only" · /forget {entry.id[-8:]}'
    done = hook("claude", "SessionStart", start(repository, "s2"))
    assert shown(done) == f"holdfast: 1 rule told; {named}"
    assert "/forget" not in json.loads(done.out)["hookSpecificOutput"]["additionalContext"], (
        "the model reads none of it"
    )
    assert begin(repository, "s3") == "holdfast: 1 rule told"


def test_what_an_agent_notes_in_the_middle_of_a_session_is_shown_on_the_next_prompt(repository: Path) -> None:
    begin(repository, "s1")
    noted = note_as_agent(repository, TICKETS)
    assert say(repository, "Rename banner.svg to logo.svg", "s1") == f"holdfast {heard(noted)}"
    assert say(repository, "Rename logo.svg to banner.svg", "s1", "p2") == ""


def test_only_what_sessions_taught_and_what_still_holds_is_called_learnt(repository: Path) -> None:
    """A person knows what they added, files were read and not learnt from, and what was forgotten is not there."""
    begin(repository, "s1")
    remember(repository, "The shop sells in euros")
    note_as_agent(repository, "The readme speaks of yarn", trust="imported")
    gone = note_as_agent(repository, TICKETS)
    with Holdfast.open(repository) as memory:
        memory.forget(gone)
    assert begin(repository, "s2") == "holdfast: 1 rule told"


def test_what_was_known_before_there_were_signs_is_not_called_learnt(repository: Path) -> None:
    note_as_agent(repository, TICKETS)
    assert begin(repository, "s1") == ""


def test_a_sign_that_nobody_could_see_leaves_what_was_learnt_for_one_that_somebody_can(repository: Path) -> None:
    begin(repository, "s1")
    noted = note_as_agent(repository, TICKETS)
    hook("cursor", "sessionStart", {"conversation_id": "u1", "workspace_roots": [str(repository)]})
    hook("claude", "SessionStart", start(repository, "s2"), HOLDFAST_HOOKS_SIGN="false")
    assert begin(repository, "s3") == f"holdfast {heard(noted)}"


def test_a_store_that_cannot_say_what_was_learnt_costs_the_count_and_not_the_brief(repository: Path) -> None:
    remember(repository, *RULES)
    connection = apsw.Connection(str(repository / ".holdfast" / "memory.db"))
    connection.execute("ALTER TABLE audit RENAME COLUMN actor TO author")
    connection.close()
    assert begin(repository, "s1") == "holdfast: 2 rules told"
    assert len(traces()) == 1


@each("used_ms, is_counted", [(0, True), (250, True), (251, False), (499, False)], fresh={"repository": init_git})
def test_a_brief_that_took_most_of_its_time_is_handed_out_without_a_count(
    repository: Path, used_ms: int, is_counted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock stands; by it, making the brief took as long as a case says."""
    remember(repository, *RULES)
    monkeypatch.setenv("HOLDFAST_HOOK_PACE", "1")
    monkeypatch.setattr(watchdog, "_limits", [float("inf"), float("inf")])
    monkeypatch.setattr(watchdog, "_step_ms", [0.0])
    monkeypatch.setattr(watchdog, "_alive_ms", lambda: 0.0)
    watchdog.within(BRIEFING_MS)
    monkeypatch.setattr(watchdog, "_alive_ms", lambda: float(used_ms))
    made = make(find_checkout(str(repository)), dict(DEFAULTS), BriefRequest(), str, (0, 2**53))
    assert len(made.brief.items) == len(RULES)
    assert (made.learnt is not None) == is_counted


def test_a_sign_is_never_recorded(repository: Path) -> None:
    remember(repository, *RULES)
    begin(repository, "s1")
    say(repository, QUESTION, "s1")
    assert [entry.get("text", "") for entry in waiting(repository)] == ["", QUESTION]


def item(tier: str) -> BriefItem:
    """Return an entry of a brief."""
    return BriefItem(id="x", kind="decision", tier=tier, score=1.0, why={})


@given(
    tiers=st.lists(st.sampled_from(["always", "rules", "bridge", "retrieval", "summaries"]), max_size=500),
    learnt=st.none()
    | st.builds(
        lambda named, more, at_least: LearntCount(len(named) + more, at_least, tuple(named)),
        st.lists(st.builds(LearntMemory, st.just("1a2b3c4d"), st.text(), st.booleans()), max_size=2),
        st.integers(0, 200),
        st.booleans(),
    ),
)
def test_a_sign_is_one_short_line(tiers: list[str], learnt: LearntCount | None) -> None:
    line = sign_of([item(tier) for tier in tiers], learnt, Cleaner().label)
    assert len(line) <= 280
    assert not set(line) & {"\n", "\r", "\t", "\x1b", "\u202e", "\u2028"}
    assert bool(line) == bool(set(tiers) - {"summaries"} or (learnt and learnt.count))


def test_the_words_of_a_sign() -> None:
    entries = [item(tier) for tier in ("always", "rules", "said", "bridge", "retrieval", "summaries")]
    rule, saying = (
        LearntMemory("1a2b3c4d", "Use uv, never pip."),
        LearntMemory("5e6f7a8b", "Cap it at 5", waits=True),
    )
    cases = [
        (entries, LearntCount(9, at_least=True, named=(rule, saying)),
         'holdfast: 2 rules and 3 memories told; learnt: "Use uv, never pip." · /forget 1a2b3c4d; '
         'heard: "Cap it at 5" · /forget 5e6f7a8b; 7+ more'),
        (entries[1:4:2], None, "holdfast: 1 rule and 1 memory told"),
        ([], LearntCount(1, named=(saying,)), 'holdfast heard: "Cap it at 5" · /forget 5e6f7a8b'),
        ([], LearntCount(0), ""),
    ]  # fmt: skip
    for told, learnt, line in cases:
        assert sign_of(told, learnt, Cleaner().label) == line


@table(
    ("title", "text"),
    [
        ("Retries stop after five attempts, the sixth goes into the dead letters",
         "Retries stop after five attempts, the sixth goes into the…"),
        ("x" * 90, "x" * 59 + "…"),
        ('say "hi" \x1b[31mred\u202e\nand more', "say 'hi' red and more"),
        ("The key is AKIAQ7RZTNB4WJ2XLM5P for now", "The key is [REDACTED:aws-access-key] for now"),
    ],
)  # fmt: skip
def test_what_is_named_is_clean_short_and_holds_no_secret(title: str, text: str) -> None:
    sign = sign_of([], LearntCount(1, named=(LearntMemory("1a2b3c4d", title),)), Cleaner().label)
    assert sign == f'holdfast learnt: "{text}" · /forget 1a2b3c4d'
