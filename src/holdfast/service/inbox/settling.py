"""What a person says about memories that wait: candidates, and the two sides of a conflict.

Each is one transaction with the note that takes it back.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.model.actor import Actor
from holdfast.model.inbox import ACCEPTED, CANDIDATE, CONFLICT, DROPPED, EDITED, KEPT, NEWER, OLDER, Settlement
from holdfast.model.kinds import USER
from holdfast.model.memory import BOTH, Conflict, Memory
from holdfast.model.records import Event
from holdfast.model.requests import Changes
from holdfast.ports import Clock, Store
from holdfast.service.change import reread
from holdfast.service.inbox import ledger
from holdfast.service.inbox.ledger import LedgerEntry
from holdfast.service.inbox.listing import sides_of
from holdfast.service.inbox.proposals import ProposalVerbs, vouch
from holdfast.service.scopes import Scopes
from holdfast.stores.retry import again

Act = Callable[[LedgerEntry], LedgerEntry]
"""What is done to the memories of an item; it completes the note that takes it back."""


class MemoryDecisions:
    """What changes memories as a person decides."""

    def __init__(self, scopes: Scopes, clock: Clock, actor: Actor, verbs: ProposalVerbs) -> None:
        self._scopes = scopes
        self._clock = clock
        self._actor = actor
        self._verbs = verbs

    def accept(self, store: Store, memory: Memory) -> Settlement:
        """Confirm a candidate."""

        def confirm(entry: LedgerEntry) -> LedgerEntry:
            self._verbs.editor.confirm(memory.id)
            return entry

        return self._settle(store, memory, ACCEPTED, confirm)

    def edit(self, store: Store, memory: Memory, content: str) -> Settlement:
        """Confirm a candidate with a person's own words."""
        return self._settle(store, memory, EDITED, lambda entry: self._reword(store, memory.id, content, entry))

    def drop(self, store: Store, row: Conflict | Memory) -> Settlement:
        """Make a candidate, or both sides of a conflict, history that only a person can say again."""
        memories = sides_of(store, row) if isinstance(row, Conflict) else [row]
        return self._settle(store, row, DROPPED, lambda entry: self._retire(store, memories, entry))

    def keep(self, store: Store, conflict: Conflict, side: str) -> Settlement:
        """Let one side of a conflict hold, or both."""
        kept_id = BOTH if side == BOTH else self._side(store, conflict, side)
        settlement = self._settle(
            store, conflict, KEPT, lambda entry: self._resolve(store, conflict, kept_id, entry)
        )
        return replace(settlement, kept=kept_id)

    def reword(self, store: Store, conflict: Conflict, content: str) -> Settlement:
        """Let the newer side of a conflict hold, with a person's own words."""
        newer = self._side(store, conflict, NEWER)

        def act(entry: LedgerEntry) -> LedgerEntry:
            return self._reword(store, newer, content, self._resolve(store, conflict, newer, entry))

        return self._settle(store, conflict, EDITED, act)

    @again
    def _settle(self, store: Store, row: Conflict | Memory, outcome: str, act: Act) -> Settlement:
        """Do something to the memories of an item, in one transaction with the note of how they stood."""
        ids = [row.first, row.second] if isinstance(row, Conflict) else [row.id]
        sort = CONFLICT if isinstance(row, Conflict) else CANDIDATE
        with store.writing():
            before = ledger.standings(store, ids)
            entry = act(LedgerEntry(id=row.id, sort=sort, at=self._clock.now(), before=before, after={}))
            ledger.note(store, replace(entry, after=ledger.standings(store, ids)))
            about = reread(store, entry.about or ids[-1])
        return Settlement(
            id=row.id, short=row.id[-8:], sort=sort, outcome=outcome, memory=about.id, title=about.title
        )

    def _reword(self, store: Store, memory_id: str, content: str, entry: LedgerEntry) -> LedgerEntry:
        """Let a memory say something else, as a person's word; the words it had stay with it."""
        before = reread(store, memory_id)
        self._verbs.editor.update(memory_id, Changes(content=content, trust=USER), self._verbs.write_context())
        store.memories.replace(ledger.with_words_kept(reread(store, memory_id), before))
        return replace(entry, edited=(memory_id,), about=memory_id)

    def _resolve(self, store: Store, conflict: Conflict, kept_id: str, entry: LedgerEntry) -> LedgerEntry:
        """Keep what was chosen, and vouch for it: whoever chooses it says that it holds."""
        self._verbs.editor.resolve(store, conflict, kept_id)
        for memory_id in (conflict.first, conflict.second) if kept_id == BOTH else (kept_id,):
            vouch(memory_id, self._verbs, self._scopes)
        return replace(entry, about=None if kept_id == BOTH else kept_id)

    def _retire(self, store: Store, memories: Sequence[Memory], entry: LedgerEntry) -> LedgerEntry:
        now, ids = self._clock.now(), tuple(memory.id for memory in memories)
        store.audit.record(Event(action="drop", actor=self._actor.name, at=now, ids=ids))
        barred_prints = store.tombstones.standing([memory.fingerprint for memory in memories])
        free = [memory for memory in memories if memory.fingerprint not in barred_prints]
        store.tombstones.add([memory.fingerprint for memory in free])
        for memory in memories:
            store.memories.replace(replace(memory, valid_until=max(memory.valid_from, now), updated_at=now))
        return replace(entry, barred=tuple(memory.id for memory in free))

    def _side(self, store: Store, conflict: Conflict, side: str) -> str:
        """Return the id of the side that somebody means."""
        older, newer = sides_of(store, conflict)
        if side in (NEWER, OLDER):
            return newer.id if side == NEWER else older.id
        full = self._scopes.full_id(side, "keep")
        if full is None or full not in (older.id, newer.id):
            problem = f"must be {NEWER}, {OLDER}, {BOTH} or the id of one of its two memories."
            raise InvalidInput(field="keep", problem=problem)
        return full
