"""Cursor's hooks: snake_case fields (conversation_id, workspace_roots); only a session's start can inject.
Light; what is installed is in `editors`.

Documented by its makers, not recorded here.
"""

import json
from collections.abc import Mapping, Sequence

from holdfast.agents import events
from holdfast.agents.events import AgentEvent, table_at, text_at

AGENT = "cursor"

EVENTS = {
    "sessionStart": events.START,
    "beforeSubmitPrompt": events.PROMPT,
    "postToolUse": events.TOOL,
    "postToolUseFailure": events.TOOL,
    "afterAgentResponse": events.REPLY,
    "preCompact": events.COMPACT,
    "sessionEnd": events.END,
    "beforeShellExecution": events.CALL,
    "beforeMCPExecution": events.CALL,
}
TELLS_BEFORE, ASKS = False, True
INJECTING = ("sessionStart",)


def moment(event: str, payload: object) -> AgentEvent | None:
    """Read a payload of Cursor."""
    kind = EVENTS.get(event)
    session = text_at(payload, "conversation_id", "session_id") if isinstance(payload, dict) else ""
    if kind is None or not session or not isinstance(payload, dict):
        return None
    agent_event = AgentEvent(kind, session, _directory(payload))
    call = text_at(payload, "tool_use_id")
    agent_event.key = call or text_at(payload, "generation_id")
    if kind == events.START:
        agent_event.source = "startup"
    elif kind == events.PROMPT:
        agent_event.text = text_at(payload, "prompt")
    elif kind == events.REPLY:
        agent_event.text = text_at(payload, "text")
    elif kind == events.TOOL:
        output = next((payload[name] for name in ("tool_output", "error_message") if payload.get(name)), None)
        agent_event.read_call(text_at(payload, "tool_name"), table_at(payload, "tool_input"), output, call)
    elif kind == events.CALL:
        command = text_at(payload, "command") if event == "beforeShellExecution" else ""
        arguments: dict[str, object] = {"command": command} if command else table_at(payload, "tool_input")
        agent_event.read_call(text_at(payload, "tool_name") or "Shell", arguments, None, call)
    return agent_event


def decide(event: str, strength: str, text: str) -> str:
    """Return what has a call asked about or refused."""
    said = {"userMessage": text, "agentMessage": text, "user_message": text, "agent_message": text}
    return json.dumps({"permission": strength, **said})


def shows_sign(event: str, words: Sequence[str]) -> bool:
    """Say no: Cursor shows a person what a hook says only where that blocks the prompt."""
    return False


def answer(event: str, brief: str, sign: str) -> str:
    """Wrap a brief for the model; at other events than a session's start Cursor takes none."""
    return json.dumps({"additional_context": brief}) if event in INJECTING else ""


def _directory(payload: Mapping[str, object]) -> str:
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    return text_at(payload, "cwd") or (first if isinstance(first, str) else "")
