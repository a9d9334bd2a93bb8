"""OpenCode: one database, with a row for every session, message and part of one; JSON in `data`."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from holdfast.agents.events import PROMPT, REPLY, TOOL, Moment
from holdfast.agents.past_session import Belongs, Past, Source
from holdfast.agents.payload import asked, files_of, milliseconds, said, table_at, text_at, unquoted
from holdfast.ports import Rows

CLIENT = "opencode"
DATABASE = "opencode.db"


def sources(path: Path, rows: Rows, belongs: Belongs) -> Iterator[Source]:
    """Find the sessions of a project, a helper's after the one it worked for."""
    found = [row for row in rows("session") if belongs(text_at(row, "directory"))]
    for row in sorted(found, key=lambda one: (bool(text_at(one, "parent_id")), str(one.get("time_created")))):
        yield _source(path, rows, row)


def _source(path: Path, rows: Rows, row: Mapping[str, object]) -> Source:
    session, changed = text_at(row, "id"), milliseconds(row.get("time_updated")) or 0
    return Source(
        name=f"{path}#{session}", stamp=str(changed), touched=changed, read=lambda: _read(rows, row, session)
    )


def _read(rows: Rows, row: Mapping[str, object], session: str) -> Iterator[Past]:
    parent = text_at(row, "parent_id")
    yield Past(
        client=CLIENT,
        session=session,
        moments=_moments(rows, session, person=not parent),
        parent=parent,
        helper=(text_at(row, "agent") or "helper") if parent else "",
    )


def _moments(rows: Rows, session: str, *, person: bool) -> Iterator[Moment]:
    parts: defaultdict[str, list[Mapping[str, object]]] = defaultdict(list)
    for row in rows("part", "session_id", session):
        parts[text_at(row, "message_id")].append(row)
    messages = list(rows("message", "session_id", session))
    for row in sorted(messages, key=lambda one: (milliseconds(one.get("time_created")) or 0, text_at(one, "id"))):
        kept = sorted(parts[text_at(row, "id")], key=lambda one: text_at(one, "id"))
        if text_at(_data(row), "role") == "user":
            yield from _prompt(row, kept, session, person=person)
        else:
            yield from (found for part in kept if (found := _heard(part, session)))


def _prompt(
    row: Mapping[str, object], parts: list[Mapping[str, object]], session: str, *, person: bool
) -> Iterator[Moment]:
    texts = [
        text_at(data, "text")
        for data in map(_data, parts)
        if data.get("type") == "text" and not data.get("synthetic")
    ]
    at = milliseconds(row.get("time_created"))
    found = Moment(PROMPT if person else REPLY, session, at=at, key=text_at(row, "id"))
    found.text = unquoted("\n".join(filter(None, texts)))
    if found.text:
        yield found


def _heard(row: Mapping[str, object], session: str) -> Moment | None:
    data, at = _data(row), milliseconds(row.get("time_created"))
    if data.get("type") == "text" and not data.get("synthetic"):
        found = Moment(REPLY, session, at=at, key=text_at(row, "id"))
        found.text = text_at(data, "text")
        return found if found.text else None
    state = table_at(data, "state")
    if data.get("type") != "tool" or state.get("status") not in ("completed", "error"):
        return None
    given, call = table_at(state, "input"), text_at(data, "callID")
    found = Moment(TOOL, session, at=at, key=call)
    found.tool, found.ref, found.files = text_at(data, "tool") or "unknown", call, files_of(given)
    found.text = "\n".join(filter(None, (asked(given), said(state.get("output") or state.get("error")))))
    return found


def _data(row: Mapping[str, object]) -> dict[str, object]:
    try:
        value = json.loads(text_at(row, "data") or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
