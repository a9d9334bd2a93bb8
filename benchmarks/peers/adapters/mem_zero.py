"""mem0 without a language model: texts as they are (`infer=False`), Qdrant in a folder, MiniLM.

The model is run by sentence-transformers, its documented way to embed on this machine.
Its configuration wants a language model; the one named here is never asked, and its key is no key.
"""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.adapters.protocol import Entry, WithoutSessions, serve

USER = "bench"
EVERYTHING = 1_000_000


class Mem0(WithoutSessions):
    """Memories of one user; the benchmark's ids go along as metadata."""

    def open(self, place: Path) -> None:
        """Make the memory from its configuration."""
        from mem0 import Memory

        self._memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": str(place / "qdrant"), "embedding_model_dims": 384, "on_disk": True},
                },
                "embedder": {
                    "provider": "huggingface",
                    "config": {"model": str(Path.home() / "all-MiniLM-L6-v2")},
                },
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": str(place / "history.db"),
            }
        )

    def add(self, entries: Sequence[Entry]) -> None:
        """Add texts one by one: there is no call for many with metadata of their own."""
        for entry in entries:
            if entry.line.strip():
                self._memory.add(entry.line, user_id=USER, metadata={"ref": entry.id}, infer=False)

    def search(self, query: str, limit: int) -> list[str]:
        """Search with the default threshold."""
        hits = self._memory.search(query, top_k=limit, filters={"user_id": USER})["results"]
        return [str(hit["metadata"]["ref"]) for hit in hits]

    def texts(self) -> list[str]:
        """Get all memories."""
        return [
            str(row["memory"])
            for row in self._memory.get_all(filters={"user_id": USER}, top_k=EVERYTHING)["results"]
        ]

    def close(self) -> None:
        """Close the stores."""
        self._memory.close()


if __name__ == "__main__":
    serve(Mem0())
