"""mcp-memory-service: the service behind its MCP tools, SQLite-vec in a file, its ONNX model, semantic search.

Texts go in one by one, as its `memory_store` does it. What was said in a session has a conversation's id, without
which near duplicates are refused.
"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.adapters.protocol import Entry, WithoutSessions, serve

PAGE = 500
REFUSAL = "duplicate"
"""What an answer says that is no failure: the text, or one near it, is there."""


class MemoryServiceStore(WithoutSessions):
    """Memories; the benchmark's ids go along as metadata."""

    def open(self, place: Path) -> None:
        """Open the store, and load the model as the server does at its start."""
        os.environ["MCP_MEMORY_USE_ONNX"] = "true"
        from mcp_memory_service.services.memory_service import MemoryService
        from mcp_memory_service.storage.factory import create_storage_instance

        self._loop = asyncio.Runner()
        self._storage = self._loop.run(create_storage_instance(str(place / "memory.db")))
        self._service = MemoryService(self._storage)

    def add(self, entries: Sequence[Entry]) -> None:
        """Store texts one by one."""
        self._loop.run(self._store(entries))

    def search(self, query: str, limit: int) -> list[str]:
        """Retrieve by meaning, the default of its search."""
        answer = self._loop.run(self._service.retrieve_memories(query, n_results=limit))
        if "error" in answer:
            raise RuntimeError(str(answer["error"]))
        return list(dict.fromkeys(str(row["metadata"]["ref"]) for row in answer["memories"]))

    def texts(self) -> list[str]:
        """List all pages."""
        texts: list[str] = []
        while rows := self._loop.run(self._storage.get_all_memories(limit=PAGE, offset=len(texts))):
            texts += [str(row.content) for row in rows]
        return texts

    def close(self) -> None:
        """Close the store."""
        self._loop.run(self._storage.close())
        self._loop.close()

    async def _store(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if not entry.line.strip():
                continue
            answer = await self._service.store_memory(
                entry.line, metadata={"ref": entry.id}, conversation_id=entry.session or None
            )
            problem = "" if answer.get("success") else str(answer.get("error"))
            if problem and REFUSAL not in problem.lower():
                raise RuntimeError(problem)


if __name__ == "__main__":
    serve(MemoryServiceStore())
