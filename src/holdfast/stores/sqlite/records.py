"""What an embedded store keeps about its own use: tombstones, the audit chain, accesses, figures."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from holdfast.model.limits import ACCESS_ROWS, AUDIT_EVENTS, AUDIT_KEPT
from holdfast.model.memory import Fading
from holdfast.model.records import TOTALLED, Access, Event, IndexHealth, Sealed
from holdfast.stores.sql.records import EVICTIONS, FADING, PROMOTIONS, READS, ROOT, SqlTombstones, SqlUpkeep, link
from holdfast.stores.sqlite.connection import IN_MEMORY, Database, Row
from holdfast.stores.sqlite.memories import UNTIDY
from holdfast.stores.sqlite.rows import SCRUB_PENDING, UNREADABLE, SqliteTables

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


def _fits(previous: object, row: Row) -> bool:
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


SLACK = 256
"""Free pages that are left to what comes next: a megabyte."""

MERGED_PAGES = 256
"""Pages of a full-text index that one slice puts together."""

MERGING = "merging"
"""Under which name it remembers that the indexes are being put together, and how far that is."""

INCREMENTAL = 2
"""`auto_vacuum` of a store that can give pages back without being copied as a whole."""


class SqliteUpkeep(SqlUpkeep):
    """`ports.Upkeep` on SQLite."""

    def __init__(self, database: Database, fading: Fading | None = None) -> None:
        super().__init__(SqliteTables(database), fading)
        self._database = database

    def health(self) -> IndexHealth:
        with self._database.reading():
            rows, indexed_rows, waiting_rows = cast("tuple[int, int, int]", self._database.one("index_health"))
            pages, free, size = self._pages()
        shrinks = self._database.pragma("auto_vacuum") == INCREMENTAL
        return IndexHealth(
            rows=rows,
            indexed=indexed_rows,
            waiting=waiting_rows,
            file_bytes=pages * size,
            free_bytes=free * size,
            shrinks=shrinks,
        )

    def used(self) -> int:
        pages, free, size = self._pages()
        return (pages - free) * size

    def refade(self, after: int, limit: int) -> int | None:
        if self._fading is None:
            return None
        numbered_memories = self.every(after, limit)
        fades = [(number, memory.fades, self._fading(memory)) for number, memory in numbered_memories]
        changes = [{"seq": number, "fades": fades_at} for number, before, fades_at in fades if before != fades_at]
        self._database.many("memory_refade", changes)
        if changes:
            self._database.all("meta_add", {"key": "fading_mark", "value": 1})
        if not numbered_memories:
            self.note(FADING, self._fading.name)
        return numbered_memories[-1][0] if numbered_memories else None

    def untidy(self) -> bool:
        shrinks = self._database.pragma("auto_vacuum") == INCREMENTAL
        return self.keeps_dead_words() or (shrinks and self._pages()[1] > SLACK)

    def keeps_dead_words(self) -> bool:
        """Whether the indexes may hold words of rows that were evicted."""
        return bool(self.fact(UNTIDY) or self.fact(MERGING))

    def compact(self, pages: int) -> bool:
        if any(self._merge(target) for target in ("memory", "turn")) or self._vacuum(pages):
            return True
        if self.fact(MERGING):
            with self._database.writing():
                for name in (MERGING, *(f"{MERGING}_{target}" for target in ("memory", "turn"))):
                    self.note(name, 0)
        return False

    def _merge(self, target: str) -> bool:
        """Put some pages of a full-text index together; return whether there is more to do.

        A merge of everything is begun once and then only gone on with: what others write meanwhile would make it
        begin anew for ever. For the same reason it has so many steps and no more; -1 of them left means none.
        """
        name = f"{MERGING}_{target}"
        if (self._number(name) or 0) < 0:
            return False
        with self._database.writing():
            remaining_steps = max(0, self._number(name) or 0)
            begins = remaining_steps == 0
            if begins:
                remaining_steps = 2 * self._tables.number(f"{target}_index_pages") // MERGED_PAGES + 2
                self.note(MERGING, 1)
                if target == "memory":  # the first; what is evicted from now on is not part of it
                    self.note(UNTIDY, 0)
            before = self._database.changes()
            self._database.all(f"{target}_merge", {"pages": -MERGED_PAGES if begins else MERGED_PAGES})
            goes_on = self._database.changes() - before >= 2 and remaining_steps > 1
            self.note(name, remaining_steps - 1 if goes_on else -1)
            return goes_on

    def _vacuum(self, pages: int) -> bool:
        """Give some free pages back to the file system; return whether there are more.

        The file itself shrinks when the write-ahead log is moved into it, unless a reader is in the way just then.
        """
        if not self._pages()[1] or self._database.pragma("auto_vacuum") != INCREMENTAL:
            return False
        with self._database.writing():
            self._database.script(f"PRAGMA incremental_vacuum({int(pages)})")
        if self._pages()[1]:
            return True
        self._database.truncate_log()
        return False

    def _pages(self) -> tuple[int, int, int]:
        """Return how many pages the file has, how many are free, and their size; in memory there is no file."""
        if self._database.path == IN_MEMORY:
            return 0, 0, 0
        pages, free, size = (
            cast(int, self._database.pragma(name)) for name in ("page_count", "freelist_count", "page_size")
        )
        return pages, free, size

    def _number(self, name: str) -> int | None:
        return cast("int | None", self.fact(name))

    def _counts(self) -> Mapping[str, int]:
        return {name: self._number(name) or 0 for name in (PROMOTIONS, EVICTIONS, READS)}

    def _set_counts(self, counts: Mapping[str, int]) -> None:
        for name, count in counts.items():
            self.note(name, count)
