"""Codex: Claude Code's payloads and answers, with the turn's id. Light."""

from holdfast import agent_events
from holdfast.hearing import moments
from holdfast.interfaces.hooks.clients import claude

AGENT = "codex"

EVENTS = agent_events.CODEX


def moment(event: str, payload: object) -> "moments.Moment | None":
    """Read a payload of Codex."""
    return claude.read(EVENTS.get(event), payload)


answer = claude.answer
