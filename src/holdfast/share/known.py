"""The project's memories as sharing sees them: by id, by file, and whose word each is. Pure."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from holdfast.model.kinds import CANDIDATE, CONFIRMED, IMPORTED, PINNED, TOOL
from holdfast.model.memory import Memory
from holdfast.share.note import MARK, SOURCE, SharedNote

INDEX_SOURCE = "file-index"
"""The source of what stands in the repository's documents: there is no need to share it."""


class KnownMemories:
    """The project's memories, by id and by the file they are shared in."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self.all = memories
        self._by_id = {memory.id: memory for memory in memories}
        self._by_file: defaultdict[str, list[Memory]] = defaultdict(list)
        for memory in memories:
            if file := file_of(memory):
                self._by_file[file].append(memory)

    def get(self, memory_id: str | None) -> Memory | None:
        """Return one memory."""
        return self._by_id.get(memory_id or "")

    def of(self, name: str, note: SharedNote) -> list[Memory]:
        """Return the memories that a file may stand for, each once."""
        named_memory = self.get(note.id)
        return list(
            {
                memory.id: memory for memory in (*([named_memory] if named_memory else []), *self._by_file[name])
            }.values()
        )

    def holders(self, notes: Mapping[str, SharedNote], unread: Collection[str]) -> dict[str, str]:
        """Return the file that each id counts for: the one its memory was noted with, else the first by name."""
        names_by_id = {note.id: name for name, note in sorted(notes.items(), reverse=True) if note.id}
        for memory in filter(None, map(self.get, names_by_id)):
            file = file_of(memory)
            if file and (file in unread or (file in notes and notes[file].id == memory.id)):
                names_by_id[memory.id] = file
        return names_by_id

    def only_shared(self) -> list[Memory]:
        """Return what only the folder says."""
        return [memory for memory in self.all if is_only_shared(memory)]

    def is_replaced(self, memory: Memory) -> bool:
        """Say whether others have to hear that something took a memory's place: it was shared, and so is that."""
        seen_ids, after = {memory.id}, self.get(memory.superseded_by)
        while after and after.superseded and after.id not in seen_ids:
            seen_ids.add(after.id)
            after = self.get(after.superseded_by)
        return after is not None and is_for_others(after) and file_of(memory) not in (None, file_of(after))

    def decided_against(self, memory: Memory) -> list[Memory]:
        """Return edits of a memory's file that a person settled in favour of the memory."""
        return [rival for rival in self.all if rival.superseded_by == memory.id and is_only_shared(rival)]


def is_only_shared(memory: Memory) -> bool:
    """Say whether only the folder said it, and nobody here vouched for it."""
    return memory.sources == (SOURCE,) and memory.trust == IMPORTED and memory.status == CANDIDATE


def is_for_others(memory: Memory, *, candidates: bool = False) -> bool:
    """Say whether a memory is for others to see: confirmed, not a tool's, and not in the repository already.

    What nobody has confirmed is only where somebody asks for it, and never what came from others.
    """
    is_vouched = memory.status in (CONFIRMED, PINNED) or (candidates and memory.trust != IMPORTED)
    return is_vouched and memory.trust != TOOL and not memory.superseded and set(memory.sources) != {INDEX_SOURCE}


def file_of(memory: Memory) -> str | None:
    """Return the name of the file that a memory is shared in."""
    return _mark_field(memory, "file")


def mark_of(memory: Memory) -> str | None:
    """Return the mark of its file's words when it was last written or read."""
    return _mark_field(memory, "mark")


def _mark_field(memory: Memory, name: str) -> str | None:
    mark_fields = memory.metadata.get(MARK)
    value = mark_fields.get(name) if isinstance(mark_fields, dict) else None
    return value if isinstance(value, str) else None
