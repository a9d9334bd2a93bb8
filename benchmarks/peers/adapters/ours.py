"""holdfast through its Python API: notes with `add_many`, what was said with `record`, and `search`."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.peers.adapters.protocol import Entry, serve

EVERYTHING = 100_000


class OurMemory:
    """A project's memory. Notes get ids of their own; the process that added them knows the benchmark's."""

    def open(self, place: Path) -> None:
        """Open the project."""
        from holdfast import Holdfast

        project = place / "project"
        project.mkdir(exist_ok=True)
        self._memory = Holdfast.open(project)
        self._within = "memories"
        self._ids: dict[str, str] = {}

    def add(self, entries: Sequence[Entry]) -> None:
        """Add notes, or record what was said, session by session."""
        for session, said in groupby(entries, key=lambda entry: entry.session):
            if session:
                self._record(session, list(said))
            else:
                self._note(list(said))

    def settle(self) -> None:
        """Wait for the vectors, which are made in the background."""
        self._memory.flush()

    def search(self, query: str, limit: int) -> list[str]:
        """Search notes, or turns where talk was recorded."""
        hits = self._memory.search(query, limit=limit, within=self._within)
        return [hit.ref or self._ids.get(hit.id, hit.id) for hit in hits]

    def sessions(self, query: str, limit: int) -> list[str] | None:
        """Search sessions."""
        return [hit.ref or hit.id for hit in self._memory.search(query, limit=limit, within="sessions")]

    def texts(self) -> list[str]:
        """List the notes."""
        return [memory.content for memory in self._memory.list(limit=EVERYTHING)]

    def close(self) -> None:
        """Close the store."""
        self._memory.close()

    def _note(self, entries: Sequence[Entry]) -> None:
        results = self._memory.add_many([{"content": entry.line} for entry in entries])
        for entry, added in zip(entries, results, strict=True):
            self._ids[added.id or ""] = entry.id

    def _record(self, session: str, said: Sequence[Entry]) -> None:
        self._within = "turns"
        with self._memory.start_session(agent="bench", at=said[0].at, ref=session) as handle:
            for entry in said:
                handle.record(entry.speaker or "user", entry.text or "(nothing)", at=entry.at, ref=entry.id)


if __name__ == "__main__":
    serve(OurMemory())
