"""OpenCode: one database, with a row for every session, message and part of one; JSON in `data`."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from holdfast.agents.events import PROMPT, REPLY, TOOL, AgentEvent
from holdfast.agents.payload import (
    answer_text,
    files_of,
    milliseconds,
    request_text,
    strip_quotes,
    table_at,
    text_at,
)
from holdfast.agents.transcripts import Belongs, Past, Source
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
    texts = [
        text_at(data, "text")
        for data in map(_data, parts)
        if data.get("type") == "text" and not data.get("synthetic")
    ]
    at = milliseconds(row.get("time_created"))
    event = AgentEvent(PROMPT if person else REPLY, session, at=at, key=text_at(row, "id"))
    event.text = strip_quotes("\n".join(filter(None, texts)))
    if event.text:
        yield event


def _event_of(row: Mapping[str, object], session: str) -> AgentEvent | None:
    data, at = _data(row), milliseconds(row.get("time_created"))
    if data.get("type") == "text" and not data.get("synthetic"):
        event = AgentEvent(REPLY, session, at=at, key=text_at(row, "id"))
        event.text = text_at(data, "text")
        return event if event.text else None
    state = table_at(data, "state")
    if data.get("type") != "tool" or state.get("status") not in ("completed", "error"):
        return None
    tool_input, call = table_at(state, "input"), text_at(data, "callID")
    event = AgentEvent(TOOL, session, at=at, key=call)
    event.tool, event.ref, event.files = text_at(data, "tool") or "unknown", call, files_of(tool_input)
    event.text = "\n".join(
        filter(None, (request_text(tool_input), answer_text(state.get("output") or state.get("error"))))
    )
    return event


def _data(row: Mapping[str, object]) -> dict[str, object]:
    try:
        value = json.loads(text_at(row, "data") or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
