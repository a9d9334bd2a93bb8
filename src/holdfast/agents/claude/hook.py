"""Claude Code: `hook_event_name`, snake_case fields, `hookSpecificOutput.additionalContext`. Light."""

import json

from holdfast.agents import events
from holdfast.agents.events import Moment
from holdfast.agents.payload import asked, files_of, milliseconds, said, table_at, text_at

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from collections.abc import Mapping

AGENT = "claude-code"

EVENTS = {
    "SessionStart": events.START,
    "UserPromptSubmit": events.PROMPT,
    "PostToolUse": events.TOOL,
    "Stop": events.REPLY,
    "SubagentStop": events.REPLY,
    "PreCompact": events.COMPACT,
    "SessionEnd": events.END,
    "PostToolUseFailure": events.TOOL,
}


def moment(event: str, payload: object) -> "Moment | None":
    """Read a payload of Claude Code."""
    return read(EVENTS.get(event), payload)


def answer(event: str, brief: str) -> str:
    """Wrap a brief for the model."""
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": brief}})


def read(kind: "str | None", payload: object) -> "Moment | None":
    """Read a payload of the form that Claude Code, Codex, Gemini CLI and, for some events, Copilot CLI share."""
    session = text_at(payload, "session_id") if isinstance(payload, dict) else ""
    if kind is None or not session or not isinstance(payload, dict):
        return None
    found = Moment(kind, session, text_at(payload, "cwd"), milliseconds(payload.get("timestamp")))
    found.key = text_at(payload, "tool_use_id", "prompt_id", "turn_id", "timestamp") + text_at(payload, "agent_id")
    if kind == events.START:
        found.source = text_at(payload, "source")
    elif kind == events.PROMPT:
        # what a helper is told, an agent tells it
        found.text = "" if text_at(payload, "agent_id") else text_at(payload, "prompt")
    elif kind == events.REPLY:
        found.text = text_at(payload, "last_assistant_message", "prompt_response")
    elif kind == events.TOOL:
        _read_tool(found, payload)
    return found


def _read_tool(found: Moment, payload: "Mapping[str, object]") -> None:
    given = table_at(payload, "tool_input")
    answered = next(
        (payload[name] for name in ("tool_response", "tool_result", "error") if payload.get(name)), None
    )
    found.tool = text_at(payload, "tool_name")
    found.text = "\n".join(filter(None, (asked(given), said(answered))))
    found.files = files_of(given)
    call = text_at(payload, "tool_use_id")
    found.ref = "/".join(filter(None, (text_at(payload, "turn_id"), call))) if call else ""
