"""The yardstick: one FTS5 table with porter stemming and its own bm25, every word of the question."""

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.adapters.protocol import Entry, WithoutSessions, serve


class PlainTable(WithoutSessions):
    """Rows by id and text."""

    def open(self, place: Path) -> None:
        """Make the table, unless it is there."""
        self._rows = sqlite3.connect(place / "rows.db", timeout=30, isolation_level=None)
        self._rows.execute("PRAGMA journal_mode = WAL")
        self._rows.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS entry"
            " USING fts5 (id UNINDEXED, text, tokenize = 'porter unicode61')"
        )

    def add(self, entries: Sequence[Entry]) -> None:
        """Insert all in one transaction."""
        self._rows.execute("BEGIN IMMEDIATE")
        self._rows.executemany("INSERT INTO entry VALUES (?, ?)", [(entry.id, entry.line) for entry in entries])
        self._rows.execute("COMMIT")

    def search(self, query: str, limit: int) -> list[str]:
        """Ask for any of the words."""
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", query)))
        if not match:
            return []
        best = "SELECT id FROM entry WHERE entry MATCH ? ORDER BY rank LIMIT ?"
        return [str(row[0]) for row in self._rows.execute(best, (match, limit))]

    def texts(self) -> list[str]:
        """Read all rows."""
        return [str(row[0]) for row in self._rows.execute("SELECT text FROM entry")]

    def close(self) -> None:
        """Close the file."""
        self._rows.close()


if __name__ == "__main__":
    serve(PlainTable())
