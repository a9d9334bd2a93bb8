"""What an embedded store knows and does for its own upkeep: facts, candidates in their order, room given back."""

from collections.abc import Mapping

from holdfast.model.memory import Fading
from holdfast.model.records import IndexHealth
from holdfast.model.type_hints import cast
from holdfast.stores.sql.upkeep import EVICTIONS, FADING, PROMOTIONS, READS, SqlUpkeep
from holdfast.stores.sqlite.connection import IN_MEMORY, Database
from holdfast.stores.sqlite.memories import UNTIDY
from holdfast.stores.sqlite.rows import SqliteTables

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
