"""Forgetting over both scopes: one memory, or all from a source, from a session, or that hold a text."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from holdfast.capture.check import check_size, visible
from holdfast.capture.clean import Cleaner
from holdfast.capture.derivation import derived_memories, holds_persons_words
from holdfast.capture.forget import Retraction, forget, forget_source, forget_turns
from holdfast.capture.normalise import normalise
from holdfast.capture.permission import HOLDS_PERSONS_WORDS, ask, check_person, denied
from holdfast.capture.propose import proposing
from holdfast.errors import InvalidInput
from holdfast.model.actor import Actor
from holdfast.model.limits import CONTENT_BYTES
from holdfast.model.memory import Forgotten, Memory
from holdfast.model.proposal import FORGET
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.scopes import Scopes

_ALL = 1_000_000_000


class Forgetting:
    """What takes memories back."""

    def __init__(
        self, scopes: Scopes, cleaner: Cleaner, erase: Callable[[Sequence[Memory]], None] = lambda memories: None
    ) -> None:
        self._scopes = scopes
        self._cleaner = cleaner
        self._erase = erase

    @proposing
    def one(self, memory_id: str, actor: Actor, now: int) -> Forgotten:
        """Retract one memory; the id may be short. An agent may only let go of what no person said."""
        store, memory = self._scopes.find(memory_id)
        ask(actor, FORGET, memory, at=now, store=store)
        if not actor.person and holds_persons_words(self._scopes.project, memory):
            raise denied(actor, FORGET, memory, HOLDS_PERSONS_WORDS, at=now, store=store)
        self._erase([memory])
        return forget(store, [memory], self._retraction(actor, now))

    def meant(self, filters: Filters) -> list[Memory]:
        """Return what `where` would touch, history included."""
        wanted = self._wanted(filters)
        return [memory for store in self._scopes.present for memory in self._touched(store, wanted)]

    def where(self, filters: Filters, actor: Actor, now: int) -> Forgotten:
        """Retract all that the filters mean; a session goes with its turns. For persons only.

        Those come last: they lead to the memories, which could not be found again after a crash in between.
        """
        check_person(actor, "forgetting by source, session or text")
        wanted, by = self._wanted(filters), self._retraction(actor, now)
        gone = []
        for store in self._scopes.present:
            memories = self._touched(store, wanted)
            alone = [memory for memory in memories if set(memory.sources) <= set(wanted.sources or memory.sources)]
            self._erase(alone)
            gone.append(
                forget_source(store, memories, wanted.sources[0], by)
                if wanted.sources
                else forget(store, memories, by)
            )
        if wanted.session:
            gone.append(forget_turns(wanted.session, by))
        return _together(gone)

    def _touched(self, store: Store, wanted: Filters) -> list[Memory]:
        """Return what filters mean in a store; of a session also what its words became in its forks."""
        memories = store.memories.newest(wanted, _ALL)
        if not wanted.session or store is not self._scopes.project:
            return memories
        known = {memory.id for memory in memories}
        return memories + [one for one in derived_memories(store, wanted.session) if one.id not in known]

    def _retraction(self, actor: Actor, now: int) -> Retraction:
        return Retraction(evidence=self._scopes.project, actor=actor.name, now=now)

    def _wanted(self, filters: Filters) -> Filters:
        """Return filters that say what to forget, in the words that things are stored under."""
        if not filters.sources and filters.session is None and filters.contains is None:
            raise InvalidInput(field="forget", problem="needs a source, a session or a text to look for.")
        check_size("matching", filters.contains or "", CONTENT_BYTES)
        return replace(
            filters,
            contains=None if filters.contains is None else visible("matching", normalise(filters.contains)),
            session=None if filters.session is None else self._scopes.session(filters.session).id,
            sources=tuple(visible("source", self._cleaner.label(source)) for source in filters.sources),
        )


def _together(parts: Sequence[Forgotten]) -> Forgotten:
    return Forgotten(
        ids=tuple(memory_id for one in parts for memory_id in one.ids),
        kept=tuple(memory_id for one in parts for memory_id in one.kept),
        masked_turns=sum(one.masked_turns for one in parts),
        pending=any(one.pending for one in parts),
    )
