"""Copilot CLI's hooks: camelCase events give camelCase payloads, PascalCase ones Claude Code's; a plain answer.
Light; its files are in `files`.

It does not say what the agent replied: that is read from the end of its own log, which the payload names. The
log is written about 100 ms behind the events, this hook's own call included: its mark is waited for.
"""

import json
import os
import time
from collections.abc import Sequence

from holdfast.agents import claude, events
from holdfast.agents.events import AgentEvent, milliseconds, table_at, text_at

AGENT = "copilot"

EVENTS = {
    "sessionStart": events.START,
    "userPromptSubmitted": events.PROMPT,
    "postToolUse": events.TOOL,
    "preToolUse": events.CALL,
    "agentStop": events.REPLY,
    "sessionEnd": events.END,
}
TELLS_BEFORE, ASKS = False, True
_SOURCES = {"new": "startup"}
_VERSION = "COPILOT_CLI_BINARY_VERSION"
"""The variable in which Copilot CLI tells its hooks what version it is."""
SHOWS_PROGRESS = (1, 0, 55)
"""The first version that shows what hooks say of their progress."""
_LOG_BYTES = 262_144
"""How far back in its log the last reply is looked for."""
LOG_WAIT_S = 0.6
"""How long the log may be behind; a Copilot that does not log its hooks has written all by then."""
_LOG_NAP_S = 0.01


def moment(event: str, payload: object) -> AgentEvent | None:
    """Read a payload of Copilot CLI."""
    if isinstance(payload, dict) and "session_id" in payload:
        return claude.moment(event[:1].upper() + event[1:], payload)
    kind = EVENTS.get(event)
    session = text_at(payload, "sessionId") if isinstance(payload, dict) else ""
    if kind is None or not session or not isinstance(payload, dict):
        return None
    stamp = payload.get("timestamp")
    agent_event = AgentEvent(kind, session, text_at(payload, "cwd"), milliseconds(stamp), str(stamp or ""))
    if kind == events.START:
        source = text_at(payload, "source")
        agent_event.source = _SOURCES.get(source, source)
    elif kind == events.PROMPT:
        agent_event.text = text_at(payload, "prompt")
    elif kind == events.REPLY:
        agent_event.text = _last_reply(text_at(payload, "transcriptPath"), f'"timestamp":{stamp}'.encode())
    elif kind in (events.TOOL, events.CALL):
        tool, tool_input = text_at(payload, "toolName"), table_at(payload, "toolArgs")
        agent_event.read_call(tool, tool_input, payload.get("toolResult"))
    return agent_event


def shows_sign(event: str, words: Sequence[str]) -> bool:
    """Say whether this Copilot shows the progress of hooks; an older one would not read the brief beside it."""
    numbers = os.environ.get(_VERSION, "").partition("-")[0].split(".")
    return all(map(str.isdigit, numbers)) and tuple(map(int, numbers)) >= SHOWS_PROGRESS


def answer(event: str, brief: str, sign: str) -> str:
    """Wrap a sign for the person, as progress on a line of its own, and a brief for the model."""
    lines = [{"type": "progress", "message": sign}] if sign else []
    lines += [{"additionalContext": brief}] if brief else []
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def decide(event: str, strength: str, text: str) -> str:
    """Return what has a call asked about or refused."""
    return json.dumps({"permissionDecision": strength, "permissionDecisionReason": text})


def _last_reply(log: str, mark: bytes) -> str:
    """Return the last text that the agent said, as its log has it once this call is marked there."""
    until = time.monotonic() + LOG_WAIT_S
    while log:
        lines = _end_of(log)
        if any(mark in line and b'"hook.start"' in line for line in lines) or time.monotonic() >= until:
            return _reply_in(lines)
        time.sleep(_LOG_NAP_S)
    return ""


def _end_of(log: str) -> list[bytes]:
    """Return the last lines; none where the log is not there yet."""
    try:
        with open(log, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LOG_BYTES))
            return file.read(_LOG_BYTES).splitlines()
    except OSError:
        return []


def _reply_in(lines: list[bytes]) -> str:
    for line in reversed(lines):
        if b'"assistant.message"' in line:
            try:
                reply = text_at(table_at(json.loads(line), "data"), "content")
            except (ValueError, AttributeError):
                continue
            if reply:
                return reply
        if b'"user.message"' in line:
            return ""
    return ""
