"""Memories and sessions, newest first, a page at a time.

Each store has an order of its own, so a cursor says for each how far it was read.
"""

import base64
import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.check import check_choice, check_count
from holdfast.errors import InvalidInput
from holdfast.model.ids import is_full_id
from holdfast.model.kinds import SCOPES
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.model.session import Session
from holdfast.ports import Store
from holdfast.service.views.lines import Lines, MemoryLine, SessionLine

EVERYTHING, MEMORIES, SESSIONS = WHAT = ("all", "memories", "sessions")
MOST = 200

ANCHORS = 3
"""How many of the last entries a cursor names: the last may be forgotten before the next page is asked for."""


class Place(NamedTuple):
    """How far a stream was read: when its last entry was, and the ids of the last ones, the latest first."""

    at: int
    ids: tuple[str, ...]


Cursor = dict[str, Place]
"""The place of each stream."""


class TimelineRequest(Struct, frozen=True, kw_only=True):
    """What of the past to list."""

    what: str = EVERYTHING
    filters: Filters
    history: bool = False
    scope: str | None = None
    cursor: str | None = None
    limit: int = 50


class TimelinePage(Struct, frozen=True, kw_only=True):
    """A part of the past."""

    items: tuple[MemoryLine | SessionLine, ...]
    next: str | None
    now: int


Stream = Callable[[Place | None, int], Sequence[Memory | Session]]


def timeline_page(lines: Lines, request: TimelineRequest) -> TimelinePage:
    """Return the next entries; their filters are in the form that stores keep things in."""
    _check(request)
    cursor = _read_cursor(request.cursor)
    entries: list[tuple[int, str, Memory | Session]] = []
    for name, stream in _streams(lines, request).items():
        entries += [(_moment(row), name, row) for row in stream(cursor.get(name), request.limit + 1)]
    entries.sort(key=lambda entry: -entry[0])  # stable: what a store has at one moment keeps its order
    shown_entries = entries[: request.limit]
    for at, name, row in shown_entries:
        ids_before = cursor[name].ids if name in cursor else ()
        cursor[name] = Place(at, (row.id, *ids_before)[:ANCHORS])
    return TimelinePage(
        items=tuple(
            lines.memory(row) if isinstance(row, Memory) else lines.session(row) for _, _, row in shown_entries
        ),
        next=_write_cursor(cursor) if len(entries) > request.limit else None,
        now=lines.now,
    )


def _streams(lines: Lines, request: TimelineRequest) -> dict[str, Stream]:
    filters = request.filters if request.history else replace(request.filters, current_at=lines.now)
    streams: dict[str, Stream] = {}
    if request.what != SESSIONS:
        for store in lines.scopes.within(request.scope):
            name = "project" if store is lines.scopes.project else "user"
            streams[name] = _memories_of(store, filters)
    if request.what != MEMORIES and request.scope != "user" and not _of_memories_alone(request.filters):
        streams["sessions"] = _sessions_of(lines.scopes.project, filters)
    return streams


def _memories_of(store: Store, filters: Filters) -> Stream:
    def read(place: Place | None, limit: int) -> Sequence[Memory]:
        if place is None:
            return store.memories.newest(filters, limit)
        anchors = store.memories.get(place.ids)
        if anchors:
            return store.memories.before(anchors[0], limit, filters)
        until = place.at if filters.until is None else min(place.at, filters.until)
        return store.memories.newest(replace(filters, until=until), limit)

    return read


def _sessions_of(store: Store, filters: Filters) -> Stream:
    def read(place: Place | None, limit: int) -> Sequence[Session]:
        return store.sessions.page(filters, store.sessions.peek(place.ids[0]) if place else None, limit)

    return read


def _moment(row: Memory | Session) -> int:
    return row.created_at if isinstance(row, Memory) else row.started_at


def _of_memories_alone(filters: Filters) -> bool:
    """Say whether filters name something that only memories have."""
    return replace(filters, agents=(), since=None, until=None, current_at=None) != Filters()


def _check(request: TimelineRequest) -> None:
    check_choice("what", request.what, WHAT)
    check_count("limit", request.limit, 1, MOST)
    if request.scope is not None:
        check_choice("scope", request.scope, SCOPES)


def _write_cursor(cursor: Cursor) -> str:
    return base64.urlsafe_b64encode(json.dumps(cursor).encode()).decode().rstrip("=")


def _read_cursor(text: str | None) -> Cursor:
    if text is None:
        return {}
    try:
        rows = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        return {
            str(name): Place(_cursor_moment(at), tuple(map(_full_id, ids[:ANCHORS])))
            for name, (at, ids) in rows.items()
            if ids
        }
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
        raise InvalidInput(field="cursor", problem="must be the `next` of the page before.") from None


def _cursor_moment(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value < 2**53:
        raise ValueError("no moment")
    return value


def _full_id(value: object) -> str:
    if not isinstance(value, str) or not is_full_id(value):
        raise ValueError("no id")
    return value
