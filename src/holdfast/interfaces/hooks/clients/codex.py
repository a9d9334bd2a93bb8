"""Codex: Claude Code's payloads and answers, with the turn's id. Light."""

from holdfast import agent_events
from holdfast.hearing import moments
from holdfast.interfaces.hooks.clients import claude

AGENT = "codex"
MOST_CHARS = 7_500
"""About 2,500 tokens; beyond that Codex puts the text into a file."""

EVENTS = agent_events.CODEX


def moment(event: str, payload: object) -> "moments.Moment | None":
    """Read a payload of Codex."""
    return claude.read(EVENTS.get(event), payload)


answer = claude.answer
