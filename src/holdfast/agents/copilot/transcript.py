"""Copilot CLI: `session-state/<session>/events.jsonl`; what a helper says names the call that began it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from holdfast.agents.events import PROMPT, REPLY, TOOL, AgentEvent
from holdfast.agents.payload import answer_text, files_of, milliseconds, request_text, table_at, text_at
from holdfast.agents.transcripts import Belongs, Past, Source, leading, objects, stamp

CLIENT = "copilot"
_START_TYPE = "session.start"
_KINDS = {"user.message": PROMPT, "assistant.message": REPLY}


def is_one(first: Mapping[str, object]) -> bool:
    """Say whether a line is of such a transcript."""
    return first.get("type") == _START_TYPE


def sources(home: Path, belongs: Belongs) -> Iterator[Source]:
    """Find the sessions of a project."""
    for path in sorted((home / "session-state").glob("*/events.jsonl")):
        context = table_at(_start_event(path), "context")
        if belongs(text_at(context, "cwd", "gitRoot")):
            yield source(path)


def source(path: Path) -> Source:
    """Return the session in a file."""
    mark, touched_at = stamp(path)
    return Source(name=str(path), stamp=mark, touched=touched_at, read=lambda: _read_session(path))


def _start_event(path: Path) -> dict[str, object]:
    return next((table_at(line, "data") for line in leading(path) if is_one(line)), {})


def _read_session(path: Path) -> Iterator[Past]:
    session = text_at(_start_event(path), "sessionId") or path.parent.name
    yield Past(client=CLIENT, session=session, moments=_moments(path, session, ""))
    for call, kind in _helpers(path).items():
        yield Past(
            client=CLIENT,
            session=f"{session}/{call}",
            moments=_moments(path, session, call),
            parent=session,
            helper=kind,
        )


def _helpers(path: Path) -> dict[str, str]:
    """Return the helpers that spoke, by the call that began each."""
    kinds: dict[str, str] = {}
    for line in objects(path):
        data = table_at(line, "data")
        if line.get("type") == "subagent.started":
            kinds[text_at(data, "toolCallId")] = text_at(data, "agentName") or "helper"
        elif parent := text_at(data, "parentToolCallId"):
            kinds.setdefault(parent, "helper")
    return kinds


def _moments(path: Path, session: str, helper: str) -> Iterator[AgentEvent]:
    calls: dict[str, tuple[str, dict[str, object]]] = {}
    for line in objects(path):
        data = table_at(line, "data")
        if text_at(data, "parentToolCallId") != helper:
            continue
        call = text_at(data, "toolCallId")
        if line.get("type") == "tool.execution_start":
            calls[call] = (text_at(data, "toolName"), table_at(data, "arguments"))
            continue
        event = _event_of(line, data, calls.get(call, ("", {})))
        if event and event.text:
            event.session, event.at = session, milliseconds(line.get("timestamp"))
            event.key = text_at(line, "id")
            event.kind = REPLY if helper and event.kind == PROMPT else event.kind
            yield event


def _event_of(
    line: Mapping[str, object], data: Mapping[str, object], call: tuple[str, dict[str, object]]
) -> AgentEvent | None:
    kind = _KINDS.get(text_at(line, "type"))
    if kind:
        event = AgentEvent(kind, "")
        event.text = text_at(data, "content")
        return event
    if line.get("type") != "tool.execution_complete":
        return None
    tool, tool_input = call
    result = table_at(data, "result") or table_at(data, "error")
    event = AgentEvent(TOOL, "")
    event.tool, event.ref, event.files = tool or "unknown", text_at(data, "toolCallId"), files_of(tool_input)
    output = text_at(result, "detailedContent", "content", "message")
    event.text = "\n".join(filter(None, (request_text(tool_input), answer_text(output))))
    return event
