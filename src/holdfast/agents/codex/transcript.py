"""Codex: `sessions/<year>/<month>/<day>/rollout-*.jsonl`; what its developer and its client say is passed over."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from holdfast.agents.events import PROMPT, REPLY, TOOL, AgentEvent
from holdfast.agents.payload import answer_text, files_of, milliseconds, request_text, table_at, text_at
from holdfast.agents.transcripts import Belongs, Past, Source, leading, objects, stamp

CLIENT = "codex"
_FOLDERS = ("sessions", "archived_sessions")
_KINDS = {"user": PROMPT, "assistant": REPLY}
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_ANSWERS = ("function_call_output", "custom_tool_call_output")


def is_one(first: Mapping[str, object]) -> bool:
    """Say whether a line is of such a transcript."""
    return first.get("type") == "session_meta"


def sources(home: Path, belongs: Belongs) -> Iterator[Source]:
    """Find the sessions of a project."""
    for folder in _FOLDERS:
        for path in sorted((home / folder).glob("**/rollout-*.jsonl")):
            if belongs(text_at(_meta(path), "cwd")):
                yield source(path)


def source(path: Path) -> Source:
    """Return the session in a file."""
    mark, touched_at = stamp(path)
    return Source(name=str(path), stamp=mark, touched=touched_at, read=lambda: _read_session(path))


def _meta(path: Path) -> dict[str, object]:
    return next((table_at(line, "payload") for line in leading(path) if is_one(line)), {})


def _read_session(path: Path) -> Iterator[Past]:
    meta = _meta(path)
    session = text_at(meta, "id", "session_id") or path.stem
    subagent = table_at(table_at(meta, "source"), "subagent")
    parent = text_at(table_at(subagent, "thread_spawn"), "parent_thread_id")
    helper = text_at(table_at(subagent, "thread_spawn"), "agent_role", "agent_nickname") or "helper"
    yield Past(
        client=CLIENT,
        session=session,
        moments=_moments(path, session, person=not subagent),
        parent=parent,
        helper=helper if subagent else "",
    )


def _moments(path: Path, session: str, *, person: bool) -> Iterator[AgentEvent]:
    calls: dict[str, tuple[str, dict[str, object]]] = {}
    turn = ""
    for line in objects(path):
        payload = table_at(line, "payload")
        turn = text_at(table_at(payload, "internal_chat_message_metadata_passthrough"), "turn_id") or (
            text_at(payload, "turn_id") if line.get("type") in ("turn_context", "event_msg") else ""
        ) or turn  # fmt: skip
        if line.get("type") != "response_item":
            continue
        call = text_at(payload, "call_id")
        if payload.get("type") in _CALLS:
            calls[call] = (_tool(payload), _tool_input(payload))
            continue
        event = _event_of(payload, calls)
        if event:
            event.session, event.at = session, milliseconds(line.get("timestamp"))
            event.key = event.key or turn
            event.ref = "/".join(filter(None, (turn, call))) if call else ""
            event.kind = REPLY if event.kind == PROMPT and not person else event.kind
            yield event


def _event_of(payload: Mapping[str, object], calls: dict[str, tuple[str, dict[str, object]]]) -> AgentEvent | None:
    kind = _KINDS.get(text_at(payload, "role"))
    if payload.get("type") == "message" and kind:
        content = payload.get("content")
        parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
        event = AgentEvent(kind, "")
        event.text = "\n".join(filter(None, (text_at(part, "text") for part in parts)))
        return event if event.text else None
    if payload.get("type") in _ANSWERS:
        tool, tool_input = calls.pop(text_at(payload, "call_id"), ("", {}))
        event = AgentEvent(TOOL, "", key=text_at(payload, "call_id"))
        event.tool, event.files = tool or "unknown", files_of(tool_input)
        event.text = "\n".join(filter(None, (request_text(tool_input), answer_text(payload.get("output")))))
        return event
    return None


def _tool(payload: Mapping[str, object]) -> str:
    return "__".join(filter(None, (text_at(payload, "namespace"), text_at(payload, "name")))) or "shell"


def _tool_input(payload: Mapping[str, object]) -> dict[str, object]:
    """Return what a tool was asked: an object as JSON, a patch as a text, or a shell's command."""
    patch = payload.get("input")
    return table_at(payload, "arguments", "action") or ({"input": patch} if isinstance(patch, str) else {})
