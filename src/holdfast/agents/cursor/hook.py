"""Cursor: `conversation_id`, `workspace_roots`, snake_case fields; only a session's start can inject. Light.

Documented by its makers, not recorded here.
"""

import json

from holdfast.agents import events
from holdfast.agents.events import Moment
from holdfast.agents.payload import asked, files_of, said, table_at, text_at

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from collections.abc import Mapping

AGENT = "cursor"

EVENTS = {
    "sessionStart": events.START,
    "beforeSubmitPrompt": events.PROMPT,
    "postToolUse": events.TOOL,
    "postToolUseFailure": events.TOOL,
    "afterAgentResponse": events.REPLY,
    "preCompact": events.COMPACT,
    "sessionEnd": events.END,
}
INJECTING = ("sessionStart",)


def moment(event: str, payload: object) -> "Moment | None":
    """Read a payload of Cursor."""
    kind = EVENTS.get(event)
    session = text_at(payload, "conversation_id", "session_id") if isinstance(payload, dict) else ""
    if kind is None or not session or not isinstance(payload, dict):
        return None
    found = Moment(kind, session, _directory(payload))
    call = text_at(payload, "tool_use_id")
    found.key = call or text_at(payload, "generation_id")
    if kind == events.START:
        found.source = "startup"
    elif kind == events.PROMPT:
        found.text = text_at(payload, "prompt")
    elif kind == events.REPLY:
        found.text = text_at(payload, "text")
    elif kind == events.TOOL:
        given = table_at(payload, "tool_input")
        answered = next((payload[name] for name in ("tool_output", "error_message") if payload.get(name)), None)
        found.tool, found.ref = text_at(payload, "tool_name"), call
        found.text = "\n".join(filter(None, (asked(given), said(answered))))
        found.files = files_of(given)
    return found


def answer(event: str, brief: str) -> str:
    """Wrap a brief for the model; at other events than a session's start Cursor takes none."""
    return json.dumps({"additional_context": brief}) if event in INJECTING else ""


def _directory(payload: "Mapping[str, object]") -> str:
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    return text_at(payload, "cwd") or (first if isinstance(first, str) else "")
