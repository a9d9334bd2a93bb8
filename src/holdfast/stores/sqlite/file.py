"""The embedded store as a file: copied, replaced, examined and repaired as a whole.

Every command asks whose file it is; few do more, so what those need is imported there.
"""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.errors import StoreBusy, StoreDamaged, StoreError
from holdfast.machine import disk
from holdfast.machine.paths import PROJECT_HOME
from holdfast.model.requests import Draft
from holdfast.ports import Store
from holdfast.stores.sqlite import files, migrate
from holdfast.stores.sqlite.connection import SCHEMA_VERSION, Database
from holdfast.stores.sqlite.opening import open_database
from holdfast.stores.sqlite.records import SqliteTombstones
from holdfast.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from holdfast.model.care import Contents, Diagnosis


class SqliteFile(Struct, frozen=True):
    """`ports.StoreFile` for an SQLite file."""

    path: Path
    claim: Callable[[Path, str], None] = lambda fresh, store_id: None
    """Told of a new store's file and id just before the file gets its name."""
    busy_ms: int = 5_000

    def present(self) -> bool:
        return files.check_existing(self.path)

    def parts(self) -> list[Path]:
        name = self.path.name
        names = (name, f"{name}-*", f".{name}.*", "vectors*", ".vectors*")
        paths = {path for name in names for path in self.path.parent.glob(name)}
        return sorted(path for path in paths if path.is_file() and not path.is_symlink())

    def store_id(self) -> str | None:
        with contextlib.suppress(StoreError), self._open_database() as database:
            row = database.one("meta_get", {"key": "store_id"})
            return str(row[0]) if row else None
        return None

    def back_up(self, target: Path) -> "Contents":
        from holdfast.stores.sqlite import backup

        return backup.back_up(self.path, target)

    def inspect(self, copy: Path, *, ours: bool) -> "Contents":
        from holdfast.stores.sqlite import backup

        return backup.inspect_to_restore(copy, ours=ours)

    def marks(self) -> set[bytes]:
        with contextlib.suppress(StoreError), self._open_database() as database:
            return SqliteTombstones(database).marks()
        return set()

    def marks_of(self, copy: Path) -> set[bytes]:
        from holdfast.stores.sqlite import backup

        return backup.marks_of(copy)

    def holds(self, copy: Path, memories: Sequence[str], turns: Sequence[str]) -> bool:
        from holdfast.stores.sqlite import backup

        return backup.holds(copy, memories, turns)

    def rewrite(self, copy: Path, marks: Iterable[bytes], change: Callable[[Store], None]) -> None:
        from holdfast.stores.sqlite import backup

        def change_rows(database: Database) -> None:
            store = SqliteStore(database)
            change(store)
            store.scrub()

        backup.rewrite(copy, marks, change_rows)

    def aside(self) -> list[Path]:
        return files.aside(self.path)

    def drafts(self) -> Iterator[Draft | str]:
        from holdfast.stores.sqlite import takeover

        for row in takeover.read_drafts(self.path):
            yield row.reason if isinstance(row, takeover.RejectedRow) else row

    def replace(self, label: str, now: int, fill: Callable[[Path], str], *, lock: bool) -> Path | None:
        aside: list[Path] = []

        def fill_and_clear(fresh: Path) -> None:
            store_id = fill(fresh)
            self.claim(fresh, store_id)
            self._make_home()
            if self.path.exists():
                with self._quiet() if lock else contextlib.nullcontext():
                    aside.append(files.set_aside(self.path, label, now))

        if not self.path.parent.is_dir():
            self._make_home()
        if not files.create(self.path, fill_and_clear):
            raise StoreBusy(path=self.path, seconds=0)
        for old in aside:
            files.drop_empty_log(old)
        return aside[0] if aside else None

    def build(self, fresh: Path, project: str, now: int) -> str:
        return migrate.build(fresh, project=project, now=now, log=disk.mount_kind(fresh.parent) is None)

    def fill_from(self, copy: Path, fresh: Path, marks: Iterable[bytes], now: int) -> None:
        from holdfast.stores.sqlite import backup

        backup.fill_from(copy, fresh, marks, now)

    def copy_rows(self, fresh: Path, now: int) -> tuple[str, Mapping[str, int]]:
        from holdfast.stores.sqlite import takeover

        return takeover.copy_rows(self.path, fresh, now)

    def open(self, fresh: Path) -> Store:
        return SqliteStore(Database(str(fresh)))

    def diagnose(self) -> "list[Diagnosis]":
        from holdfast.stores.sqlite import checkup

        with self._open_database() as database:
            return checkup.diagnose(database)

    def repair(self) -> list[str]:
        from holdfast.stores.sqlite import checkup

        with self._open_database() as database:
            if checkup.is_damaged(database):
                raise StoreDamaged(path=self.path, problem="in more than its indexes")
            return checkup.repair(database)

    def newer_rows(self, copy: Path) -> Mapping[str, int] | None:
        from holdfast.stores.sqlite import backup

        return backup.newer_rows(self.path, copy)

    def leftovers(self, folder: Path) -> list[Path]:
        return files.leftovers(folder)

    def sweep(self, folder: Path) -> int:
        return files.sweep(folder)

    def indexed(self) -> int:
        from holdfast.stores.sqlite import checkup

        with self._open_database() as database:
            return checkup.indexed_rows(database)

    def reindex(self, progress: Callable[[int], None]) -> int:
        from holdfast.stores.sqlite import checkup

        with self._open_database() as database:
            return checkup.rebuild_indexes(database, progress)

    def _make_home(self) -> None:
        if self.path.parent.name == PROJECT_HOME:
            files.prepare_directory(self.path.parent)
            files.ignore_in_git(self.path.parent)

    @contextlib.contextmanager
    def _open_database(self) -> Iterator[Database]:
        database = open_database(self.path, known=SCHEMA_VERSION, busy_ms=self.busy_ms)
        try:
            yield database
        finally:
            database.close()

    @contextlib.contextmanager
    def _quiet(self) -> Iterator[None]:
        """Keep writers out while the file gets another name. One that cannot be locked has none to keep out."""
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(StoreDamaged):
                database = stack.enter_context(self._open_database())
                if not database.refusal:
                    database.truncate_log()
                    stack.enter_context(database.writing())
            if sys.platform == "win32":  # which renames nothing that anybody has open, be it us or a writer
                stack.close()
            yield
