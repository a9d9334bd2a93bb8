"""OpenCode's hooks: its plugin hands over what its own hooks were given, `[input, output]` or `[event]`, as JSON.
Light; its files are in `files`.

The plugin, plugin.js, is ours, so a brief is printed as it is, together with a sign for the person as JSON.
OpenCode never says that a session ended: when it falls idle, that is a pause; nor that one is resumed: the plugin
does.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

from holdfast.agents import events
from holdfast.agents.events import AgentEvent, milliseconds, strip_quotes, table_at, text_at

AGENT = "opencode"
SIGN_WORD = "sign"
"""What the plugin adds to its command where it can show a person a sign."""

EVENTS = {
    "session.created": events.START,
    "chat.message": events.PROMPT,
    "tool.execute.after": events.TOOL,
    "tool.execute.before": events.CALL,
    "experimental.text.complete": events.REPLY,
    "session.idle": events.PAUSE,
    "experimental.session.compacting": events.COMPACT,
    "session.deleted": events.END,
}
TELLS_BEFORE, ASKS = False, False
"""Its plugin can only let a call run or fail."""


def moment(event: str, payload: object) -> AgentEvent | None:
    """Read what OpenCode gave its plugin."""
    kind = EVENTS.get(event.removeprefix("event_"))
    parts = [part for part in payload if isinstance(part, dict)] if isinstance(payload, list) else []
    if kind is None or not parts:
        return None
    hook_input, hook_output = parts[0], parts[-1]
    about = table_at(hook_input, "properties") or hook_input
    info = table_at(about, "info")
    session = text_at(about, "sessionID") or text_at(info, "id")
    if not session or text_at(
        info, "parentID"
    ):  # a subagent's session: what matters comes back as a tool's result
        return None
    agent_event = AgentEvent(kind, session, text_at(info, "directory"))
    if kind == events.START:
        agent_event.source = text_at(about, "source") or "startup"
        agent_event.at = milliseconds(table_at(info, "time").get("created"))
    elif kind == events.PROMPT:
        _read_prompt(agent_event, hook_output)
    elif kind == events.REPLY:
        agent_event.text = text_at(hook_output, "text")
        agent_event.key = text_at(hook_input, "partID", "messageID")
    elif kind == events.TOOL:
        agent_event.key = text_at(hook_input, "callID")
        tool, arguments = text_at(hook_input, "tool"), table_at(hook_input, "args")
        agent_event.read_call(tool, arguments, hook_output, agent_event.key)
    elif kind == events.CALL:
        agent_event.key = text_at(hook_input, "callID")
        agent_event.read_call(text_at(hook_input, "tool"), table_at(hook_output, "args"), None, agent_event.key)
    return agent_event


def shows_sign(event: str, words: Sequence[str]) -> bool:
    """Say whether the plugin shows signs: one that was installed before there were any says nothing of it."""
    return SIGN_WORD in words


def answer(event: str, brief: str, sign: str) -> str:
    """Return a brief as it is; with a sign, both as JSON."""
    return json.dumps({"brief": brief, "sign": sign}) if sign else brief


def decide(event: str, strength: str, text: str) -> str:
    """Return what the plugin ends a call with."""
    return json.dumps({"refused": text})


def _read_prompt(event: AgentEvent, hook_output: Mapping[str, object]) -> None:
    message = table_at(hook_output, "message")
    parts = hook_output.get("parts")
    event.text = typed_text(part for part in (parts if isinstance(parts, list) else ()) if isinstance(part, dict))
    event.at = milliseconds(table_at(message, "time").get("created"))
    event.key = text_at(message, "id")


def typed_text(parts: Iterable[Mapping[str, object]]) -> str:
    """Return what a person typed, of the parts of a message; others were added by the client."""
    typed_parts = (part for part in parts if part.get("type") == "text" and not part.get("synthetic"))
    return strip_quotes("\n".join(filter(None, (text_at(part, "text") for part in typed_parts))))
