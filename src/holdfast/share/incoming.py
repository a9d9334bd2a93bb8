"""What others wrote comes in, file by file.

A file is an import: its memory is an unconfirmed candidate. Edited by hand, the new words take the place of the
old ones, where they may: what was said or confirmed here stays, and the edit is a conflict. A file that is not
there hides what it said; one that cannot be read changes nothing. Only `retracted` takes it back, and not what was
said or confirmed here.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from holdfast.capture.adopt import AdoptionTerms
from holdfast.capture.follow import ABSENT
from holdfast.errors import InvalidInput
from holdfast.model.ids import fingerprint
from holdfast.model.ingest import Entry, Shared
from holdfast.model.kinds import CANDIDATE, CONFIRMED, IMPORTED, PINNED, TOOL, USER
from holdfast.model.memory import Memory
from holdfast.model.requests import Changes
from holdfast.service.service import Service
from holdfast.share.note import MARK, SOURCE, SharedNote, carried_by, draft_of, note_of

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


class Reader(Struct):
    """Takes in files; to be used inside a transaction."""

    service: Service
    known: KnownMemories
    outcome: Shared
    accept: bool
    retracted_ids: list[str] = field(default_factory=list)
    """What is to be forgotten when the transaction is over: that drives bytes out of the files."""

    def read(self, notes: Mapping[str, SharedNote], unread: Collection[str] = ()) -> None:
        """Take in every file, those that say what superseded them last, and hide what no file says.

        What a file says that is there and cannot be read is not known: its memories stay.
        """
        matched_ids: set[str] = set()
        for name, note in sorted(notes.items(), key=lambda pair: pair[1].superseded_by is not None):
            matched_ids.update(self._take(name, note))
        absent_memories = [memory for memory in self.known.only_shared() if memory.id not in matched_ids]
        self._hide([memory for memory in absent_memories if file_of(memory) not in unread])

    def _take(self, name: str, note: SharedNote) -> Iterator[str]:
        """Take in one file; yield the ids of the memories that it stands for."""
        there = self.known.of(name, note)
        own = next((memory for memory in there if not is_only_shared(memory) and not memory.superseded), None)
        if note.retracted:
            yield from self._take_back(there)
        elif note.superseded_by:
            yield from self._retire(there, note.superseded_by)
        elif own and note.mark in (mark_of(own), note_of(own).mark):
            yield own.id  # as it was written or read; where the two differ, it is the memory that has changed
        elif shared_copies := [
            memory for memory in there if is_only_shared(memory) and mark_of(memory) == note.mark
        ]:
            yield from self._read_before(name, note, shared_copies, own)
        elif past := [memory for memory in there if memory.superseded and mark_of(memory) == note.mark]:
            yield from (
                memory.id for memory in past
            )  # something took its place here, which the file does not say yet
        else:
            yield from self._take_edit(name, note, there, own)

    def _read_before(
        self, name: str, note: SharedNote, shared_copies: Sequence[Memory], own: Memory | None
    ) -> Iterator[str]:
        """See to words that were read before: shown, taken up again, or decided against."""
        if own:
            yield own.id
        for memory in shared_copies:
            yield memory.id
            after = self.known.get(memory.superseded_by)
            if own and self.accept and not memory.superseded:
                self.service.supersede(memory.id, own.id)
                self._change(name, note, own)
            elif not memory.superseded:
                self._show(memory, note)
                self.outcome.waiting += [name] if own else []
            elif after and is_only_shared(after) and not after.superseded:
                self._take_up(memory, after, note)
                return

    def _take_edit(
        self, name: str, note: SharedNote, there: Sequence[Memory], own: Memory | None
    ) -> Iterator[str]:
        """Take in words that are new here: of a new file, or of one that was edited."""
        old = own or next((memory for memory in there if not memory.superseded), None)
        self.outcome.waiting += [name] if own and not self.accept else []
        if old and (self.accept if own else _says(old, note)):
            self._change(name, note, old)
        elif not (own and _says(own, note)):
            yield from filter(None, [self._adopt(name, note, old)])
        yield from [old.id] if old else []

    def _adopt(self, name: str, note: SharedNote, old: Memory | None) -> str | None:
        free = note.id if note.id and not self.service.peek(note.id) else None
        draft = draft_of(note, name, old.id if old else None)
        entry = Entry(draft=draft, carried=carried_by(note, id=free), where=name)
        try:
            [result] = self.service.exchange.adopt([entry], AdoptionTerms()).results
        except InvalidInput as error:
            self.outcome.skipped[name] = str(error)
            return old.id if old else None
        self.outcome.added += result.created
        return result.id

    def _change(self, name: str, note: SharedNote, old: Memory) -> None:
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
            self.outcome.skipped[name] = str(error)
        else:
            self.outcome.accepted += 1

    def _take_back(self, there: Sequence[Memory]) -> Iterator[str]:
        """Forget what only the folder said; what was said or confirmed here is only told of."""
        for memory in there:
            if memory.superseded:
                continue
            if is_only_shared(memory):
                self.retracted_ids.append(memory.id)
                self.outcome.retracted += 1
            else:
                self.outcome.disputed.append(memory.id)
            yield memory.id

    def _retire(self, there: Sequence[Memory], by: str) -> Iterator[str]:
        """Make history of what others superseded, once what took its place is here."""
        new = self.service.peek(by)
        for memory in there:
            if is_only_shared(memory) and not memory.superseded and new and not new.superseded:
                self.service.supersede(memory.id, new.id)
            yield memory.id

    def _take_up(self, before: Memory, after: Memory, note: SharedNote) -> None:
        """Let earlier words of a file hold again: an edit was undone, or another branch is checked out."""

        def turn_back(now: Memory) -> Memory:
            if now.id == before.id:
                return replace(now, valid_until=None, superseded_by=None)
            return replace(now, valid_until=max(now.valid_from, before.valid_from), superseded_by=before.id)

        for memory in self.service.exchange.rewrite([after.id, before.id], turn_back):
            if memory.id == before.id:
                self._show(memory, note)

    def _show(self, memory: Memory, note: SharedNote) -> None:
        """Let a memory whose file is back be seen again."""
        if ABSENT in memory.metadata:
            self.service.exchange.rewrite([memory.id], lambda now: _show_memory(now, note.expires))
            self.outcome.shown += 1

    def _hide(self, memories: Sequence[Memory]) -> None:
        now = self.service.moment("0m", "now")
        visible_memories = [
            memory for memory in memories if ABSENT not in memory.metadata and not memory.superseded
        ]
        hidden_memories = self.service.exchange.rewrite(
            [memory.id for memory in visible_memories], lambda memory: _hide_memory(memory, now)
        )
        self.outcome.hidden += len(hidden_memories)


def _show_memory(memory: Memory, expires: int | None) -> Memory:
    metadata = {key: value for key, value in memory.metadata.items() if key != ABSENT}
    return replace(memory, expires=expires, metadata=metadata)


def _hide_memory(memory: Memory, now: int | None) -> Memory:
    return replace(memory, expires=now, metadata={**memory.metadata, ABSENT: True})


def _says(memory: Memory, note: SharedNote) -> bool:
    """Say whether a file still says what a memory says, whatever else was edited in it."""
    return fingerprint(note.content) == memory.fingerprint
