"""The write path over both scopes: from what a caller says to what is stored.

Lives here: which store takes what, and what has to be known before anything is written. The steps themselves are
in `capture`.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence, Set

from msgspec.structs import replace

from holdfast.capture.permission import believed_trust, denial, objection, objection_to_quoted, propose
from holdfast.capture.precedence import retire
from holdfast.capture.prepare import WriteContext, named_item, prepare
from holdfast.capture.reconcile import Incoming, MemoryEmbeddings, remember
from holdfast.capture.text.clean import quote
from holdfast.errors import InvalidInput, StoreError, UnknownId
from holdfast.model.inbox import SUPERSEDE
from holdfast.model.kinds import USER
from holdfast.model.memory import Added, Memory
from holdfast.model.requests import Draft
from holdfast.ports import Store
from holdfast.service.scopes import Scopes
from holdfast.stores.retry import again
from holdfast.upkeep.embed import Embeddings

JOINING = 10
"""New memories at a time that join threads: a bulk of them stands alone."""

PRIVATE = Added(id=None, rejected="private")


class Intake:
    """What takes drafts in."""

    def __init__(
        self,
        scopes: Scopes,
        embeddings: Embeddings,
        on_written: Callable[[Sequence[Memory], int], None],
        *,
        embed: bool,
    ) -> None:
        self._scopes = scopes
        self._embeddings = embeddings
        self._on_written = on_written
        self._embed = embed

    def take(self, drafts: Sequence[Draft], context: WriteContext, proven: Set[int] = frozenset()) -> list[Added]:
        """Write what was said, and what is new into the daily log; return what became of each draft, in order."""
        results, new = self.write(drafts, context, proven, embed=self._embed)
        self._on_written(new, context.now)
        if 0 < len(new) <= JOINING and self._scopes.project.threads.newest(1):
            self._join_threads(new)
        return results

    def _join_threads(self, new: Sequence[Memory]) -> None:
        """Let memories join the threads about their subjects; one that cannot now stands alone."""
        from holdfast.capture.sessions.threads import (
            join_thread,  # most memories are added where there are no threads
        )

        store = self._scopes.project
        with contextlib.suppress(StoreError), store.writing():
            for memory in new:
                join_thread(store, memory)

    def write(
        self,
        drafts: Sequence[Draft],
        context: WriteContext,
        proven: Set[int] = frozenset(),
        *,
        embed: bool = False,
    ) -> tuple[list[Added], list[Memory]]:
        """Write what was said; return what became of each draft, in order, and what is new in the project.

        `proven` are the places of those that the user is known to have said, whoever passes them on.

        strip → normalise → redact → classify → fingerprint: each draft by itself, and all before anything is
        written. reconcile → store: in batches. What is private as a whole is not stored.
        """
        drafts = [
            draft if place in proven else replace(draft, trust=believed_trust(context.actor, draft.trust))
            for place, draft in enumerate(drafts)
        ]
        incoming = self._incoming(drafts, context)
        wishes = self._may_not_supersede(incoming, context, proven)
        incoming |= {place: Incoming(incoming[place].memory) for place in wishes}
        results = dict.fromkeys(range(len(drafts)), PRIVATE)
        new: list[Memory] = []
        for scope in dict.fromkeys(drafts[place].scope for place in incoming):
            places = [place for place in incoming if drafts[place].scope == scope]
            store = self._scopes.of(scope)
            batch_results = self._write(store, [incoming[place] for place in places], context, embed=embed)
            results.update(zip(places, batch_results, strict=True))
            if store is self._scopes.project:
                created_ids = {result.id for result in batch_results if result.created}
                new += [incoming[place].memory for place in places if incoming[place].memory.id in created_ids]
        for place, old in wishes.items():
            results[place] = self._propose(results[place], old, context, quoted=place in proven)
        return list(results.values()), new

    def _may_not_supersede(
        self, incoming: Mapping[int, Incoming], context: WriteContext, proven: Set[int]
    ) -> dict[int, Memory]:
        """Return, by place, what an agent's memories would take the place of and may not."""
        old_by_place: dict[int, Memory] = {}
        for place, item in incoming.items():
            old = self._scopes.find(item.supersedes)[1] if item.supersedes else None
            if old and _objection(context, item.memory, old, quoted=place in proven):
                old_by_place[place] = old
        return old_by_place

    def _propose(self, result: Added, old: Memory, context: WriteContext, *, quoted: bool) -> Added:
        """Leave to a person what an agent's memory may not do: take the place of a person's."""
        if result.id is None or result.id == old.id:
            return result
        store, new = self._scopes.find(result.id)
        why = _objection(context, new, old, quoted=quoted) or ""
        wish = denial(context.actor, SUPERSEDE, old, why, at=context.now, store=store, other=new)
        return replace(result, proposal=propose(store, wish.proposal).id)

    def _write(
        self, store: Store, batch: Sequence[Incoming], context: WriteContext, *, embed: bool
    ) -> list[Added]:
        memories = [item.memory for item in batch]
        with store.reading():  # how things stand is one look
            other_stores = [
                other_store
                for other_store in self._scopes.present
                if other_store is not store and other_store.tombstones.count()
            ]
            model = self._embeddings.model if embed else None
            stored_model, failure = (store.vectors.model(), store.vectors.failure()) if model else (None, None)
        barred_prints = self._settle_tombstones(other_stores, memories)
        if model is None:
            return remember(store, batch, context, barred_prints, None)
        # before the transaction; the vectors of more than a few memories wait
        vectors = self._embeddings.memories(store, memories, stored_model, is_clean=failure is None)
        embeddings = MemoryEmbeddings(model, vectors) if vectors else None
        return remember(store, batch, context, barred_prints, embeddings)

    def _incoming(self, drafts: Sequence[Draft], context: WriteContext) -> dict[int, Incoming]:
        """Prepare drafts, and tie them to their sessions and to what they supersede, by their place."""
        incoming = {}
        retired_ids: set[str] = set()
        for place, draft in enumerate(drafts):
            with named_item(place, len(drafts)):
                memory = prepare(draft, context)
                session = None if draft.session is None else self._known_session(draft.session)
                if memory is None:
                    continue
                old = None if draft.supersedes is None else self._replaceable(draft, memory)
                if old in retired_ids:
                    raise InvalidInput(field="supersedes", problem="another item takes its place already.")
                retired_ids.update([old] if old else [])
            incoming[place] = Incoming(replace(memory, session=session), old)
        return incoming

    def _replaceable(self, draft: Draft, memory: Memory) -> str:
        home, old = self._scopes.find(draft.supersedes or "", "supersedes")
        if home is not self._scopes.of(draft.scope):
            raise InvalidInput(field="supersedes", problem="that memory lives in another scope.")
        if old.fingerprint == memory.fingerprint:
            raise InvalidInput(field="supersedes", problem="that memory says the same already.")
        return retire(old, memory).id

    def _known_session(self, session_id: str) -> str:
        try:
            return self._scopes.session(session_id).id
        except UnknownId:
            problem = f"no session has the id {quote(session_id)}. Start one, or leave it out."
            raise InvalidInput(field="session", problem=problem) from None

    @again
    def _settle_tombstones(self, stores: Sequence[Store], memories: Sequence[Memory]) -> set[str]:
        """Return what was forgotten in another scope and may not come back; lift there what a person says anew."""
        barred_prints: set[str] = set()
        for store in stores:
            barred_prints |= store.tombstones.standing(
                [memory.fingerprint for memory in memories if memory.trust != USER]
            )
            restated_prints = store.tombstones.standing(
                [memory.fingerprint for memory in memories if memory.trust == USER]
            )
            if restated_prints:
                with store.writing():
                    store.tombstones.remove(sorted(restated_prints))
        return barred_prints


def _objection(context: WriteContext, new: Memory, old: Memory, *, quoted: bool) -> str | None:
    """Say why one memory may not take the place of another, by whom it is said; None when it may."""
    reason = objection(context.actor, SUPERSEDE, old)
    return objection_to_quoted(new, old) if reason and quoted else reason
