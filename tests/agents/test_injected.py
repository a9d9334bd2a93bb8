"""What was said, told from what clients and holdfast put around it."""

import json

from holdfast.agents.events import shows_memory, without_additions
from tests.interfaces.hooks.recorded import FOLDER, recorded
from tests.rows import each


@each(
    "text, said",
    [
        ("Use teal.", "Use teal."),
        ("<hook_context>MEMCTX: zebra</hook_context>\n\nplease remember", "please remember"),
        ("please\n\n<system_reminder>\nMEMCTX zebra\n</system_reminder>", "please"),
        ("<current_datetime>2026-11-15</current_datetime>\n\nplease", "please"),
        ("<system-reminder>\nSessionStart hook\n</system-reminder>Use teal.", "Use teal."),
        ('<project_memory nonce="ab12">\n- decision: teal\n</project_memory>\nGo on.', "Go on."),
        ("## Project memory 1f2e\n\n*note*\n- x\n\n## End of project memory 1f2e\n\nGo on.", "Go on."),
        ("=== project memory 1f2e ===\nx\n=== end of project memory 1f2e ===\nGo on.", "Go on."),
        ("Project memory is a good idea", "Project memory is a good idea"),
        ("<project_memory>never closed, so all of it goes", ""),
        ("<task-notification>\n<task-id>a4</task-id>\n</task-notification>", ""),
        ("<environment_context>\n  <cwd>/x</cwd>\n</environment_context>", ""),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>", ""),
        ("[Request interrupted by user for tool use]", ""),
        ("<untrusted_context>\nOutput: hi\n</untrusted_context>", "Output: hi"),
        ("<command-name>/remember</command-name><command-args>use teal</command-args>", "use teal"),
        ("Compare a < b and <b>bold</b>", "Compare a < b and <b>bold</b>"),
        ("<reminders> is our own tag", "<reminders> is our own tag"),
    ],
)
def test_what_was_said_is_left(text: str, said: str) -> None:
    assert without_additions(text) == said


def test_the_prompt_that_gemini_puts_its_hooks_context_into_is_the_users_again() -> None:
    [payload] = recorded("gemini", "BeforeAgent")
    assert isinstance(payload, dict)
    assert without_additions(payload["prompt"]) == "please remember the zebra"


def test_nothing_that_a_client_tells_its_model_by_itself_is_taken_for_a_users_word() -> None:
    """Every message of a user in a Codex rollout but the prompt is the client's."""
    said = []
    for line in (FOLDER / "transcripts" / "codex-rollout.jsonl").read_text(encoding="utf-8").splitlines():
        item = json.loads(line)["payload"]
        if item.get("type") == "message" and item.get("role") == "user":
            said += [without_additions(part["text"]) for part in item["content"]]
    assert [text for text in said if text] == ["please remember the zebra"]


@each(
    "tool, text, memory",
    [
        ("mcp__holdfast__memory_search", "", True),
        ("mcp_holdfast_memory_get", "", True),
        ("holdfast-memory_recall", "", True),
        ("holdfast_memory_stats", "", True),
        ("memory_search", "", True),
        ("mcp__toymem__memory_search", "", False),
        ("Bash", "$ holdfast search teal\n#a1 teal", True),
        ("Bash", "$ .venv/bin/holdfast context 'x' --json\n{}", True),
        ("Bash", "$ grep holdfast README.md\nholdfast is", False),
        ("Bash", "$ ls\nholdfast search", False),
    ],
)
def test_memory_seen_through_a_tool_is_recognised(tool: str, text: str, memory: bool) -> None:
    assert shows_memory(tool, text) is memory
