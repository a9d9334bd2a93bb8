"""What an embedded store keeps about its own use: tombstones, the audit chain, accesses."""

import json
from collections.abc import Callable, Mapping, Sequence

from holdfast.model.limits import ACCESS_ROWS, AUDIT_EVENTS, AUDIT_KEPT
from holdfast.model.records import TOTALLED, Access, Event, Sealed
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.hashes import ROOT, link
from holdfast.stores.sql.records import SqlTombstones
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import SCRUB_PENDING, UNREADABLE, SqliteTables

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Row


Mark = tuple[bool, bytes]
"""Whether it stands from now on, and the keyed fingerprint."""


class SqliteTombstones(SqlTombstones):
    """`ports.Tombstones` on SQLite."""

    def __init__(self, database: Database, notify: Callable[[str, Sequence[Mark]], None] | None = None) -> None:
        tables = SqliteTables(database)
        super().__init__(tables, tables.fact("tombstone_key") or b"")
        self._database = database
        self._notify = notify

    def add(self, fingerprints: Sequence[str]) -> None:
        self._write("tombstone_add", self._marks_of(fingerprints), stands=True)

    def standing(self, fingerprints: Sequence[str]) -> set[str]:
        if not self._database.one("tombstones_any"):
            return set()
        return {
            fingerprint
            for fingerprint, mark in zip(fingerprints, self._marks_of(fingerprints), strict=True)
            if self._database.one("tombstone_standing", {"mark": mark})
        }

    def remove(self, fingerprints: Sequence[str]) -> None:
        self._write("tombstone_remove", self._marks_of(fingerprints), stands=False)

    def adopt(self, sealed_marks: Sealed) -> None:
        self._key = sealed_marks.key
        self._tables.note("tombstone_key", sealed_marks.key)
        self._database.all("tombstones_clear")
        self._write("tombstone_add", sorted(sealed_marks.marks), stands=True)

    def _write(self, query: str, marks: Sequence[bytes], *, stands: bool) -> None:
        """Change some marks, and tell who wants to know of it once that is kept."""
        self._database.many(query, ({"mark": mark} for mark in marks))
        notify = self._notify
        if notify and marks:
            store_id = str(self._tables.fact("store_id") or "")
            self._database.after_commit(lambda: notify(store_id, [(stands, mark) for mark in marks]))


class SqliteAudit:
    """`ports.AuditLog` on SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tables = SqliteTables(database)

    def record(self, event: Event) -> None:
        last = self._database.one("audit_last")
        previous = cast(str, last[1]) if last else _anchor(self._database)
        digest = link(previous, event.action, event.actor, event.at, event.ids, event.detail)
        self._database.all("audit_record", self._tables.row(event) | {"hash": digest})
        if event.action in TOTALLED:
            self._database.all("meta_add", {"key": f"total_{event.action}", "value": len(event.ids)})
        self._trim()

    def events(self, limit: int) -> list[Event]:
        return self._tables.select(Event, "audit_events", {"limit": limit})

    def after(self, number: int, limit: int) -> list[tuple[int, Event]]:
        rows = self._database.all("audit_after", {"seq": number, "limit": limit})
        return self._tables.numbered(Event, rows)

    def span(self) -> tuple[int, int]:
        first, last = cast("tuple[int | None, int | None]", self._database.one("audit_span"))
        return (first, last) if first is not None and last is not None else (1, 0)

    def broken_at(self) -> int | None:
        return next(iter(broken_events(self._database)), None)

    def _trim(self) -> None:
        """Let the oldest events go, but keep the hash that the rest hangs on."""
        first, last = cast("tuple[int, int]", self._database.one("audit_span"))
        if last - first + 1 <= AUDIT_EVENTS:
            return
        upto = last - AUDIT_KEPT
        anchor = self._database.one("audit_hash", {"seq": upto})
        self._tables.note("audit_anchor", anchor[0] if anchor else ROOT)
        self._database.all("audit_trim", {"seq": upto})


def broken_events(database: Database) -> list[int]:
    """Return the numbers of the events that do not fit the one before them, or cannot even be read."""
    with database.reading():
        previous: object = _anchor(database)
        rows = database.all("audit_chain")
    numbers: list[int] = []
    next_number = cast(int, rows[0][0]) if rows else 0
    for row in rows:
        number = cast(int, row[0])
        numbers.extend(range(next_number, number))
        if not _fits(previous, row):
            numbers.append(number)
        previous, next_number = row[-1], number + 1
    return numbers


def _fits(previous: object, row: "Row") -> bool:
    """Whether an event's hash is that of what it says and of the hash before it."""
    try:
        _, action, actor, at, ids, detail, stored_hash = cast("tuple[int, str, str, int, str, str, str]", row)
        return stored_hash == link(str(previous), action, actor, at, json.loads(ids), json.loads(detail))
    except UNREADABLE:
        return False


def _anchor(database: Database) -> str:
    return str(SqliteTables(database).fact("audit_anchor") or ROOT)


class SqliteAccesses:
    """`ports.AccessLog` on SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tables = SqliteTables(database)

    def record(self, accesses: Sequence[Access]) -> None:
        self._tables.put("access_record", accesses)
        self._database.all("access_trim", {"kept": ACCESS_ROWS})

    def forget(self, ids: Sequence[str]) -> None:
        self._database.all("accesses_forget", {"ids": self._tables.ids(ids)})
        self._database.all("accesses_unquote")
        self._tables.note(SCRUB_PENDING, 1)

    def reword(self, queries: Mapping[str, str | None]) -> None:
        for before, query in queries.items():
            self._database.all("accesses_reword", {"before": before, "query": query})
        self._tables.note(SCRUB_PENDING, 1)

    def recent(self, limit: int) -> list[Access]:
        return self._tables.select(Access, "access_recent", {"limit": limit})
