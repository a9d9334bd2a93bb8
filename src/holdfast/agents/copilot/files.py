"""Copilot CLI's files: `session-state/<session>/events.jsonl`, in which it writes sessions down (what a helper
says names the call that began it); and what is installed into it."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from holdfast.agents.copilot import EVENTS
from holdfast.agents.events import PROMPT, REPLY, TOOL, AgentEvent, milliseconds, table_at, text_at
from holdfast.agents.targets import PROJECT, SECONDS, Installation, InstallScope, Target, WholeFile, server_file
from holdfast.agents.transcripts import (
    UNKNOWN_CALL,
    UNKNOWN_TOOL,
    Belongs,
    Call,
    Past,
    Source,
    leading,
    objects,
    source_of,
)

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
    return source_of(lambda: _read_session(path), path)


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
    calls: dict[str, Call] = {}
    for line in objects(path):
        data = table_at(line, "data")
        if text_at(data, "parentToolCallId") != helper:
            continue
        call = text_at(data, "toolCallId")
        if line.get("type") == "tool.execution_start":
            calls[call] = (text_at(data, "toolName") or UNKNOWN_TOOL, table_at(data, "arguments"))
            continue
        event = _event_of(line, data, calls.get(call, UNKNOWN_CALL))
        if event and event.text:
            event.session, event.at = session, milliseconds(line.get("timestamp"))
            event.key = text_at(line, "id")
            event.kind = REPLY if helper and event.kind == PROMPT else event.kind
            yield event


def _event_of(line: Mapping[str, object], data: Mapping[str, object], call: Call) -> AgentEvent | None:
    kind = _KINDS.get(text_at(line, "type"))
    if kind:
        return AgentEvent(kind, "", text=text_at(data, "content"))
    if line.get("type") != "tool.execution_complete":
        return None
    result = table_at(data, "result") or table_at(data, "error")
    event = AgentEvent(TOOL, "")
    event.read_call(*call, text_at(result, "detailedContent", "content", "message"), text_at(data, "toolCallId"))
    return event


def targets(place: InstallScope) -> list[Target]:
    """Return the files in which Copilot CLI is told of holdfast: hooks in one of our own, and the server."""
    if place.scope == PROJECT:
        hooks, servers = place.root / ".github" / "hooks", place.root / ".github" / "mcp.json"
    else:
        folder = place.folder(*INSTALLATION.folder)
        hooks, servers = folder / "hooks", folder / "mcp-config.json"
    return [
        WholeFile(hooks / "holdfast.json", _hooks(place)),
        server_file(servers, "mcpServers", {"type": "local", **place.stdio(), "tools": ["*"]}),
    ]


def _hooks(place: InstallScope) -> str:
    key = "powershell" if sys.platform == "win32" else "bash"
    hooks = {
        event: [{"type": "command", key: place.command("copilot", event), "timeoutSec": SECONDS}]
        for event in EVENTS
    }
    return json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"


INSTALLATION = Installation(
    name="Copilot CLI",
    programs=("copilot",),
    folder=(".copilot", "COPILOT_HOME"),
    targets=targets,
    to_do="Sessions that run now get it when they start again.",
)
