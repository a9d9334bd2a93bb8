"""Claude Code's hooks: snake_case fields (hook_event_name); `hookSpecificOutput.additionalContext` is for the
model, `systemMessage` for the person. Light; its files are in `files`."""

import json
from collections.abc import Mapping, Sequence

from holdfast.agents import events
from holdfast.agents.events import AgentEvent, milliseconds, table_at, text_at
from holdfast.model.act import TELL

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
    "PreToolUse": events.CALL,
}
MATCHERS = {"PreToolUse": "Bash|Edit|MultiEdit|Write|NotebookEdit|Read|mcp__.*"}
"""The tools before which the hook is run: what searches or plans breaks no rule, and would cost a process."""

TELLS_BEFORE, ASKS = True, True
"""Whether a hook before a call can tell the model something beside it, and have the client ask the person."""


def moment(event: str, payload: object) -> AgentEvent | None:
    """Read a payload of Claude Code."""
    return read_event(EVENTS.get(event), payload)


def shows_sign(event: str, words: Sequence[str]) -> bool:
    """Say whether the client can show a person something that the model does not read."""
    return True


def answer(event: str, brief: str, sign: str) -> str:
    """Wrap a brief for the model, and a sign for the person."""
    reply: dict[str, object] = {}
    if brief:
        reply["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": brief}
    if sign:
        reply["systemMessage"] = sign
    return json.dumps(reply)


def read_event(kind: str | None, payload: object) -> AgentEvent | None:
    """Read a payload of the form that Claude Code, Codex, Gemini CLI and, for some events, Copilot CLI share."""
    session = text_at(payload, "session_id") if isinstance(payload, dict) else ""
    if kind is None or not session or not isinstance(payload, dict):
        return None
    event = AgentEvent(kind, session, text_at(payload, "cwd"), milliseconds(payload.get("timestamp")))
    event.key = text_at(payload, "tool_use_id", "prompt_id", "turn_id", "timestamp") + text_at(payload, "agent_id")
    if kind == events.START:
        event.source = text_at(payload, "source")
    elif kind == events.PROMPT:
        # what a helper is told, an agent tells it
        event.text = "" if text_at(payload, "agent_id") else text_at(payload, "prompt")
    elif kind == events.REPLY:
        event.text = text_at(payload, "last_assistant_message", "prompt_response")
    elif kind in (events.TOOL, events.CALL):
        _read_tool(event, payload)
    return event


def decide(event: str, strength: str, text: str) -> str:
    """Return what tells the model of a rule beside its call, or has the call asked about or refused."""
    said = (
        {"additionalContext": text}
        if strength == TELL
        else {"permissionDecision": strength, "permissionDecisionReason": text}
    )
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, **said}})


def _read_tool(event: AgentEvent, payload: Mapping[str, object]) -> None:
    output = next((payload[name] for name in ("tool_response", "tool_result", "error") if payload.get(name)), None)
    call = text_at(payload, "tool_use_id")
    ref = "/".join(filter(None, (text_at(payload, "turn_id"), call))) if call else ""
    event.read_call(text_at(payload, "tool_name"), table_at(payload, "tool_input"), output, ref)
