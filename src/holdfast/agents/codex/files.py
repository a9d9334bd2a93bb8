"""Codex's files: `sessions/<year>/<month>/<day>/rollout-*.jsonl`, in which it writes sessions down (what its
developer and its client say is passed over); and what is installed into it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from holdfast.agents.codex import EVENTS
from holdfast.agents.events import PROMPT, REPLY, TOOL, AgentEvent, milliseconds, table_at, text_at
from holdfast.agents.targets import (
    PROJECT,
    Installation,
    InstallScope,
    JsonFile,
    Target,
    TomlFile,
    commands,
    hook_groups_for,
)
from holdfast.agents.transcripts import UNKNOWN_CALL, Belongs, Call, Past, Source, leading, objects, source_of

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
    return source_of(lambda: _read_session(path), path)


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
    calls: dict[str, Call] = {}
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


def _event_of(payload: Mapping[str, object], calls: dict[str, Call]) -> AgentEvent | None:
    kind = _KINDS.get(text_at(payload, "role"))
    if payload.get("type") == "message" and kind:
        content = payload.get("content")
        parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
        text = "\n".join(filter(None, (text_at(part, "text") for part in parts)))
        return AgentEvent(kind, "", text=text) if text else None
    if payload.get("type") in _ANSWERS:
        call = text_at(payload, "call_id")
        tool, tool_input = calls.pop(call, UNKNOWN_CALL)
        event = AgentEvent(TOOL, "", key=call)
        event.read_call(tool, tool_input, payload.get("output"))
        return event
    return None


def _tool(payload: Mapping[str, object]) -> str:
    return "__".join(filter(None, (text_at(payload, "namespace"), text_at(payload, "name")))) or "shell"


def _tool_input(payload: Mapping[str, object]) -> dict[str, object]:
    """Return what a tool was asked: an object as JSON, a patch as a text, or a shell's command."""
    patch = payload.get("input")
    return table_at(payload, "arguments", "action") or ({"input": patch} if isinstance(patch, str) else {})


def targets(place: InstallScope) -> list[Target]:
    """Return the files in which Codex is told of holdfast. Commands are skills there, of the user's alone."""
    folder = place.folder(*INSTALLATION.folder)
    skills = [] if place.scope == PROJECT else commands("codex", folder / "skills", place.server)
    return [
        JsonFile(folder / "hooks.json", hook_groups_for(place, "codex", EVENTS, 3)),
        TomlFile(folder / "config.toml", "mcp_servers", "holdfast", place.stdio()),
        *skills,
    ]


_APPROVE = (
    "Codex runs no hook that you have not approved, and does not say so: start `codex`, type /hooks, and trust "
    "holdfast's. After every change of a hook, once more."
)
INSTALLATION = Installation(
    name="Codex",
    programs=("codex",),
    folder=(".codex", "CODEX_HOME"),
    targets=targets,
    to_do=_APPROVE,
    to_do_in_project=f"{_APPROVE} Codex must also trust this project.",
)
