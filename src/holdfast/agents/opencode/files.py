"""OpenCode's files: one database, with a row for every session, message and part of one (JSON in `data`); and what
is installed into it."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path

from holdfast.agents.events import PROMPT, REPLY, TOOL, AgentEvent, milliseconds, table_at, text_at
from holdfast.agents.opencode import typed_text
from holdfast.agents.targets import PROJECT, Installation, InstallScope, Target, WholeFile, commands, server_file
from holdfast.agents.transcripts import UNKNOWN_TOOL, Belongs, Past, Source
from holdfast.ports import Rows

CLIENT = "opencode"
DATABASE = "opencode.db"


def sources(path: Path, rows: Rows, belongs: Belongs) -> Iterator[Source]:
    """Find the sessions of a project, a helper's after the one it worked for."""
    session_rows = [row for row in rows("session") if belongs(text_at(row, "directory"))]
    for row in sorted(
        session_rows,
        key=lambda session_row: (bool(text_at(session_row, "parent_id")), str(session_row.get("time_created"))),
    ):
        yield _source(path, rows, row)


def _source(path: Path, rows: Rows, row: Mapping[str, object]) -> Source:
    session, changed_at = text_at(row, "id"), milliseconds(row.get("time_updated")) or 0
    return Source(
        name=f"{path}#{session}",
        stamp=str(changed_at),
        touched=changed_at,
        read=lambda: _read_session(rows, row, session),
    )


def _read_session(rows: Rows, row: Mapping[str, object], session: str) -> Iterator[Past]:
    parent = text_at(row, "parent_id")
    yield Past(
        client=CLIENT,
        session=session,
        moments=_moments(rows, session, person=not parent),
        parent=parent,
        helper=(text_at(row, "agent") or "helper") if parent else "",
    )


def _moments(rows: Rows, session: str, *, person: bool) -> Iterator[AgentEvent]:
    parts: defaultdict[str, list[Mapping[str, object]]] = defaultdict(list)
    for row in rows("part", "session_id", session):
        parts[text_at(row, "message_id")].append(row)
    messages = list(rows("message", "session_id", session))
    for row in sorted(
        messages, key=lambda message: (milliseconds(message.get("time_created")) or 0, text_at(message, "id"))
    ):
        message_parts = sorted(parts[text_at(row, "id")], key=lambda message_part: text_at(message_part, "id"))
        if text_at(_data(row), "role") == "user":
            yield from _prompt(row, message_parts, session, person=person)
        else:
            yield from (event for part in message_parts if (event := _event_of(part, session)))


def _prompt(
    row: Mapping[str, object], parts: list[Mapping[str, object]], session: str, *, person: bool
) -> Iterator[AgentEvent]:
    text = typed_text(map(_data, parts))
    if text:
        at = milliseconds(row.get("time_created"))
        yield AgentEvent(PROMPT if person else REPLY, session, at=at, key=text_at(row, "id"), text=text)


def _event_of(row: Mapping[str, object], session: str) -> AgentEvent | None:
    data, at = _data(row), milliseconds(row.get("time_created"))
    if data.get("type") == "text" and not data.get("synthetic"):
        text = text_at(data, "text")
        return AgentEvent(REPLY, session, at=at, key=text_at(row, "id"), text=text) if text else None
    state = table_at(data, "state")
    if data.get("type") != "tool" or state.get("status") not in ("completed", "error"):
        return None
    event = AgentEvent(TOOL, session, at=at, key=text_at(data, "callID"))
    tool, output = text_at(data, "tool") or UNKNOWN_TOOL, state.get("output") or state.get("error")
    event.read_call(tool, table_at(state, "input"), output, event.key)
    return event


def _data(row: Mapping[str, object]) -> dict[str, object]:
    try:
        value = json.loads(text_at(row, "data") or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def targets(place: InstallScope) -> list[Target]:
    """Return the files in which OpenCode is told of holdfast: a plugin, its configuration, commands."""
    if place.scope == PROJECT:
        folder, settings = place.root / ".opencode", _settings(place.root)
    else:
        folder = place.folder(*INSTALLATION.folder)
        settings = _settings(folder)
    return [
        WholeFile(folder / "plugin" / "holdfast.js", _plugin(place)),
        server_file(settings, "mcp", {"type": "local", "command": [place.server, "mcp"], "enabled": True}),
        *commands("opencode", folder / "command", place.server),
    ]


def _plugin(place: InstallScope) -> str:
    """Return the plugin that calls the hook program and, for what the user types, holdfast itself."""
    text = resources.files("holdfast.agents.opencode").joinpath("plugin.js").read_text(encoding="utf-8")
    return text.replace('"holdfast-hook"', json.dumps(place.hook)).replace('"holdfast"', json.dumps(place.server))


def _settings(folder: Path) -> Path:
    """Return the configuration that is there, with comments or without."""
    jsonc_file = folder / "opencode.jsonc"
    return jsonc_file if jsonc_file.exists() else folder / "opencode.json"


INSTALLATION = Installation(
    name="OpenCode",
    programs=("opencode",),
    folder=(".config/opencode", "OPENCODE_CONFIG_DIR"),
    targets=targets,
    to_do="Sessions that run now get it when they start again.",
)
