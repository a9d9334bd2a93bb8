"""OpenCode: its plugin hands over what its own hooks were given, `[input, output]` or `[event]`, as JSON. Light.

The plugin is ours (`plugin.js`), so a brief is printed as it is. OpenCode never says that a session
ended: when it falls idle, that is a pause; nor that one is resumed: the plugin does.
"""

from holdfast.agents import events
from holdfast.agents.events import Moment
from holdfast.agents.payload import asked, files_of, milliseconds, said, table_at, text_at, unquoted

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from collections.abc import Mapping

AGENT = "opencode"

EVENTS = {
    "session.created": events.START,
    "chat.message": events.PROMPT,
    "tool.execute.after": events.TOOL,
    "experimental.text.complete": events.REPLY,
    "session.idle": events.PAUSE,
    "experimental.session.compacting": events.COMPACT,
    "session.deleted": events.END,
}


def moment(event: str, payload: object) -> "Moment | None":
    """Read what OpenCode gave its plugin."""
    kind = EVENTS.get(event.removeprefix("event_"))
    parts = [part for part in payload if isinstance(part, dict)] if isinstance(payload, list) else []
    if kind is None or not parts:
        return None
    given, made = parts[0], parts[-1]
    about = table_at(given, "properties") or given
    info = table_at(about, "info")
    session = text_at(about, "sessionID") or text_at(info, "id")
    if not session or text_at(
        info, "parentID"
    ):  # a subagent's session: what matters comes back as a tool's result
        return None
    found = Moment(kind, session, text_at(info, "directory"))
    if kind == events.START:
        found.source = text_at(about, "source") or "startup"
        found.at = milliseconds(table_at(info, "time").get("created"))
    elif kind == events.PROMPT:
        _read_prompt(found, made)
    elif kind == events.REPLY:
        found.text = text_at(made, "text")
        found.key = text_at(given, "partID", "messageID")
    elif kind == events.TOOL:
        arguments = table_at(given, "args")
        found.tool = text_at(given, "tool")
        found.text = "\n".join(filter(None, (asked(arguments), said(made))))
        found.files = files_of(arguments)
        found.ref = found.key = text_at(given, "callID")
    return found


def answer(event: str, brief: str) -> str:
    """Return a brief as it is."""
    return brief


def _read_prompt(found: Moment, made: "Mapping[str, object]") -> None:
    message = table_at(made, "message")
    parts = made.get("parts")
    texts = [
        text_at(part, "text")
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict) and part.get("type") == "text" and not part.get("synthetic")
    ]
    found.text = unquoted("\n".join(filter(None, texts)))
    found.at = milliseconds(table_at(message, "time").get("created"))
    found.key = text_at(message, "id")
