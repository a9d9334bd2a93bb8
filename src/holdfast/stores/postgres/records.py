"""What a store on PostgreSQL keeps about its own use, and its upkeep.

Room is given back by the server's own vacuum. The chores are the batches that spare writers from waiting for each
other: changes summed up, events put into the chain, void queries put out of their rows.
"""

from collections.abc import Iterable, Mapping, Sequence

from holdfast.model.brief import Receipt
from holdfast.model.limits import ACCESS_ROWS, AUDIT_EVENTS, AUDIT_KEPT, RECEIPTS
from holdfast.model.memory import Fading, Memory
from holdfast.model.records import TOTALLED, Access, Event, IndexHealth, Sealed
from holdfast.model.vectors import MEMORY, TURN
from holdfast.stores.postgres.database import Database
from holdfast.stores.postgres.rows import PostgresTables, value_of
from holdfast.stores.postgres.stats import Stats
from holdfast.stores.sql.briefs import SqlAliases, SqlReceipts
from holdfast.stores.sql.records import FADING, ROOT, SqlTombstones, SqlUpkeep, link

SEAL_FROM = 100
"""How many events of this process may stand outside the chain before it puts them in."""

RECEIPT_SLACK = 20
"""How many receipts a process writes before old ones go."""

ACCESS_SLACK = 100
"""How many accesses more than are kept may lie there before they go together."""

FORGOTTEN = "forgotten"
"""Under which name it is counted how often something was forgotten."""

BLANK_MOST = 1_000
"""How many void queries one transaction puts out of their rows."""

SEAL_MOST = 1_000
"""How many events one transaction puts into the chain."""


class PostgresTombstones(SqlTombstones):
    """`ports.Tombstones` on PostgreSQL."""

    def __init__(self, database: Database, key: bytes) -> None:
        super().__init__(PostgresTables(database), key)
        self._database = database

    def add(self, fingerprints: Sequence[str]) -> None:
        self._tables.all("tombstones_add", {"marks": self._marks_of(fingerprints)})

    def standing(self, fingerprints: Sequence[str]) -> set[str]:
        if not fingerprints:
            return set()
        if not self._database.facts.tombstones:
            return set()
        marks = dict(zip(self._marks_of(fingerprints), fingerprints, strict=True))
        rows = self._tables.all("tombstones_standing", {"marks": list(marks)})
        return {marks[bytes(mark)] for (mark,) in rows}

    def adopt(self, sealed_marks: Sealed) -> None:
        self._key = sealed_marks.key
        self._tables.all("place_key", {"key": sealed_marks.key})
        self._tables.all("tombstones_clear")
        self._tables.all("tombstones_add", {"marks": sorted(sealed_marks.marks)})

    def remove(self, fingerprints: Sequence[str]) -> None:
        if fingerprints:
            self._tables.all("tombstones_remove", {"marks": self._marks_of(fingerprints)})

    def count(self) -> int:
        return super().count() if self._database.in_writing else self._database.facts.tombstones


class PostgresReceipts(SqlReceipts):
    """`ports.Receipts` on PostgreSQL: old ones go now and then, and nobody waits for another who sees to it."""

    def __init__(self, database: Database) -> None:
        super().__init__(PostgresTables(database))
        self._database = database
        self._untrimmed = RECEIPT_SLACK

    def recent(self, limit: int) -> list[Receipt]:
        return super().recent(min(limit, RECEIPTS))

    def _trim(self) -> None:
        self._untrimmed += 1
        if self._untrimmed > RECEIPT_SLACK and self._database.alone("trim receipt"):
            super()._trim()
            self._untrimmed = 0


class PostgresAliases(SqlAliases):
    """`ports.Aliases` on PostgreSQL."""

    def __init__(self, database: Database) -> None:
        super().__init__(PostgresTables(database))
        self._database = database

    def _pairs(self) -> Iterable[tuple[str, str]]:
        return self._database.facts.aliases


class PostgresAudit:
    """`ports.AuditLog` on PostgreSQL: events are written at once and put into the chain in batches.

    Until then an event is not protected by a hash, but nobody who writes here may change or remove a row: sealing
    and trimming are functions of the owner's. Whoever holds the chain's lock links what is committed; nobody waits
    for that lock.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tables = PostgresTables(database)
        self._stats = Stats(database)
        self._event_count: int | None = None
        self._unsealed_count = 0

    def record(self, event: Event) -> None:
        self._database.all("audit_record", self._tables.row(event))
        if event.action in TOTALLED:
            self._stats.add(f"total_{event.action}", len(event.ids))
        self._event_count = 1 + (self._count() - 1 if self._event_count is None else self._event_count)
        self._unsealed_count += 1
        if self._event_count > AUDIT_EVENTS:
            self._trim()
        elif self._unsealed_count >= SEAL_FROM:
            self._unsealed_count = 0
            self._database.after_commit(self._seal_all)

    def events(self, limit: int) -> list[Event]:
        return self._tables.select(Event, "audit_events", {"limit": limit})

    def after(self, number: int, limit: int) -> list[tuple[int, Event]]:
        self._seal_all()
        rows = self._database.all("audit_after", {"link": number, "limit": limit})
        return self._tables.numbered(Event, rows)

    def span(self) -> tuple[int, int]:
        self._seal_all()
        with self._database.reading():
            return self._fact("audit_anchor")[0] + 1, self._fact("audit_head")[0]

    def broken_at(self) -> int | None:
        self._seal_all()
        with self._database.reading():
            number, previous = self._fact("audit_anchor")
            head = self._fact("audit_head")
            rows = self._database.all("audit_chain")
        for place, action, actor, at, ids, detail, stored_hash in rows:
            number += 1
            if place != number or stored_hash != link(previous, action, actor, at, ids, detail):
                return number
            previous = stored_hash
        return None if (number, previous) == head else number + 1

    def loose(self) -> bool:
        """Say whether enough events stand outside the chain to put them in."""
        return self._tables.number("audit_unsealed_count") >= SEAL_FROM

    def seal(self) -> int:
        """Put the oldest events that are not in it yet at the end of the chain, unless somebody else is at it;
        return how many that were."""
        with self._database.writing():
            return self._seal() if self._database.alone("seal") else 0

    def _seal_all(self) -> None:
        while self.seal() == SEAL_MOST:
            pass

    def _seal(self) -> int:
        number, previous = self._fact("audit_head")
        seqs, links, hashes = [], [], []
        for seq, action, actor, at, ids, detail in self._database.all("audit_unsealed", {"limit": SEAL_MOST}):
            number += 1
            previous = link(previous, action, actor, at, ids, detail)
            seqs.append(seq)
            links.append(number)
            hashes.append(previous)
        if seqs:
            self._database.all("audit_seal", {"seqs": seqs, "links": links, "hashes": hashes})
            self._tables.note("audit_head", (number, previous))
        return len(seqs)

    def _trim(self) -> None:
        """Let the oldest events go, but keep the hash that the rest hangs on."""
        self._event_count = self._count()
        if self._event_count <= AUDIT_EVENTS or not self._database.alone("seal"):
            return
        while self._seal() == SEAL_MOST:
            pass
        [(place, last_hash)] = self._database.all("audit_trim")
        self._tables.note("audit_anchor", (place, last_hash))
        self._event_count = AUDIT_KEPT

    def _count(self) -> int:
        return self._tables.number("audit_count")

    def _fact(self, key: str) -> tuple[int, str]:
        number, chain_hash = self._tables.fact(key) or (0, ROOT)
        return number, chain_hash


class PostgresAccesses:
    """`ports.AccessLog` on PostgreSQL: nobody who logs or forgets waits for another's row.

    Past the limit accesses are not told of any more, and go in batches; so do the texts of queries that are void.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tables = PostgresTables(database)
        self._stats = Stats(database)
        self._access_count: int | None = None

    def record(self, accesses: Sequence[Access]) -> None:
        knew = self._forgotten_count()
        self._database.many("access_record", [self._tables.row(access) | {"knew": knew} for access in accesses])
        self._access_count = self._count() if self._access_count is None else self._access_count + len(accesses)
        if self._access_count > ACCESS_ROWS + ACCESS_SLACK and self._database.alone("trim access"):
            self._database.all("access_trim", {"kept": ACCESS_ROWS})
            self._access_count = self._count()

    def forget(self, ids: Sequence[str]) -> None:
        self._database.all("accesses_forget", {"ids": list(ids)})
        self._stats.add(FORGOTTEN, 1)
        self._database.after_commit(self._blank_all)

    def reword(self, queries: Mapping[str, str | None]) -> None:
        self._database.all("accesses_reword", {"before": list(queries), "query": list(queries.values())})

    def recent(self, limit: int) -> list[Access]:
        with self._database.reading():
            params = {"limit": limit, "kept": ACCESS_ROWS, "known": self._forgotten_count()}
            return self._tables.select(Access, "access_recent", params)

    def loose(self) -> bool:
        """Say whether void queries still stand in their rows."""
        return bool(self._tables.number("accesses_quoted", {"known": self._forgotten_count()}))

    def blank(self) -> int:
        """Put some void queries out of their rows, unless somebody else is at it; return how many those were."""
        with self._database.writing():
            if not self._database.alone("unquote"):
                return 0
            params = {"known": self._forgotten_count(), "limit": BLANK_MOST}
            return len(self._database.all("accesses_blank", params))

    def _blank_all(self) -> None:
        while self.blank() == BLANK_MOST:
            pass

    def _forgotten_count(self) -> int:
        return self._stats.extent(FORGOTTEN)[0]

    def _count(self) -> int:
        return self._tables.number("accesses_count", {"kept": 2 * ACCESS_ROWS})


REFADED_ONCE = "refaded_once"
"""Under which name a store remembers by which rules its rows were gone through once."""


class PostgresUpkeep(SqlUpkeep):
    """`ports.Upkeep` on PostgreSQL."""

    def __init__(
        self, database: Database, audit: PostgresAudit, accesses: PostgresAccesses, fading: Fading | None = None
    ) -> None:
        super().__init__(PostgresTables(database), fading)
        self._database = database
        self._stats = Stats(database)
        self._audit = audit
        self._accesses = accesses

    def health(self) -> IndexHealth:
        with self._database.reading():
            [(rows, waiting_rows)] = self._database.all("rows_and_waiting")
            numbers, used_bytes = self._stats.numbers(), self.used()
        indexed_rows = numbers.get(MEMORY, 0) + numbers.get(TURN, 0)
        return IndexHealth(
            rows=rows, indexed=indexed_rows, waiting=waiting_rows, file_bytes=used_bytes, free_bytes=0
        )

    def used(self) -> int:
        """Return an account of what is kept, not a measurement: a table holds the rows of many stores."""
        return self._stats.used()

    def refade(self, after: int, limit: int) -> int | None:
        if self._fading is None:
            return None
        rows = self._database.all("memories_numbered_after", {"after": after, "limit": limit})
        changes = []
        for row in rows:
            number, *_, version = row
            memory = value_of(Memory, row[1:])
            fades_at = self._fading(memory)
            if memory.fades != fades_at:
                changes.append((number, fades_at, version))
        self._refade(changes)
        if not rows:
            self._end_refading(self._fading.name)
        return rows[-1][0] if rows else None

    def _end_refading(self, name: str) -> None:
        """Note that every row fades by these rules, once it was gone through twice, in two rounds.

        A writer that knew older rules may keep a row with a lower number after it was passed in the first.
        """
        if self.fact(REFADED_ONCE) == name:
            self.note(FADING, name)
        else:
            self.note(REFADED_ONCE, name)

    def untidy(self) -> bool:
        return bool(self._stats.loose()) or self._audit.loose() or self._accesses.loose()

    def compact(self, pages: int) -> bool:
        """Do one slice of a chore; pages are the server's business. What somebody else is at is left to them."""
        if any(self._stats.fold(target) for target in self._stats.loose()):
            return True
        if self._accesses.loose() and self._accesses.blank():
            return True
        return self._audit.loose() and self._audit.seal() == SEAL_MOST

    def _refade(self, changes: list[tuple[int, int | None, int]]) -> None:
        """Write when rows fade, by their numbers, unless they have another version by now."""
        seqs, fades, versions = zip(*changes, strict=True) if changes else ((), (), ())
        params = {"seqs": list(seqs), "fades": list(fades), "versions": list(versions)}
        changed_rows = self._database.all("memories_refade", params)
        if len(changed_rows) < len(changes):
            self._database.raced("memories were changed meanwhile")
        self._database.changed(row_id for (row_id,) in changed_rows)

    def _counts(self) -> Mapping[str, int]:
        return self._stats.numbers()

    def _set_counts(self, counts: Mapping[str, int]) -> None:
        numbers = self._stats.numbers()
        for name, count in counts.items():
            self._stats.add(name, count - numbers.get(name, 0))
