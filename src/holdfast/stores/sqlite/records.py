"""What an embedded store keeps about its own use: tombstones, the audit chain, accesses."""

import json
from collections.abc import Callable, Mapping, Sequence

from holdfast.model.limits import ACCESS_ROWS, AUDIT_EVENTS, AUDIT_KEPT
from holdfast.model.records import TOTALLED, Access, Event, Sealed
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.chain import ROOT, link
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import to_json
from holdfast.stores.sqlite.seals import UNREADABLE, readable, seal_facts
from holdfast.stores.tombstone import mark_of

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Row, Value


Mark = tuple[bool, bytes]
"""Whether it stands from now on, and the keyed fingerprint."""


class SqliteTombstones:
    """`ports.Tombstones` on SQLite: the fingerprint is keyed, so that a guess at the text needs the store."""

    def __init__(self, database: Database, told: Callable[[str, Sequence[Mark]], None] | None = None) -> None:
        self._database = database
        self._told = told
        row = database.one("meta_get", {"key": "tombstone_key"})
        self._key = cast(bytes, row[0]) if row else b""

    def add(self, fingerprints: Sequence[str]) -> None:
        for fingerprint in fingerprints:
            self._database.all("tombstone_add", {"mark": self._mark(fingerprint)})
        self._tell([(True, self._mark(fingerprint)) for fingerprint in fingerprints])

    def standing(self, fingerprints: Sequence[str]) -> set[str]:
        if not self._database.one("tombstones_any"):
            return set()
        return {
            fingerprint
            for fingerprint in fingerprints
            if self._database.one("tombstone_standing", {"mark": self._mark(fingerprint)})
        }

    def count(self) -> int:
        row = self._database.one("tombstones_count")
        return cast(int, row[0]) if row else 0

    def remove(self, fingerprints: Sequence[str]) -> None:
        for fingerprint in fingerprints:
            self._database.all("tombstone_remove", {"mark": self._mark(fingerprint)})
        self._tell([(False, self._mark(fingerprint)) for fingerprint in fingerprints])

    def sealed(self) -> Sealed:
        return Sealed(self._key, frozenset(self.marks()))

    def adopt(self, sealed: Sealed) -> None:
        self._key = sealed.key
        self._database.all("meta_set", {"key": "tombstone_key", "value": sealed.key})
        self._database.all("tombstones_clear")
        self._database.many("tombstone_add", ({"mark": mark} for mark in sorted(sealed.marks)))
        seal_facts(self._database)
        self._tell([(True, mark) for mark in sorted(sealed.marks)])

    def marks(self) -> set[bytes]:
        """Return every mark that stands."""
        return {cast(bytes, mark) for (mark,) in self._database.all("tombstones_all")}

    def _tell(self, marks: Sequence[Mark]) -> None:
        told = self._told
        if told and marks:
            row = self._database.one("meta_get", {"key": "store_id"})
            store_id = str(row[0]) if row else ""
            self._database.after_commit(lambda: told(store_id, marks))

    def _mark(self, fingerprint: str) -> bytes:
        return mark_of(self._key, fingerprint)


class SqliteAudit:
    """`ports.AuditLog` on SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, event: Event) -> None:
        last = self._database.one("audit_last")
        previous = cast(str, last[1]) if last else self._anchor()
        row: dict[str, Value] = {
            "at": event.at,
            "action": event.action,
            "actor": event.actor,
            "ids": to_json(list(event.ids)),
            "detail": to_json(dict(event.detail)),
            "hash": link(previous, event.action, event.actor, event.at, event.ids, event.detail),
        }
        self._database.all("audit_record", row)
        if event.action in TOTALLED:
            self._database.all("meta_add", {"key": f"total_{event.action}", "value": len(event.ids)})
        self._trim()

    def events(self, limit: int) -> list[Event]:
        return readable(self._database, "event", _event, self._database.all("audit_events", {"limit": limit}))

    def after(self, number: int, limit: int) -> list[tuple[int, Event]]:
        rows = self._database.all("audit_after", {"seq": number, "limit": limit})
        return readable(self._database, "event", _numbered_event, rows)

    def span(self) -> tuple[int, int]:
        first, last = cast("tuple[int | None, int | None]", self._database.one("audit_span"))
        return (first, last) if first is not None and last is not None else (1, 0)

    def broken_at(self) -> int | None:
        return next(iter(broken_events(self._database)), None)

    def _trim(self) -> None:
        """Let the oldest events go, but keep the hash that the rest hangs on."""
        row = cast("tuple[int, int]", self._database.one("audit_span"))
        first, last = row
        if last - first + 1 <= AUDIT_EVENTS:
            return
        upto = last - AUDIT_KEPT
        anchor = self._database.one("audit_hash", {"seq": upto})
        self._database.all("meta_set", {"key": "audit_anchor", "value": anchor[0] if anchor else ROOT})
        self._database.all("audit_trim", {"seq": upto})

    def _anchor(self) -> str:
        return _anchor(self._database)


def broken_events(database: Database) -> list[int]:
    """Return the numbers of the events that do not fit the one before them, or cannot even be read."""
    with database.reading():
        previous: object = _anchor(database)
        rows = database.all("audit_chain")
    broken: list[int] = []
    expected = cast(int, rows[0][0]) if rows else 0
    for row in rows:
        number = cast(int, row[0])
        broken.extend(range(expected, number))
        if not _fits(previous, row):
            broken.append(number)
        previous, expected = row[-1], number + 1
    return broken


def unsound_events(database: Database, last: int) -> list[int]:
    """Return the broken events, and those up to the last one there was that are missing at the end."""
    [(newest,)] = database.rows("SELECT max(seq) FROM audit")
    first_missing = max(last - AUDIT_EVENTS, 0) if newest is None else cast(int, newest)
    return [*broken_events(database), *range(first_missing + 1, last + 1)]


def _fits(previous: object, row: "Row") -> bool:
    """Whether an event's hash is that of what it says and of the hash before it."""
    try:
        _, action, actor, at, ids, detail, kept = cast("tuple[int, str, str, int, str, str, str]", row)
        return kept == link(str(previous), action, actor, at, json.loads(ids), json.loads(detail))
    except UNREADABLE:
        return False


def _anchor(database: Database) -> str:
    row = database.one("meta_get", {"key": "audit_anchor"})
    return str(row[0]) if row else ROOT


def _event(row: "Row") -> Event:
    action, actor, at, ids, detail = cast("tuple[str, str, int, str, str]", row)
    return Event(action=action, actor=actor, at=at, ids=tuple(json.loads(ids)), detail=json.loads(detail))


def _numbered_event(row: "Row") -> tuple[int, Event]:
    return cast(int, row[0]), _event(row[1:])


class SqliteAccesses:
    """`ports.AccessLog` on SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, accesses: Sequence[Access]) -> None:
        self._database.many("access_record", map(_access_row, accesses))
        self._database.all("access_trim", {"kept": ACCESS_ROWS})

    def forget(self, ids: Sequence[str]) -> None:
        self._database.all("accesses_forget", {"ids": to_json(list(ids))})
        self._database.all("accesses_unquote")
        self._database.all("meta_set", {"key": "scrub_pending", "value": 1})

    def reword(self, queries: Mapping[str, str | None]) -> None:
        for before, query in queries.items():
            self._database.all("accesses_reword", {"before": before, "query": query})
        self._database.all("meta_set", {"key": "scrub_pending", "value": 1})

    def recent(self, limit: int) -> list[Access]:
        rows = cast(
            "list[tuple[str, str, int, float | None, str | None]]",
            self._database.all("access_recent", {"limit": limit}),
        )
        return [
            Access(memory=memory, action=action, at=at, score=score, query=query)
            for memory, action, at, score, query in rows
        ]


def _access_row(access: Access) -> "dict[str, Value]":
    return {
        "memory": access.memory,
        "action": access.action,
        "at": access.at,
        "score": access.score,
        "query": access.query,
    }
