"""What an embedded store knows and does for its own upkeep: facts, candidates in their order, room given back."""

from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.model.fading import Fading
from holdfast.model.memory import Memory
from holdfast.model.records import IndexHealth, Totals
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import memory_of, numbered_memory
from holdfast.stores.sqlite.seals import readable

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Value

SLACK = 256
"""Free pages that are left to what comes next: a megabyte."""

MERGED_PAGES = 256
"""Pages of a full-text index that one slice puts together."""

UNTIDY = "untidy"
"""Under which name a store remembers that its indexes hold words of rows that are gone."""

MERGING = "merging"
"""Under which name it remembers that the indexes are being put together, and how far that is."""

INCREMENTAL = 2
"""`auto_vacuum` of a store that can give pages back without being copied as a whole."""


@contextmanager
def dead_words_stay(database: Database, target: str) -> Iterator[None]:
    """Let rows go without taking their words out of the index one by one, which takes thirty times as long.

    The words are marked as dead and go when the index is put together; a scrub does not wait for that.
    """
    database.all(f"{target}_secure", {"secure": 0})
    yield
    database.all(f"{target}_secure", {"secure": 1})
    database.all("meta_set", {"key": UNTIDY, "value": 1})


class SqliteUpkeep:
    """`ports.Upkeep` on SQLite."""

    def __init__(self, database: Database, fading: Fading | None = None) -> None:
        self._database = database
        self._fading = fading

    def fact(self, name: str) -> int | str | None:
        row = self._database.one("meta_get", {"key": name})
        return cast("int | str", row[0]) if row else None

    def note(self, name: str, value: int | str) -> None:
        self._database.all("meta_set", {"key": name, "value": value})

    def totals(self) -> Totals:
        return Totals(
            promotions=self._number("total_promote") or 0,
            evictions=self._number("total_evict") or 0,
            reads=self._number("total_reads") or 0,
            compacted_at=self._number("compacted_at"),
            tended_at=self._number("tended_at"),
        )

    def resume(self, totals: Totals) -> None:
        known = {
            "total_promote": totals.promotions,
            "total_evict": totals.evictions,
            "total_reads": totals.reads,
            "compacted_at": totals.compacted_at,
            "tended_at": totals.tended_at,
        }
        for name, value in known.items():
            if value is not None:
                self.note(name, value)

    def health(self) -> IndexHealth:
        with self._database.reading():
            rows, indexed, waiting = cast("tuple[int, int, int]", self._database.one("index_health"))
            pages, free, size = self._pages()
        shrinks = self._database.pragma("auto_vacuum") == INCREMENTAL
        return IndexHealth(
            rows=rows,
            indexed=indexed,
            waiting=waiting,
            file_bytes=pages * size,
            free_bytes=free * size,
            shrinks=shrinks,
        )

    def used(self) -> int:
        pages, free, size = self._pages()
        return (pages - free) * size

    def memories(self) -> int:
        return self._count("memories_count")

    def accesses(self) -> int:
        return self._count("accesses_count")

    def refaded(self) -> bool:
        return self._fading is None or self.fact("fading") == self._fading.name

    def refade(self, after: int, limit: int) -> int | None:
        if self._fading is None:
            return None
        found = self.every(after, limit)
        changed = [(seq, self._fading(one)) for seq, one in found if one.fades != self._fading(one)]
        self._database.many("memory_refade", ({"seq": seq, "fades": fades} for seq, fades in changed))
        if changed:
            self._database.all("meta_add", {"key": "fading_mark", "value": 1})
        if not found:
            self.note("fading", self._fading.name)
        return found[-1][0] if found else None

    def every(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("memories_numbered_after", after=after, limit=limit)

    def over(self, at: int, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("memories_over", at=at, after=after, limit=limit)

    def promoted(self) -> int:
        return self._count("promoted_count")

    def promoted_after(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("promoted_after", after=after, limit=limit)

    def unmerged(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        return self._numbered("memories_unmerged", after=after, limit=limit)

    def least_read(self, passed: int, limit: int) -> list[Memory]:
        rows = self._database.all("memories_least_read", {"passed": passed, "limit": limit})
        return readable(self._database, "memory", memory_of, rows)

    def spare_turns(self, ended_before: int | None, limit: int) -> list[tuple[str, int]]:
        params: dict[str, Value] = {"ended_before": ended_before, "limit": limit}
        return cast("list[tuple[str, int]]", self._database.all("turns_spare", params))

    def drop_accesses(self, limit: int) -> None:
        self._database.all("accesses_oldest", {"limit": limit})

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
            left = max(0, self._number(name) or 0)
            begins = left == 0
            if begins:
                left = 2 * self._count(f"{target}_index_pages") // MERGED_PAGES + 2
                self.note(MERGING, 1)
                if target == "memory":  # the first; what is evicted from now on is not part of it
                    self.note(UNTIDY, 0)
            before = self._database.changes()
            self._database.all(f"{target}_merge", {"pages": -MERGED_PAGES if begins else MERGED_PAGES})
            goes_on = self._database.changes() - before >= 2 and left > 1
            self.note(name, left - 1 if goes_on else -1)
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
        pages, free, size = (
            cast(int, self._database.pragma(name)) for name in ("page_count", "freelist_count", "page_size")
        )
        return pages, free, size

    def _number(self, name: str) -> int | None:
        return cast("int | None", self.fact(name))

    def _count(self, query: str) -> int:
        row = self._database.one(query)
        return cast(int, row[0]) if row else 0

    def _numbered(self, query: str, **params: int) -> list[tuple[int, Memory]]:
        return readable(self._database, "memory", numbered_memory, self._database.all(query, params))
