"""chromadb: a persistent client and a collection with its own MiniLM, cosine distance.

The function is the one that its default calls. The default makes it anew at every call, and with it reads the
model again: here it is made once, as somebody would who searches more than once.
"""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.adapters.protocol import Entry, WithoutSessions, serve


class Collection(WithoutSessions):
    """Documents by id. The model is found where it would be downloaded to."""

    def open(self, place: Path) -> None:
        """Open the client and get the collection."""
        import chromadb
        from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2

        client = chromadb.PersistentClient(path=str(place / "chroma"))
        self._collection = client.get_or_create_collection(
            "memory", embedding_function=ONNXMiniLM_L6_V2(), configuration={"hnsw": {"space": "cosine"}}
        )

    def add(self, entries: Sequence[Entry]) -> None:
        """Add documents with their ids."""
        self._collection.add(ids=[entry.id for entry in entries], documents=[entry.line for entry in entries])

    def search(self, query: str, limit: int) -> list[str]:
        """Query by one text."""
        ids: list[str] = self._collection.query(query_texts=[query], n_results=limit, include=["documents"])[
            "ids"
        ][0]
        return ids

    def texts(self) -> list[str]:
        """Get all documents."""
        documents: list[str] = self._collection.get(include=["documents"])["documents"]
        return documents

    def close(self) -> None:
        """Nothing is said to be needed: what was added is on disk."""


if __name__ == "__main__":
    serve(Collection())
