"""Gemini CLI's hooks: Claude Code's form under other names; nothing but JSON may be printed. Light; its files are
in `files`.

In headless mode the prompt carries what SessionStart injected, in `<hook_context>`; `events` takes it off.
"""

import json

from holdfast.agents import claude, events

AGENT = "gemini"

EVENTS = {
    "SessionStart": events.START,
    "BeforeAgent": events.PROMPT,
    "AfterTool": events.TOOL,
    "AfterAgent": events.REPLY,
    "SessionEnd": events.END,
    "BeforeTool": events.CALL,
}
"""PreCompress is told of on every model turn, so it means nothing."""


def moment(event: str, payload: object) -> events.AgentEvent | None:
    """Read a payload of Gemini CLI."""
    return claude.read_event(EVENTS.get(event), payload)


answer = claude.answer
shows_sign = claude.shows_sign
TELLS_BEFORE, ASKS = False, False
"""It can ask its user, but waits for ever where there is none (`-p`), and does not say whether there is."""


def decide(event: str, strength: str, text: str) -> str:
    """Return what has a call refused."""
    return json.dumps({"decision": strength, "reason": text})
