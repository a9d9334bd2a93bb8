"""The two directions of sharing: what others wrote comes in (`incoming`), what is confirmed here goes out.

What is confirmed or pinned here is written, unless its file says the same already, or was edited and the edit
still waits to be settled. So nothing is written twice, and no edit is overwritten.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from holdfast.model.ids import fingerprint
from holdfast.model.ingest import Shared
from holdfast.model.memory import Memory
from holdfast.service.service import Service
from holdfast.share.incoming import KnownMemories, Reader, file_of, is_for_others, mark_of
from holdfast.share.note import MARK, Folder, SharedNote, Unread, file_name, note_of, retract


class MemorySharing(Struct, frozen=True):
    """One project's memory and the folder it is shared in."""

    service: Service
    folder: Folder
    accept: bool = False
    """Whether edits of what was said here count as the user's own."""
    retract: bool = False
    """Whether files of what was forgotten here are to say so."""
    candidates: bool = False
    """Whether what nobody has confirmed goes out as well, marked so."""
    dry_run: bool = False

    def take_in(self) -> Shared:
        """Read the folder, in one transaction."""
        outcome = Shared()
        notes = self._notes(outcome)
        unread = set(outcome.skipped) - set(notes)
        with self.service.exchange.together(dry_run=self.dry_run):
            reader = Reader(self.service, self._known_memories(), outcome, self.accept)
            reader.read(notes, unread)
        for memory_id in () if self.dry_run else reader.retracted_ids:
            self.service.forget(memory_id)
        return outcome

    def hand_out(self) -> Shared:
        """Write what is confirmed, after reading what others wrote."""
        outcome = self.take_in()
        notes, known_memories = self._notes(outcome), self._known_memories()
        names = {note.id: name for name, note in notes.items() if note.id}
        words = {fingerprint(note.content): name for name, note in notes.items() if not note.retracted}
        for memory in known_memories.all:
            if is_for_others(memory, candidates=self.candidates) or known_memories.is_replaced(memory):
                known_name = names.get(memory.id) or words.get(memory.fingerprint)
                name = file_of(memory) or known_name or file_name(note_of(memory))
                unread = name in outcome.skipped and name not in notes
                if not unread and self._is_due(memory, notes.get(name), known_memories):
                    self._put_note(name, memory, notes.get(name))
                    outcome.written.append(name)
        self._retract_forgotten(notes, outcome)
        return outcome

    def _is_due(self, memory: Memory, there: SharedNote | None, known_memories: KnownMemories) -> bool:
        """Say whether a memory's file is to be written: it says something else that is settled."""
        if there is None:
            return not memory.superseded
        if memory.superseded and there.mark != mark_of(memory):
            return False  # the file speaks for another memory by now
        has_changed = not there.retracted and there.mark != note_of(memory).mark
        return has_changed and _is_settled(memory, there, known_memories)

    def _put_note(self, name: str, memory: Memory, there: SharedNote | None) -> None:
        note = note_of(memory)
        new_note = (
            replace(note, importance=there.importance, created=there.created or note.created) if there else note
        )
        if not self.dry_run:
            self.folder.put(name, new_note)
            mark = {"file": name, "mark": note.mark}
            self.service.exchange.rewrite(
                [memory.id], lambda now: replace(now, metadata={**now.metadata, MARK: mark})
            )

    def _retract_forgotten(self, notes: Mapping[str, SharedNote], outcome: Shared) -> None:
        """Find the files of what was forgotten here, and let them say so when asked to."""
        for name, note in notes.items():
            if note.retracted or not self.service.exchange.was_forgotten(note.content):
                continue
            outcome.forgotten.append(name)
            if self.retract and not self.dry_run:
                self.folder.put(name, retract(note))

    def _notes(self, outcome: Shared) -> dict[str, SharedNote]:
        """Read the folder; what is no shared memory is named."""
        notes = {}
        for name, note in self.folder.notes():
            if isinstance(note, Unread):
                outcome.skipped[name] = note.reason
            else:
                notes[name] = note
        return self._with_own_ids(notes, outcome)

    def _with_own_ids(self, notes: dict[str, SharedNote], outcome: Shared) -> dict[str, SharedNote]:
        """Take the id from a file that has another's, as a copy does, and name it."""
        holders = self._known_memories().holders(notes, [name for name in outcome.skipped if name not in notes])
        for name, note in notes.items():
            if note.id and holders[note.id] != name:
                outcome.skipped[name] = f"has the id of {holders[note.id]}, and is read as if it had none"
                notes[name] = replace(note, id=None)
        return notes

    def _known_memories(self) -> KnownMemories:
        return KnownMemories(list(self._memories()))

    def _memories(self) -> Iterator[Memory]:
        return (memory for memory, _ in self.service.exchange.everything("project"))


def _is_settled(memory: Memory, there: SharedNote, known_memories: KnownMemories) -> bool:
    """Say whether a file's words may be written over: they are ours, or were decided against."""
    return there.mark in (mark_of(memory), *map(mark_of, known_memories.decided_against(memory)))
