"""The two directions of sharing: what others wrote comes in (`incoming`), what is confirmed here goes out.

What is confirmed or pinned here is written, unless its file says the same already, or was edited and the edit
still waits to be settled. So nothing is written twice, and no edit is overwritten.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from holdfast.capture.text.fingerprint import fingerprint
from holdfast.model.ingest import Shared
from holdfast.model.memory import Memory
from holdfast.service.service import Service
from holdfast.share.folder import Folder, Unread
from holdfast.share.incoming import Reader
from holdfast.share.known import Known, file_of, is_for_others, mark_of
from holdfast.share.note import MARK, Note, file_name, note_of, retract


@dataclass(frozen=True, slots=True)
class Sharing:
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
        done = Shared()
        notes = self._notes(done)
        unread = set(done.skipped) - set(notes)
        with self.service.exchange.trying(self.dry_run):
            reader = Reader(self.service, self._known(), done, self.accept)
            reader.read(notes, unread)
        for memory_id in () if self.dry_run else reader.taken_back:
            self.service.forget(memory_id)
        return done

    def hand_out(self) -> Shared:
        """Write what is confirmed, after reading what others wrote."""
        done = self.take_in()
        notes, known = self._notes(done), self._known()
        names = {note.id: name for name, note in notes.items() if note.id}
        words = {fingerprint(note.content): name for name, note in notes.items() if not note.retracted}
        for memory in known.all:
            if is_for_others(memory, candidates=self.candidates) or known.is_replaced(memory):
                told = names.get(memory.id) or words.get(memory.fingerprint)
                name = file_of(memory) or told or file_name(note_of(memory))
                unread = name in done.skipped and name not in notes
                if not unread and self._is_due(memory, notes.get(name), known):
                    self._put(name, memory, notes.get(name))
                    done.written.append(name)
        self._retract_forgotten(notes, done)
        return done

    def _is_due(self, memory: Memory, there: Note | None, known: Known) -> bool:
        """Say whether a memory's file is to be written: it says something else that is settled."""
        if there is None:
            return not memory.superseded
        if memory.superseded and there.mark != mark_of(memory):
            return False  # the file speaks for another memory by now
        changed = not there.retracted and there.mark != note_of(memory).mark
        return changed and _is_settled(memory, there, known)

    def _put(self, name: str, memory: Memory, there: Note | None) -> None:
        note = note_of(memory)
        kept = replace(note, importance=there.importance, created=there.created or note.created) if there else note
        if not self.dry_run:
            self.folder.put(name, kept)
            mark = {"file": name, "mark": note.mark}
            self.service.exchange.rewrite(
                [memory.id], lambda now: replace(now, metadata={**now.metadata, MARK: mark})
            )

    def _retract_forgotten(self, notes: Mapping[str, Note], done: Shared) -> None:
        """Find the files of what was forgotten here, and let them say so when asked to."""
        for name, note in notes.items():
            if note.retracted or not self.service.exchange.was_forgotten(note.content):
                continue
            done.forgotten.append(name)
            if self.retract and not self.dry_run:
                self.folder.put(name, retract(note))

    def _notes(self, done: Shared) -> dict[str, Note]:
        """Read the folder; what is no shared memory is named."""
        notes = {}
        for name, note in self.folder.notes():
            if isinstance(note, Unread):
                done.skipped[name] = note.reason
            else:
                notes[name] = note
        return self._with_own_ids(notes, done)

    def _with_own_ids(self, notes: dict[str, Note], done: Shared) -> dict[str, Note]:
        """Take the id from a file that has another's, as a copy does, and name it."""
        holders = self._known().holders(notes, [name for name in done.skipped if name not in notes])
        for name, note in notes.items():
            if note.id and holders[note.id] != name:
                done.skipped[name] = f"has the id of {holders[note.id]}, and is read as if it had none"
                notes[name] = replace(note, id=None)
        return notes

    def _known(self) -> Known:
        return Known(list(self._memories()))

    def _memories(self) -> Iterator[Memory]:
        return (memory for memory, _ in self.service.exchange.everything("project"))


def _is_settled(memory: Memory, there: Note, known: Known) -> bool:
    """Say whether a file's words may be written over: they are ours, or were decided against."""
    return there.mark in (mark_of(memory), *map(mark_of, known.decided_against(memory)))
