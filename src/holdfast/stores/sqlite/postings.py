"""The words of memories in a process that is asked again and again: which rows hold each, and how often.

FTS5 goes through every row that holds any word of a question, looks up how long it is, and counts each word anew:
4 of the 12 ms that a search of 50,000 memories takes. Here words are read from its index when they are first asked
for, and held; rows that changed since are read from their columns, by the index's own tokenizer. What is held
counts only while it agrees with the index on how many rows and words there are. The formula is FTS5's own, term by
term in the same order, so that the same rows come in the same order. With NumPy.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.analyser import tokens
from holdfast.stores.weights import FTS5_B, FTS5_K1, FTS5_LEAST_IDF, MEMORY_COLUMNS

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from holdfast.stores.sqlite.connection import Database

_ROOM = 1_024
"""Rows that room is made for at once."""

MOST_WORDS = 4_000
"""Words that are held; beyond that the one that was asked for first goes. A question has about four."""

MOST_CHANGED = 2_000
"""Rows that changed since their words were read; beyond that all are read anew."""

_WORDS = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.memory_instance USING fts5vocab (main, memory_fts, instance)"
_COLUMNS = " ".join(f"WHEN '{name}' THEN {place}" for place, (name, _) in enumerate(MEMORY_COLUMNS))
_PLACES = f"SELECT group_concat(doc * 8 + CASE col {_COLUMNS} END) FROM temp.memory_instance WHERE term = ?"
"""Row and column of every place of a word, as one text of numbers: no value of Python for each."""

_LENGTHS = "SELECT id, sz FROM memory_fts_docsize"
_AVERAGES = "SELECT block FROM memory_fts_data WHERE id = 1"
_WEIGHTS = np.array([weight for _, weight in MEMORY_COLUMNS])


class Postings:
    """What one connection holds of the index of memories."""

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._identity: tuple[Any, ...] | None = None
        self._forget()

    def current(self) -> bool:
        """Bring what is held up to the transaction's snapshot; say whether it may be asked."""
        if self._database.snapshot is None:
            return False
        state = cast("tuple[Any, ...]", self._database.one("vector_state", {"position": self._position}))
        head, nonce, _, *identity = state[:5]
        goes_on = tuple(identity) == self._identity and head >= self._position and nonce in (None, self._nonce)
        if not goes_on or len(self._changed) > MOST_CHANGED:
            if self._database.in_haste:
                return False
            self._read_lengths(head, tuple(identity))
        elif head > self._position:
            self._catch_up(head)
        self.documents, self.tokens = self._averages()
        agrees = (self.documents, self.tokens) == (self._count, self._total)
        if not agrees:
            self._forget()
        return agrees

    def holding(self, stem: str) -> int:
        """Return how many rows hold a word."""
        rows, _ = self._of(stem)
        return len(rows)

    def best(self, stems: Sequence[str], first: int) -> "Iterator[list[int]]":
        """Hand out the rows that hold any of these words, best first, so many at first and ever more."""
        scores = self._scores(stems)
        rows = np.flatnonzero(scores)
        values = -scores[rows]
        start, count = 0, first
        while start < len(rows):
            if count < len(rows):
                good = np.flatnonzero(values <= np.partition(values, count - 1)[count - 1])
            else:
                good = np.arange(len(rows))
            order = good[np.argsort(values[good], kind="stable")][start:count]
            yield rows[order].tolist()
            start, count = count, 4 * count

    def frequencies(self, stem: str, rows: Sequence[int]) -> list[float]:
        """Return how often each row holds a word, weighted by column."""
        holders, often = self._of(stem)
        table = dict(zip(holders.tolist(), often.tolist(), strict=True)) if len(holders) < len(rows) else None
        if table is not None:
            return [table.get(row, 0.0) for row in rows]
        places = np.searchsorted(holders, rows).clip(max=max(0, len(holders) - 1))
        hits = holders[places] == np.asarray(rows)
        return [float(value) for value in np.where(hits, often[places], 0.0)]

    def length(self, row: int) -> int:
        """Return how many words a row has."""
        return int(self._lengths[row])

    def _scores(self, stems: Sequence[str]) -> "NDArray[np.float64]":
        scores = np.zeros(len(self._lengths))
        average = self.tokens / self.documents if self.documents else 1.0
        for stem in stems:
            rows, often = self._of(stem)
            idf = math.log((self.documents - len(rows) + 0.5) / (len(rows) + 0.5))
            weight = idf if idf > 0.0 else FTS5_LEAST_IDF
            norm = FTS5_K1 * (1 - FTS5_B + FTS5_B * self._lengths[rows] / average)
            scores[rows] += weight * ((often * (FTS5_K1 + 1.0)) / (often + norm))
        return scores

    def _of(self, stem: str) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
        """Return the rows that hold a word, in their order, and how often."""
        if stem not in self._words:
            if len(self._words) >= MOST_WORDS:
                self._let_go(next(iter(self._words)))
            self._words[stem] = self._read_word(stem)
        if stem in self._merged:
            return self._merged[stem]
        rows, often = self._words[stem]
        if self._changed:
            stays = ~self._is_changed[rows]
            fresh = self._fresh.get(stem, {})
            rows = np.concatenate([rows[stays], np.fromiter(fresh, np.int64, len(fresh))])
            often = np.concatenate([often[stays], np.fromiter(fresh.values(), np.float64, len(fresh))])
            order = np.argsort(rows, kind="stable")
            rows, often = rows[order], often[order]
        self._merged[stem] = rows, often
        return rows, often

    def _let_go(self, stem: str) -> None:
        self._words.pop(stem, None)
        self._merged.pop(stem, None)

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────

    def _forget(self) -> None:
        self._identity = None
        self._position = 0
        self._nonce: object = None
        self._words: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
        self._merged: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
        """The same with what changed; until more does."""
        self._changed: dict[int, list[str]] = {}
        """The rows that changed since, and their words."""
        self._fresh: dict[str, dict[int, float]] = {}
        """Which of them hold a word, and how often."""
        self._is_changed = np.zeros(1, np.bool_)
        self._lengths = np.zeros(1)
        self._count = self._total = 0
        self.documents = self.tokens = 0

    def _read_lengths(self, head: int, identity: "tuple[Any, ...]") -> None:
        """Begin anew."""
        self._forget()
        sizes = cast("list[tuple[int, bytes]]", self._database.rows(_LENGTHS))
        self._lengths = np.zeros(max((row for row, _ in sizes), default=0) + 1)
        self._is_changed = np.zeros(len(self._lengths), np.bool_)
        for row, size in sizes:
            self._lengths[row] = sum(_numbers(size))
        self._count, self._total = len(sizes), int(self._lengths.sum())
        self._note(head, identity)

    def _read_word(self, stem: str) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
        self._database.rows(_WORDS)  # the table is made in a transaction, and goes where that is rolled back
        [(places,)] = self._database.rows(_PLACES, (stem,))
        if not places:
            return np.empty(0, np.int64), np.empty(0)
        codes, counts = np.unique(np.fromstring(str(places), np.int64, sep=","), return_counts=True)
        rows, starts = np.unique(codes >> 3, return_index=True)
        return rows, np.add.reduceat(_WEIGHTS[codes & 7] * counts, starts)

    def _catch_up(self, head: int) -> None:
        """Read the rows that changed since."""
        for row, *columns in self._database.all("memories_reworded", {"position": self._position}):
            self._replace(cast(int, row), cast("list[str | None]", columns))
        self._merged.clear()
        self._note(head, self._identity)

    def _replace(self, row: int, columns: Sequence[str | None]) -> None:
        """Let a row have the words that its columns have now; none where it is gone."""
        if row >= len(self._lengths):
            room = max(_ROOM, row + 1 - len(self._lengths))
            self._lengths = np.concatenate([self._lengths, np.zeros(room)])
            self._is_changed = np.concatenate([self._is_changed, np.zeros(room, np.bool_)])
        often: dict[str, float] = {}
        length, was_there = 0, self._lengths[row] > 0
        for (_, weight), text in zip(MEMORY_COLUMNS, columns, strict=True):
            stems = tokens(text) if text else []
            length += len(stems)
            for stem, count in Counter(stems).items():
                often[stem] = often.get(stem, 0.0) + weight * count
        self._count += (length > 0) - bool(was_there)
        self._total += length - int(self._lengths[row])
        self._lengths[row] = length
        self._is_changed[row] = True
        for stem in self._changed.get(row, ()):
            del self._fresh[stem][row]
        for stem, frequency in often.items():
            self._fresh.setdefault(stem, {})[row] = frequency
        self._changed[row] = list(often)

    def _note(self, head: int, identity: "tuple[Any, ...] | None") -> None:
        row = self._database.one("change_nonce", {"seq": head})
        self._position, self._nonce = head, row[0] if row else None
        self._identity = identity

    def _averages(self) -> tuple[int, int]:
        """Return how many rows and words the index says it has."""
        rows = self._database.rows(_AVERAGES)
        documents, *sizes = _numbers(cast(bytes, rows[0][0])) if rows and rows[0][0] else [0]
        return documents, sum(sizes)


def _numbers(block: bytes) -> list[int]:
    """Read the numbers that SQLite packed, seven bits a byte, high ones first; none here needs all nine bytes."""
    numbers, number = [], 0
    for byte in block:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    return numbers
