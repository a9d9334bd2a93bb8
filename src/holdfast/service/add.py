"""The write path over both scopes: from what a caller says to what is stored.

Lives here: which store takes what, and what has to be known before anything is written. The steps themselves are
in `capture`.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace

from holdfast.capture.permission import believed, denied, objection, objection_to_quoted
from holdfast.capture.prepare import Desk, named_item, prepare_all
from holdfast.capture.propose import propose
from holdfast.capture.reconcile import Incoming
from holdfast.capture.remember import Embedded, remember
from holdfast.capture.revise import retire
from holdfast.capture.text.clean import quote
from holdfast.errors import InvalidInput, UnknownId
from holdfast.model.kinds import USER
from holdfast.model.memory import Added, Draft, Memory
from holdfast.model.proposal import SUPERSEDE
from holdfast.ports import Store
from holdfast.service.scopes import Scopes
from holdfast.stores.retry import again
from holdfast.upkeep.embed import Embeddings

PRIVATE = Added(id=None, rejected="private")


class Intake:
    """What takes drafts in."""

    def __init__(
        self,
        scopes: Scopes,
        embeddings: Embeddings,
        *,
        embed: bool,
        told: Callable[[Sequence[Memory], int], None] = lambda new, now: None,
    ) -> None:
        self._scopes = scopes
        self._told = told
        self._embeddings = embeddings
        self._embed = embed

    def take(self, drafts: Sequence[Draft], desk: Desk, proven: Set[int] = frozenset()) -> list[Added]:
        """Write what was said, and tell who wants to know; return what became of each draft, in order."""
        results, new = self.write(drafts, desk, proven)
        self.tell(new, desk.now)
        return results

    def tell(self, new: Sequence[Memory], now: int) -> None:
        """Tell who wants to know of new memories of the project; once they are kept."""
        if new:
            self._told(new, now)

    def write(
        self, drafts: Sequence[Draft], desk: Desk, proven: Set[int] = frozenset()
    ) -> tuple[list[Added], list[Memory]]:
        """Write what was said; return what became of each draft, in order, and what is new in the project.

        `proven` are the places of those that the user is known to have said, whoever passes them on.

        strip → normalise → redact → classify → fingerprint: each draft by itself, and all before anything is
        written. reconcile → store: in batches. What is private as a whole is not stored.
        """
        drafts = [
            draft if place in proven else replace(draft, trust=believed(desk.actor, draft.trust))
            for place, draft in enumerate(drafts)
        ]
        memories = prepare_all(drafts, desk)
        incoming = self._incoming(drafts, memories)
        wishes = self._may_not_supersede(incoming, desk, proven)
        incoming |= {place: Incoming(incoming[place].memory) for place in wishes}
        results = dict.fromkeys(range(len(drafts)), PRIVATE)
        new: list[Memory] = []
        for scope in dict.fromkeys(drafts[place].scope for place in incoming):
            places = [place for place in incoming if drafts[place].scope == scope]
            store = self._scopes.of(scope)
            written = self._write(store, [incoming[place] for place in places], desk)
            results.update(zip(places, written, strict=True))
            if store is self._scopes.project:
                created = {result.id for result in written if result.created}
                new += [incoming[place].memory for place in places if incoming[place].memory.id in created]
        for place, old in wishes.items():
            results[place] = self._proposed(results[place], old, desk, quoted=place in proven)
        return list(results.values()), new

    def _may_not_supersede(
        self, incoming: Mapping[int, Incoming], desk: Desk, proven: Set[int]
    ) -> dict[int, Memory]:
        """Return, by place, what an agent's memories would take the place of and may not."""
        found: dict[int, Memory] = {}
        for place, item in incoming.items():
            old = self._scopes.find(item.supersedes)[1] if item.supersedes else None
            if old and _objection(desk, item.memory, old, quoted=place in proven):
                found[place] = old
        return found

    def _proposed(self, added: Added, old: Memory, desk: Desk, *, quoted: bool) -> Added:
        """Leave to a person what an agent's memory may not do: take the place of a person's."""
        if added.id is None or added.id == old.id:
            return added
        store, new = self._scopes.find(added.id)
        why = _objection(desk, new, old, quoted=quoted) or ""
        wish = denied(desk.actor, SUPERSEDE, old, why, at=desk.now, store=store, other=new)
        return replace(added, proposal=propose(store, wish.proposal).id)

    def _write(self, store: Store, batch: Sequence[Incoming], desk: Desk) -> list[Added]:
        memories = [item.memory for item in batch]
        barred = self._settle_tombstones(store, memories)
        return remember(store, batch, desk, barred, self._embedded(store, memories))

    def _incoming(self, drafts: Sequence[Draft], memories: Sequence[Memory | None]) -> dict[int, Incoming]:
        """Tie prepared memories to their sessions and to what they supersede, by their place among the drafts."""
        incoming = {}
        retired: set[str] = set()
        for place, (draft, memory) in enumerate(zip(drafts, memories, strict=True)):
            with named_item(place, len(drafts)):
                session = None if draft.session is None else self._known_session(draft.session)
                if memory is None:
                    continue
                old = None if draft.supersedes is None else self._replaceable(draft, memory)
                if old in retired:
                    raise InvalidInput(field="supersedes", problem="another item takes its place already.")
                retired.update([old] if old else [])
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
    def _settle_tombstones(self, home: Store, memories: Sequence[Memory]) -> set[str]:
        """Return what was forgotten in another scope and may not come back; lift there what a person says anew."""
        barred: set[str] = set()
        for store in self._scopes.present:
            if store is home or not store.tombstones.count():
                continue
            barred |= store.tombstones.standing([one.fingerprint for one in memories if one.trust != USER])
            said = store.tombstones.standing([one.fingerprint for one in memories if one.trust == USER])
            if said:
                with store.writing():
                    store.tombstones.remove(sorted(said))
        return barred

    def _embedded(self, store: Store, memories: Sequence[Memory]) -> Embedded | None:
        """Make the vectors of a small add before its transaction; more than a few wait."""
        model = self._embeddings.model
        if model is None or not self._embed:
            return None
        vectors = self._embeddings.memories(store, memories)
        return Embedded(model, vectors) if vectors else None


def _objection(desk: Desk, new: Memory, old: Memory, *, quoted: bool) -> str | None:
    """Say why one memory may not take the place of another, by whom it is said; None when it may."""
    reason = objection(desk.actor, SUPERSEDE, old)
    return objection_to_quoted(new, old) if reason and quoted else reason
