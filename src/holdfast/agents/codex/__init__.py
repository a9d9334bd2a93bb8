"""Codex's hooks: Claude Code's payloads and answers, with the turn's id. Light; its files are in `files`."""

from holdfast.agents import claude, events

AGENT = "codex"

EVENTS = {event: kind for event, kind in claude.EVENTS.items() if event != "PostToolUseFailure"}


def moment(event: str, payload: object) -> events.AgentEvent | None:
    """Read a payload of Codex."""
    return claude.read_event(EVENTS.get(event), payload)


answer = claude.answer
shows_sign = claude.shows_sign
decide = claude.decide
TELLS_BEFORE, ASKS = True, False
