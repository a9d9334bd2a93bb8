"""A store made anew from what is left of a damaged one.

Its own sound rows come first, then what is missing, row by row, from the newest backup that has it. Indexes are
filled from these rows alone, never from a damaged one.
"""

import contextlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import StoreDamaged, StoreError
from holdfast.machine import mounts
from holdfast.model.brief import Receipt
from holdfast.model.care import Salvaged, event_names
from holdfast.model.finding import Finding
from holdfast.stores.sqlite import checkup, files, migrate
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.records import broken_events, unsound_events
from holdfast.stores.sqlite.rows import evidence_rows, value_of
from holdfast.stores.sqlite.sealed import SEALED_TABLES, SealedTable, damaged_rows
from holdfast.stores.sqlite.seals import UNREADABLE, facts_are_sound, seal_facts, sound_vectors
from holdfast.stores.sqlite.topics import Topics
from holdfast.stores.sqlite.wreck import deleted_numbers, last_number, raw_rows, remains_of

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Row, Value

_PLAIN = {
    "tombstone": "mark",
    "audit": "seq, at, action, actor, ids, detail, hash",
    "access": "seq, memory, action, at, score, query",
    "receipt": "seq, id, at, agent, session, prompted, budget, tokens, took_ms, cut, degraded, items",
    "spooled": "spool, sequence, at",
}
"""Tables without seals: marks, the log with its own chain, and what is only counted."""

_TURNS = next(table for table in SEALED_TABLES if table.name == "turn")

_OWN_FACTS = frozenset(("epoch", "scrub_pending"))
"""Facts that belong to one file."""


class Salvage:
    """The new store while it is filled."""

    def __init__(self, fresh: Database) -> None:
        self._fresh = fresh
        self._missing_rows: dict[str, dict[int, str]] = {}
        self._torn: dict[str, set[int]] = {}
        self._sessions: dict[str, int] = {}
        self._astray: dict[int, object] = {}
        """Turns whose session is not here yet: it may come from a backup."""
        self._last_event = 0
        self.kept = 0
        self.restored: list[str] = []

    def take_over(self, wreck: Database) -> None:
        """Copy everything of a damaged store that is as it was written."""
        for table in SEALED_TABLES:
            remains = remains_of(wreck, table)
            self.kept += self._put_rows(table, remains.sound)
            self._missing_rows[table.name] = remains.missing()
            if not remains.known:
                self._torn[table.name] = set(remains.sound) | deleted_numbers(wreck, table.name)
        for table_name, columns in _PLAIN.items():
            rows = [row for row in raw_rows(wreck, table_name, columns) if _is_sound(table_name, row)]
            self._put_plain(table_name, columns, rows)
        self._last_event = last_number(wreck, "audit")
        self._put_vectors(wreck)

    def fill_from(self, backup: Database, date: str) -> None:
        """Bring back from a backup what is still missing."""
        for table in SEALED_TABLES:
            available = remains_of(backup, table).sound
            values = {
                number: value for number, value in available.items() if self._wants(table.name, number, value)
            }
            self._put_rows(table, values)
            for number, value in values.items():
                self._missing_rows[table.name].pop(number, None)
                self.restored.append(f"{_name(table, value)}, as it was on {date}")
            if table.name == "turn":
                self.kept += self._put_rows(table, self._astray)
        event_numbers = mend_audit(self._fresh, backup, self._last_event)
        self.restored += [f"{name}, as on {date}" for name in event_names(event_numbers)]

    def take_facts(self, source: Database) -> None:
        """Copy what a store knows about itself."""
        for key, value in raw_rows(source, "meta", "key, value"):
            if key not in _OWN_FACTS:
                self._fresh.all("meta_set", {"key": key, "value": value})
        seal_facts(self._fresh)

    def complete(self) -> bool:
        """Whether nothing is missing any more."""
        return not any(self._missing_rows.values()) and not self._torn and not self._lost_events()

    def lost(self) -> list[str]:
        """Return what no backup has."""
        return [
            f"{table} {row_id or number}"
            for table, rows in self._missing_rows.items()
            for number, row_id in rows.items()
        ] + [*(_name(_TURNS, turn) for turn in self._astray.values()), *event_names(self._lost_events())]

    def finish(self) -> None:
        """Make what follows from the rows."""
        Topics(self._fresh).refill()
        checkup.repair_change_log(self._fresh)

    def _lost_events(self) -> list[int]:
        return unsound_events(self._fresh, self._last_event)

    def _wants(self, table: str, number: int, value: object) -> bool:
        if number in self._missing_rows[table]:
            return _alike(self._missing_rows[table][number], str(getattr(value, "id", "")))
        return table in self._torn and number not in self._torn[table]

    def _put_rows(self, table: SealedTable, values: Mapping[int, object]) -> int:
        """Write the rows that can be placed and are not here yet; return how many those are."""
        new_count = 0
        for row in [self._row(table, number, value) for number, value in list(values.items())]:
            if row:
                columns = ", ".join(f'"{name}"' for name in row)
                insertion = f"INSERT OR IGNORE INTO {_values(table.name, columns)} RETURNING 1"
                new_count += len(self._fresh.rows(insertion, tuple(row.values())))
        for value in list(values.values()):
            if isinstance(value, Finding):
                self._fresh.many("evidence_put", evidence_rows(value))
        return new_count

    def _row(self, table: SealedTable, number: int, value: object) -> "dict[str, Value] | None":
        row = dict(table.row(value))
        if table.name == "alias":
            return row
        row["seq"] = number
        if table.name == "session":
            self._sessions[str(row["id"])] = number
        if table.name == "turn":
            session = self._sessions.get(str(row["session"]))
            row["session"] = session
            if session is None:
                self._astray[number] = value
                return None
            self._astray.pop(number, None)
        return row

    def _put_plain(self, table: str, columns: str, rows: "Sequence[Row]") -> None:
        for row in rows:
            with contextlib.suppress(StoreError):  # against the rules of the schema: damaged
                self._fresh.insert_rows(f"INSERT OR IGNORE INTO {_values(table, columns)}", [row])

    def _put_vectors(self, wreck: Database) -> None:
        """Copy vectors, so that nothing that is sound has to be embedded anew; rows without sound ones wait."""
        vectors = raw_rows(wreck, "vector", "target, row, chunk, embedding, seal")
        for chunks in sound_vectors(vectors):
            place = (chunks[0]["target"], chunks[0]["row"])
            if self._fresh.rows("SELECT 1 FROM unembedded WHERE target = ? AND row = ?", place):
                self._fresh.many("vector_insert", chunks)
                self._fresh.rows("DELETE FROM unembedded WHERE target = ? AND row = ?", place)


def salvage(source: Path, fresh: Path, backups: Sequence[tuple[Path, str]], marks: set[bytes]) -> Salvaged:
    """Fill an empty file with what is left of a store, and with what backups have of the rest.

    The file has another epoch than the damaged one, so that indexes kept beside that are not believed.
    """
    log = mounts.mount_kind(fresh.parent) is None
    migrate.build(fresh, project="", now=0, log=log)
    into, wreck = Database(str(fresh)), Database(str(source))
    try:
        with into.writing():
            rescue = Salvage(into)
            rescue.take_over(wreck)
            sound_facts = _facts_can_be_read(wreck)
            if sound_facts:
                rescue.take_facts(wreck)
            for path, date in backups:
                if rescue.complete() and sound_facts:
                    break
                with _brought_up(path, fresh) as backup:
                    if not sound_facts:
                        rescue.take_facts(backup)
                        sound_facts = True
                    rescue.fill_from(backup, date)
            if not sound_facts:
                raise StoreDamaged(path=source, problem="not even its id can be read, and there is no backup")
            into.many("tombstone_add", ({"mark": mark} for mark in marks))
            rescue.finish()
        _check(into)
        store_id, lost = into.one("meta_get", {"key": "store_id"}), tuple(rescue.lost())
    finally:
        into.close()
        wreck.leave_log()
    return Salvaged(
        store_id=str(store_id[0]) if store_id else "",
        kept=rescue.kept,
        restored=tuple(rescue.restored),
        lost=lost,
    )


def mend_log(source: Path, backups: Sequence[tuple[Path, str]]) -> list[int]:
    """Put events of backups in the place of those that no longer fit; return their numbers.

    Only where the chain holds afterwards: an event that somebody wrote anew fits nowhere.
    """
    with contextlib.closing(Database(str(source))) as database:
        numbers: list[int] = []
        for path, _ in backups:
            if not broken_events(database):
                break
            with _brought_up(path, source) as backup, database.writing():
                numbers += mend_audit(database, backup)
        return numbers


def mend_audit(database: Database, backup: Database, last: int = 0) -> list[int]:
    """Put events of a backup in the place of those that do not fit, where that makes them fit; return which.

    `last`: the number of the last event that there was, where some may be missing at the end.
    """
    before = set(unsound_events(database, last))
    columns = _PLAIN["audit"]
    rows = [row for row in raw_rows(backup, "audit", columns) if row[0] in before] if before else []
    if not rows:
        return []
    try:
        with database.writing():
            database.insert_rows(f"INSERT OR REPLACE INTO {_values('audit', columns)}", rows)
            after = set(unsound_events(database, last))
            if not after < before:
                raise StoreDamaged(path=database.path, problem="the backup's events do not fit either")
    except StoreDamaged:
        return []
    return sorted(before - after)


@contextlib.contextmanager
def _brought_up(copy: Path, beside: Path) -> Iterator[Database]:
    """Open a backup with today's schema: a private copy of it."""
    with files.private_file(beside) as path:
        shutil.copyfile(copy, path)
        with migrate.brought_up(path) as database:
            yield database


def _values(table: str, columns: str) -> str:
    return f"{table} ({columns}) VALUES ({', '.join('?' * len(columns.split(',')))})"


def _check(database: Database) -> None:
    """Refuse to put a store in place of another that is not sound itself."""
    problems = damaged_rows(database) or checkup.broken_pages(database)
    if problems:
        raise StoreDamaged(path=database.path, problem=f"what is left does not make a sound store ({problems[0]})")


def _facts_can_be_read(database: Database) -> bool:
    try:
        return facts_are_sound(database) and bool(database.one("meta_get", {"key": "store_id"}))
    except StoreError:
        return False


def _alike(first: str, second: str) -> bool:
    """Whether two ids are of one row: the same, or one of them with a flipped bit or two; what has none may be."""
    if not first or not second:
        return True
    return len(first) == len(second) and sum(a != b for a, b in zip(first, second, strict=True)) <= 2


def _name(table: SealedTable, value: object) -> str:
    title = str(getattr(value, "title", ""))
    name = str(getattr(value, "id", "") or value)
    return f"{table.name} {name}" + (f" ({title[:60]!r})" if title else "")


def _is_sound(table: str, row: "Row") -> bool:
    """Whether a row without a seal can be read at all."""
    if table != "receipt":
        return all(not isinstance(value, bytes) for value in row) or table == "tombstone"
    try:
        return bool(value_of(Receipt, row[1:]))
    except UNREADABLE:
        return False
