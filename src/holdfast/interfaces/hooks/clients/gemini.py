"""Gemini CLI: Claude Code's form under other names; nothing but JSON may be printed. Light.

In headless mode the prompt carries what SessionStart injected, in `<hook_context>`; `additions` takes it off.
PreCompress is told of on every model turn, so it means nothing here.
"""

from holdfast import agent_events
from holdfast.hearing import moments
from holdfast.interfaces.hooks.clients import claude

AGENT = "gemini"

EVENTS = agent_events.GEMINI


def moment(event: str, payload: object) -> "moments.Moment | None":
    """Read a payload of Gemini CLI."""
    return claude.read(EVENTS.get(event), payload)


answer = claude.answer
