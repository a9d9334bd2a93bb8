"""What others wrote comes in, file by file.

A file is an import: its memory is an unconfirmed candidate. Edited by hand, the new words take the place of the
old ones, where they may: what was said or confirmed here stays, and the edit is a conflict. A file that is not
there hides what it said; one that cannot be read changes nothing. Only `retracted` takes it back, and not what was
said or confirmed here.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from holdfast.capture.adopt import Terms
from holdfast.capture.follow import ABSENT
from holdfast.capture.text.fingerprint import fingerprint
from holdfast.errors import InvalidInput
from holdfast.model.entry import Entry
from holdfast.model.ingest import Shared
from holdfast.model.kinds import IMPORTED, USER
from holdfast.model.memory import Changes, Memory
from holdfast.service.service import Service
from holdfast.share.known import Known, file_of, is_only_shared, mark_of
from holdfast.share.note import MARK, Note, carried_by, draft_of, note_of


@dataclass(slots=True)
class Reader:
    """Takes in files; to be used inside a transaction."""

    service: Service
    known: Known
    done: Shared
    accept: bool
    taken_back: list[str] = field(default_factory=list)
    """What is to be forgotten when the transaction is over: that drives bytes out of the files."""

    def read(self, notes: Mapping[str, Note], unread: Collection[str] = ()) -> None:
        """Take in every file, those that say what superseded them last, and hide what no file says.

        What a file says that is there and cannot be read is not known: its memories stay.
        """
        matched: set[str] = set()
        for name, note in sorted(notes.items(), key=lambda one: one[1].superseded_by is not None):
            matched.update(self._take(name, note))
        gone = [one for one in self.known.only_shared() if one.id not in matched]
        self._hide([one for one in gone if file_of(one) not in unread])

    def _take(self, name: str, note: Note) -> Iterator[str]:
        """Take in one file; yield the ids of the memories that it stands for."""
        there = self.known.of(name, note)
        mine = next((one for one in there if not is_only_shared(one) and not one.superseded), None)
        if note.retracted:
            yield from self._take_back(there)
        elif note.superseded_by:
            yield from self._retire(there, note.superseded_by)
        elif mine and note.mark in (mark_of(mine), note_of(mine).mark):
            yield mine.id  # as it was written or read; where the two differ, it is the memory that has changed
        elif read := [one for one in there if is_only_shared(one) and mark_of(one) == note.mark]:
            yield from self._read_before(name, note, read, mine)
        elif past := [one for one in there if one.superseded and mark_of(one) == note.mark]:
            yield from (one.id for one in past)  # something took its place here, which the file does not say yet
        else:
            yield from self._edited(name, note, there, mine)

    def _read_before(self, name: str, note: Note, read: Sequence[Memory], mine: Memory | None) -> Iterator[str]:
        """See to words that were read before: shown, taken up again, or decided against."""
        if mine:
            yield mine.id
        for memory in read:
            yield memory.id
            after = self.known.get(memory.superseded_by)
            if mine and self.accept and not memory.superseded:
                self.service.supersede(memory.id, mine.id)
                self._change(name, note, mine)
            elif not memory.superseded:
                self._show(memory, note)
                self.done.waiting += [name] if mine else []
            elif after and is_only_shared(after) and not after.superseded:
                self._take_up(memory, after, note)
                return

    def _edited(self, name: str, note: Note, there: Sequence[Memory], mine: Memory | None) -> Iterator[str]:
        """Take in words that are new here: of a new file, or of one that was edited."""
        old = mine or next((one for one in there if not one.superseded), None)
        self.done.waiting += [name] if mine and not self.accept else []
        if old and (self.accept if mine else _says(old, note)):
            self._change(name, note, old)
        elif not (mine and _says(mine, note)):
            yield from filter(None, [self._adopt(name, note, old)])
        yield from [old.id] if old else []

    def _adopt(self, name: str, note: Note, old: Memory | None) -> str | None:
        free = note.id if note.id and not self.service.peek(note.id) else None
        draft = draft_of(note, name, old.id if old else None)
        entry = Entry(draft=draft, carried=carried_by(note, id=free), where=name)
        try:
            [result] = self.service.exchange.adopt([entry], Terms()).results
        except InvalidInput as error:
            self.done.skipped[name] = str(error)
            return old.id if old else None
        self.done.added += result.created
        return result.id

    def _change(self, name: str, note: Note, old: Memory) -> None:
        """Take an edit over into the memory itself: as the user's own word, or because it says the same still."""
        changes = Changes(
            content=note.content,
            kind=note.kind,
            title=note.title,
            context=note.context,
            tags=note.tags,
            files=note.files,
            expires=note.expires,
            metadata={**(note.metadata or {}), MARK: {"file": name, "mark": note.mark}},
            trust=USER if self.accept else IMPORTED,
        )
        try:
            self.service.update(old.id, changes)
        except InvalidInput as error:
            self.done.skipped[name] = str(error)
        else:
            self.done.accepted += 1

    def _take_back(self, there: Sequence[Memory]) -> Iterator[str]:
        """Forget what only the folder said; what was said or confirmed here is only told of."""
        for memory in there:
            if memory.superseded:
                continue
            if is_only_shared(memory):
                self.taken_back.append(memory.id)
                self.done.retracted += 1
            else:
                self.done.disputed.append(memory.id)
            yield memory.id

    def _retire(self, there: Sequence[Memory], by: str) -> Iterator[str]:
        """Make history of what others superseded, once what took its place is here."""
        new = self.service.peek(by)
        for memory in there:
            if is_only_shared(memory) and not memory.superseded and new and not new.superseded:
                self.service.supersede(memory.id, new.id)
            yield memory.id

    def _take_up(self, before: Memory, after: Memory, note: Note) -> None:
        """Let earlier words of a file hold again: an edit was undone, or another branch is checked out."""

        def turn_back(now: Memory) -> Memory:
            if now.id == before.id:
                return replace(now, valid_until=None, superseded_by=None)
            return replace(now, valid_until=max(now.valid_from, before.valid_from), superseded_by=before.id)

        for one in self.service.exchange.rewrite([after.id, before.id], turn_back):
            if one.id == before.id:
                self._show(one, note)

    def _show(self, memory: Memory, note: Note) -> None:
        """Let a memory whose file is back be seen again."""
        if ABSENT in memory.metadata:
            self.service.exchange.rewrite([memory.id], lambda now: _seen(now, note.expires))
            self.done.shown += 1

    def _hide(self, memories: Sequence[Memory]) -> None:
        now = self.service.moment("0m", "now")
        gone = [one for one in memories if ABSENT not in one.metadata and not one.superseded]
        hidden = self.service.exchange.rewrite([one.id for one in gone], lambda one: _unseen(one, now))
        self.done.hidden += len(hidden)


def _seen(memory: Memory, expires: int | None) -> Memory:
    metadata = {key: value for key, value in memory.metadata.items() if key != ABSENT}
    return replace(memory, expires=expires, metadata=metadata)


def _unseen(memory: Memory, now: int | None) -> Memory:
    return replace(memory, expires=now, metadata={**memory.metadata, ABSENT: True})


def _says(memory: Memory, note: Note) -> bool:
    """Say whether a file still says what a memory says, whatever else was edited in it."""
    return fingerprint(note.content) == memory.fingerprint
