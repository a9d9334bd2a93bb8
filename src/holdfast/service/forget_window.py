"""Forgetting that can be taken back for a moment: the memory is history at once, and goes when that is over.

What is on its way out is noted in its store, so that whoever looks after the store next carries it out where the
process that was asked is gone. How a memory stood is noted, never its words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from holdfast.capture.permission import check_person
from holdfast.errors import InvalidInput, SpoolBusy, UnknownId
from holdfast.model.actor import Actor
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import Value, replace
from holdfast.service.change import reread
from holdfast.service.inbox import ledger
from holdfast.service.inbox.ledger import LedgerEntry
from holdfast.stores.retry import again

if TYPE_CHECKING:
    from holdfast.ports import Clock, Store
    from holdfast.service.change import MemoryEditor
    from holdfast.service.forget import Forgetter
    from holdfast.service.scopes import Scopes

WINDOW_MS = 20_000
"""How long a person can take it back."""

FORGETTING = "forgetting"
"""The fact of a store that names what is on its way out."""


class Leaving(Value, kw_only=True):
    """A memory on its way out."""

    id: str
    title: str
    forgets_at: int
    done: bool = False


class _Notice(Value, kw_only=True):
    """What a store notes of a memory on its way out."""

    id: str
    due: int
    actor: str
    before: ledger.Standings
    after: ledger.Standings


class ForgetWindow:
    """What is on its way out of a service's stores."""

    def __init__(
        self, scopes: Scopes, clock: Clock, actor: Actor, forgetting: Forgetter, editor: MemoryEditor
    ) -> None:
        self._scopes = scopes
        self._clock = clock
        self._actor = actor
        self._forgetting = forgetting
        self._editor = editor

    @again
    def begin(self, memory_id: str) -> Leaving:
        """Take a memory out of everything that is told, and have it forgotten when the window is over."""
        check_person(self._actor, "forgetting what can be taken back")
        store, memory = self._scopes.find(memory_id)
        now = self._clock.now()
        with store.writing():
            notices = _notices(store)
            if begun := next((notice for notice in notices if notice.id == memory.id), None):
                return Leaving(id=memory.id, title=memory.title, forgets_at=begun.due)
            memory = reread(store, memory.id)
            before = ledger.standings(store, [memory.id])
            event = Event(
                action="update", actor=self._actor.name, at=now, ids=(memory.id,), detail={"forgetting": 1}
            )
            store.audit.record(event)
            if not memory.superseded:
                history = replace(memory, valid_until=max(memory.valid_from, now), updated_at=now)
                store.memories.replace(history)
            notice = _Notice(
                id=memory.id,
                due=now + WINDOW_MS,
                actor=self._actor.name,
                before=before,
                after=ledger.standings(store, [memory.id]),
            )
            _write(store, [*notices, notice])
        return Leaving(id=memory.id, title=memory.title, forgets_at=notice.due)

    @again
    def undo(self, memory_id: str) -> Memory:
        """Let a memory stand as it did."""
        check_person(self._actor, "taking back a forget")
        full = self._scopes.full_id(memory_id) or memory_id
        for store in self._scopes.present:
            notice = next((candidate for candidate in _notices(store) if candidate.id == full), None)
            if notice is not None and notice.due > self._clock.now():
                return self._take_back(store, notice)
        raise InvalidInput(field="undo", problem="is not possible: the time to take it back is over.")

    def leaving(self) -> list[Leaving]:
        """Return what is on its way out."""
        return [
            Leaving(id=memory.id, title=memory.title, forgets_at=notice.due)
            for store in self._scopes.present
            for notice in _notices(store)
            for memory in store.memories.get([notice.id])
        ]

    def carry_out(self, *, everything: bool = False) -> int:
        """Forget for good what nobody took back in time, or all that is on its way; return how many could not."""
        now = self._clock.now()
        due = [
            (store, notice)
            for store in self._scopes.present
            for notice in _notices(store)
            if everything or notice.due <= now
        ]
        return sum(not self._forget(store, notice, now) for store, notice in due)

    def _forget(self, store: Store, notice: _Notice, now: int) -> bool:
        """Forget one, then its notice: a crash in between leaves a notice of what is gone already.

        What somebody brought back meanwhile, by whatever way, stays.
        """
        try:
            if _still_leaving(store, notice):
                self._forgetting.one(notice.id, Actor(notice.actor, person=True), now)
        except UnknownId:
            pass
        except SpoolBusy:  # whoever holds the spool lets go of it, and there is a next time
            return False
        _let_go(store, notice.id)
        return True

    def _take_back(self, store: Store, notice: _Notice) -> Memory:
        now = self._clock.now()
        entry = LedgerEntry(id=notice.id, sort="forget", at=now, before=notice.before, after=notice.after)
        with store.writing():
            event = Event(action="update", actor=self._actor.name, at=now, ids=(notice.id,), detail={"undone": 1})
            store.audit.record(event)
            [memory] = ledger.take_back(store, entry, now, pinned=self._editor.pins())
            _write(store, [other for other in _notices(store) if other.id != notice.id])
        return memory


def deadlines(stores: Sequence[Store]) -> dict[str, int]:
    """Return when memories on their way out are gone, by id."""
    return {notice.id: notice.due for store in stores for notice in _notices(store)}


def _still_leaving(store: Store, notice: _Notice) -> bool:
    """Say whether a memory still stands as it did when it was sent on its way, and nobody took that back."""
    with store.reading():
        standings = json.loads(json.dumps(ledger.standings(store, [notice.id])))
        return standings == notice.after and any(other.id == notice.id for other in _notices(store))


@again
def _let_go(store: Store, memory_id: str) -> None:
    with store.writing():
        _write(store, [notice for notice in _notices(store) if notice.id != memory_id])


def _notices(store: Store) -> list[_Notice]:
    text = store.upkeep.fact(FORGETTING)
    return [_Notice(**row) for row in json.loads(text)] if isinstance(text, str) and text else []


def _write(store: Store, notices: Sequence[_Notice]) -> None:
    rows = [{name: getattr(notice, name) for name in notice.__slots__} for notice in notices]
    store.upkeep.note(FORGETTING, json.dumps(rows))
