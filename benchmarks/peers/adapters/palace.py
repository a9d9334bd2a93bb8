"""MemPalace: a drawer an entry, as its sweeper files messages, and the search that its MCP server and CLI use."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.peers.adapters.protocol import Entry, WithoutSessions, serve

BATCH = 64
"""As many as its sweeper files at once."""


class Palace(WithoutSessions):
    """Drawers in one wing, a room a session. The model is the default one (minilm), by chromadb's own function."""

    def open(self, place: Path) -> None:
        """Open the palace."""
        from mempalace.palace import get_collection
        from mempalace.searcher import search_memories

        self._path = str(place / "palace")
        self._drawers, self._search = get_collection(self._path), search_memories

    def add(self, entries: Sequence[Entry]) -> None:
        """File drawers."""
        for start in range(0, len(entries), BATCH):
            batch = entries[start : start + BATCH]
            self._drawers.upsert(
                ids=[entry.id for entry in batch],
                documents=[entry.line for entry in batch],
                metadatas=[_metadata(entry) for entry in batch],
            )

    def search(self, query: str, limit: int) -> list[str]:
        """Search with its defaults."""
        answer = self._search(query, self._path, n_results=limit)
        if "error" in answer:
            raise RuntimeError(str(answer["error"]))
        return [str(hit["drawer_id"]) for hit in answer["results"]]

    def texts(self) -> list[str]:
        """Get all drawers."""
        return [str(text) for text in self._drawers.get(include=["documents"])["documents"]]

    def close(self) -> None:
        """Nothing is said to be needed: what was filed is on disk."""


def _metadata(entry: Entry) -> dict[str, str | int]:
    return {
        "wing": "bench",
        "room": entry.session or "notes",
        "source_file": entry.session or entry.id,
        "chunk_index": 0,
        "added_by": "bench",
        "filed_at": datetime.now(UTC).isoformat(),
    }


if __name__ == "__main__":
    serve(Palace())
