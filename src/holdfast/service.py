"""The verbs. Each checks what it was asked, delegates to the path that does it, and returns a value.

What must not be here: SQL, scoring, text handling, formatting; and anything that knows an interface.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture.check import check_choice, check_count, check_kind, check_name, check_number, check_size
from holdfast.capture.forget import forget
from holdfast.capture.prepare import apply_changes, prepare_all
from holdfast.capture.reconcile import retire
from holdfast.capture.remember import Embedded, Incoming, remember
from holdfast.capture.standing import after_read
from holdfast.capture.turns import prepare_turn
from holdfast.errors import (
    AmbiguousId,
    InvalidInput,
    PinLimitReached,
    SameContent,
    StoreBusy,
    StoreError,
    StoreUnwritable,
    UnknownId,
)
from holdfast.model import kinds, limits
from holdfast.model.ids import new_id, tail_of
from holdfast.model.memory import Added, Changes, Draft, Forgotten, Memory, Origin, TimelineEntry
from holdfast.model.records import Access, Event, Stats
from holdfast.model.search import Filters, Hit, Query
from holdfast.model.session import Session, Turn
from holdfast.model.times import Moment, parse_past
from holdfast.model.title import shorten
from holdfast.model.vectors import MEMORY, TURN, VECTOR_TARGETS
from holdfast.ports import Clock, Progress, Store
from holdfast.recall.channels import Question
from holdfast.recall.ranking import Ranking
from holdfast.recall.search import search
from holdfast.scopes import Scopes
from holdfast.upkeep.embed import SESSION_TEXTS, Embeddings

if TYPE_CHECKING:
    from holdfast.ports import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the verbs need to know of the configuration."""

    actor: str = "python"
    ranking: Ranking = field(default_factory=Ranking)
    embed_on_add: bool = True
    root: Path | None = None
    ignored_settings: tuple[str, ...] = ()


class Service:
    """Project memory, behind every interface."""

    def __init__(
        self,
        scopes: Scopes,
        clock: Clock,
        origin: Callable[[], Origin],
        settings: Settings | None = None,
        embeddings: Embeddings | None = None,
    ) -> None:
        self._scopes = scopes
        self._clock = clock
        self._origin = origin
        self._settings = settings or Settings()
        self._embeddings = embeddings or Embeddings(None, clock)
        self._accesses: list[Access] = []

    # ── remember and forget ──────────────────────────────────────────────────────────────────────────────

    def add(self, draft: Draft) -> Added:
        """Remember one thing."""
        return self.add_many([draft])[0]

    def add_many(self, drafts: Sequence[Draft]) -> list[Added]:
        """Remember many things; nothing is written unless all of them can be."""
        now = self._clock.now()
        origin = self._origin()
        memories = prepare_all(drafts, origin, self._settings.root, now)
        by_scope: dict[str, list[int]] = {}
        incoming = []
        for place, (draft, memory) in enumerate(zip(drafts, memories, strict=True)):
            by_scope.setdefault(draft.scope, []).append(place)
            incoming.append(self._incoming(draft, memory))
        results: dict[int, Added] = {}
        for scope, places in by_scope.items():
            batch = [incoming[place] for place in places]
            store = self._scopes.of(scope)
            embedded = self._embedded(store, [one.memory for one in batch])
            added = remember(store, batch, self._settings.actor, now, embedded)
            results.update(zip(places, added, strict=True))
        return [results[place] for place in range(len(drafts))]

    def update(self, memory_id: str, changes: Changes) -> Memory:
        """Change fields of a memory."""
        now = self._clock.now()
        store, _ = self._scopes.find(memory_id)
        with store.writing():
            _, memory = self._scopes.find(memory_id)
            changed = apply_changes(memory, changes, self._settings.root, now)
            rivals = store.memories.saying(memory.project, [changed.fingerprint])
            rival = rivals.get(changed.fingerprint)
            if rival and rival.id != memory.id and not memory.superseded:
                raise SameContent(id=rival.id)
            self._journal(store, "update", memory.id)
            store.memories.replace(changed)
        return changed

    def forget(self, memory_id: str) -> Forgotten:
        """Retract a memory: the entry, its words in the evidence, and its way back."""
        self._write_accesses()
        store, memory = self._scopes.find(memory_id)
        return forget(
            store,
            self._scopes.project,
            [memory],
            project=self._origin().project,
            actor=self._settings.actor,
            now=self._clock.now(),
        )

    # ── standing ─────────────────────────────────────────────────────────────────────────────────────────

    def pin(self, memory_id: str) -> Memory:
        """Put a memory into every brief; at most five are."""
        store, memory = self._scopes.find(memory_id)
        if not memory.current(self._clock.now()):
            raise InvalidInput(field="id", problem=f"memory {memory_id} no longer holds, so it cannot be pinned.")
        with store.writing():
            if memory.status != kinds.PINNED and self._pinned() >= limits.PINS:
                raise PinLimitReached(limit=limits.PINS)
            return self._settle(store, memory.id, "pin", status=kinds.PINNED)

    def unpin(self, memory_id: str) -> Memory:
        """Take a memory out of the always-carried ones; it stays confirmed."""
        store, memory = self._scopes.find(memory_id)
        if memory.status != kinds.PINNED:
            return memory
        return self._settle(store, memory.id, "unpin", status=kinds.CONFIRMED)

    def confirm(self, memory_id: str) -> Memory:
        """Say that a memory holds; it counts as a read and its age starts anew."""
        store, memory = self._scopes.find(memory_id)
        status = kinds.PINNED if memory.status == kinds.PINNED else kinds.CONFIRMED
        now = self._clock.now()
        with store.writing():
            store.memories.count_read([memory.id], now)
            return self._settle(store, memory.id, "confirm", status=status, renewed_at=now)

    def supersede(self, old_id: str, new_id: str) -> Memory:
        """Let one memory take another's place; the old one becomes history."""
        store, old = self._scopes.find(old_id, "old")
        other, new = self._scopes.find(new_id, "new")
        if store is not other:
            raise InvalidInput(field="new", problem="lives in another scope; add it to the same scope first.")
        with store.writing():
            retired = retire(old, new)
            self._journal(store, "supersede", old.id, new.id)
            store.memories.replace(retired)
        return retired

    # ── the three layers ─────────────────────────────────────────────────────────────────────────────────

    def search(self, query: Query) -> list[Hit]:
        """Layer 1: find; titles, not contents."""
        self._check_query(query)
        now = self._clock.now()
        current = replace(query, filters=replace(query.filters, current_at=now))
        stores = self._scopes.present
        hits = search(Question(current, self._meaning(current, stores)), stores, self._settings.ranking)
        self._log("search", [(hit.id, hit.score) for hit in hits if hit.kind in kinds.KINDS], query.text)
        return hits

    def timeline(self, memory_id: str, window: int = 5) -> list[TimelineEntry]:
        """Layer 2: what was remembered just before and after a memory, without full contents."""
        check_count("window", window, 0, 100)
        store, anchor = self._scopes.find(memory_id)
        entries = store.memories.around(anchor, window, Filters(current_at=self._clock.now()))
        self._log("timeline", [(anchor.id, None)], None)
        return [_timeline_entry(memory, anchor) for memory in entries]

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """Layer 3: full contents. Counts as a read; unknown ids are left out."""
        if isinstance(ids, str):
            ids = [ids]
        wanted = [full for given in ids if (full := self._scopes.full_id(given))]
        found = {memory.id: memory for store in self._scopes.present for memory in self._read(store, wanted)}
        self._log("get", [(memory_id, None) for memory_id in found], None)
        return [found[memory_id] for memory_id in wanted if memory_id in found]

    def peek(self, memory_id: str) -> Memory | None:
        """Return one memory without counting a read, for asking a person about it."""
        full = self._scopes.full_id(memory_id)
        found = [memory for store in self._scopes.present for memory in store.memories.get([full] if full else [])]
        return found[0] if found else None

    def list(self, filters: Filters, limit: int = 50) -> list[Memory]:
        """Return current memories, newest first. Browsing is not a read."""
        check_count("limit", limit, 1, 100_000)
        for kind in filters.kinds:
            check_kind(kind)
        current = replace(filters, current_at=self._clock.now())
        found = [memory for store in self._scopes.present for memory in store.memories.newest(current, limit)]
        return sorted(found, key=lambda memory: memory.created_at, reverse=True)[:limit]

    def history(self, memory_id: str) -> "Sequence[Memory]":
        """Return a memory with what it superseded and what superseded it, oldest first."""
        store, memory = self._scopes.find(memory_id)
        return store.memories.history(memory.id)

    # ── sessions ─────────────────────────────────────────────────────────────────────────────────────────

    def start_session(self, agent: str, at: Moment | None = None, ref: str | None = None) -> Session:
        """Begin a session, or go on with the one that has this ref."""
        check_name("agent", agent)
        if ref is not None:
            check_name("ref", ref)
        now = self._clock.now()
        origin = self._origin()
        started_at = parse_past(at, "at", now)
        store = self._scopes.project
        with store.writing():
            known = store.sessions.with_ref(origin.project, ref) if ref else None
            if known:
                session = replace(known, status=kinds.ACTIVE, ended_at=None)
                store.sessions.replace(session)
                return session
            session = Session(
                id=new_id(now),
                project=origin.project,
                tenant=origin.tenant,
                user=origin.user,
                agent=agent,
                status=kinds.ACTIVE,
                ref=ref,
                started_at=now if started_at is None else started_at,
            )
            store.sessions.insert(session)
        return session

    def record(
        self,
        session_id: str,
        role: str,
        text: str,
        *,
        at: Moment | None = None,
        ref: str | None = None,
        tool: str | None = None,
        files: Sequence[str] = (),
    ) -> Turn:
        """Keep one message of a session; the same ref twice is one turn."""
        store = self._scopes.project
        session = self.session(session_id)
        turn = prepare_turn(session, role, text, at=at, ref=ref, tool=tool, files=files, now=self._clock.now())
        with store.writing():
            known = store.turns.with_ref(session.id, ref) if ref else None
            if known is None:
                store.turns.insert([turn])
        return known or turn

    def end_session(self, session_id: str) -> Session:
        """Complete a session; ending it twice changes nothing."""
        store = self._scopes.project
        with store.writing():
            session = self.session(session_id)
            if session.status == kinds.COMPLETED:
                return session
            now = self._clock.now()
            ended = replace(session, status=kinds.COMPLETED, ended_at=session.last_turn_at or now)
            self._journal(store, "finalise", session.id)
            store.sessions.replace(ended)
        if self._settings.embed_on_add:
            self._embeddings.slice(store, (TURN,), SESSION_TEXTS)
        return ended

    def session(self, session_id: str) -> Session:
        """Return a session; the id may be short."""
        check_name("session", session_id)
        store = self._scopes.project
        found = store.sessions.get(session_id)
        tails = store.sessions.ending(tail) if not found and (tail := tail_of(session_id)) else []
        if len(tails) > 1:
            raise AmbiguousId(field="session", id=session_id, matches=", ".join(sorted(tails)))
        found = found or (store.sessions.get(tails[0]) if tails else None)
        if found is None:
            raise UnknownId(noun="session", id=session_id)
        return found

    def sessions(self, limit: int = 50) -> "Sequence[Session]":
        """Return sessions, newest first."""
        check_count("limit", limit, 1, 100_000)
        return self._scopes.project.sessions.newest(None, limit)

    def turns(self, session_id: str) -> "Sequence[Turn]":
        """Return a session's turns as recorded."""
        return self._scopes.project.turns.of(self.session(session_id).id)

    # ── the store itself ─────────────────────────────────────────────────────────────────────────────────

    def stats(self) -> Stats:
        """Count what there is and say how the stores are doing."""
        self._write_accesses()
        self._scrub()
        now = self._clock.now()
        user = self._scopes.user
        return Stats(
            project=self._scopes.project.state(),
            counts=self._scopes.project.counts(now),
            user=user.state() if user else None,
            user_counts=user.counts(now) if user else None,
            ignored_settings=self._settings.ignored_settings,
            embedding=self._embeddings.state(self._scopes.project),
            user_embedding=self._embeddings.state(user) if user else None,
        )

    def moment(self, given: Moment | None, field: str) -> int | None:
        """Read a time as a caller writes it; `7d` means seven days ago."""
        return parse_past(given, field, self._clock.now())

    def short_id(self, full: str) -> str:
        """Return the short id people see for a memory."""
        return self._scopes.short(full)

    def flush(self, progress: Progress | None = None) -> None:
        """Finish everything pending: accesses not yet logged, bytes not yet scrubbed, vectors not yet made.

        A failing embedder fails nothing: `stats` says what still waits, and why.
        """
        self._write_accesses()
        self._scrub()
        for store in self._scopes.present:
            self._embeddings.finish(store, progress)

    def reindex(self, progress: Progress | None = None) -> None:
        """Make every vector anew, or go on with that where it was interrupted; words are searched meanwhile."""
        self.restart_vectors()
        self.flush(progress)

    def restart_vectors(self) -> None:
        """Let everything wait for a new vector, unless something waits already: then only that is made."""
        for store in self._scopes.present:
            self._embeddings.restart(store)

    def waiting(self) -> int:
        """Count what waits for vectors."""
        return sum(sum(store.vectors.waiting().values()) for store in self._scopes.present)

    def close(self) -> None:
        """Flush, and let go of the stores."""
        self._write_accesses()
        self._scopes.close()

    # ── within ───────────────────────────────────────────────────────────────────────────────────────────

    def _embedded(self, store: Store, memories: Sequence[Memory]) -> Embedded | None:
        """Make the vectors of a small add before its transaction; more than a few wait."""
        model = self._embeddings.model
        if model is None or not self._settings.embed_on_add:
            return None
        vectors = self._embeddings.memories(store, memories)
        return Embedded(model, vectors) if vectors else None

    def _meaning(self, query: Query, stores: Sequence[Store]) -> "Floats | None":
        """Return the query's vector, after embedding a little of what waits; None where only words count."""
        if query.mode == "keyword" or not query.text.strip():
            return None
        targets = {"memories": (MEMORY,), "all": VECTOR_TARGETS}.get(query.within, (TURN,))
        for store in stores:
            self._embeddings.slice(store, targets)
        usable = [store for store in stores if store.vectors.model() == self._embeddings.model]
        vector = self._embeddings.query(query.text) if usable else None
        if vector is None and query.mode == "vector":
            raise InvalidInput(field="mode", problem=f"no vectors: {self._embeddings.why_not(stores[0])}")
        return vector

    def _scrub(self) -> None:
        for store in self._scopes.present:
            if store.state().scrub_pending:
                store.scrub()

    def _incoming(self, draft: Draft, memory: Memory) -> Incoming:
        if draft.session is not None:
            memory = replace(memory, session=self._known_session(draft.session))
        if draft.supersedes is None:
            return Incoming(memory)
        home, old = self._scopes.find(draft.supersedes, "supersedes")
        if home is not self._scopes.of(draft.scope):
            raise InvalidInput(field="supersedes", problem="that memory lives in another scope.")
        retire(old, memory)
        return Incoming(memory, old.id)

    def _known_session(self, session_id: str) -> str:
        try:
            return self.session(session_id).id
        except UnknownId:
            problem = f"no session has the id {session_id!r}. Start one, or leave it out."
            raise InvalidInput(field="session", problem=problem) from None

    def _read(self, store: Store, ids: Sequence[str]) -> "Sequence[Memory]":
        """Return memories and count the read; when the store cannot be written, reading still works."""
        found = store.memories.get(ids)
        if found:
            with contextlib.suppress(StoreBusy, StoreUnwritable):
                return self._count_read(store, [memory.id for memory in found])
        return found

    def _count_read(self, store: Store, ids: Sequence[str]) -> "Sequence[Memory]":
        now = self._clock.now()
        with store.writing():
            store.memories.count_read(ids, now)
            memories = store.memories.get(ids)
            for place, memory in enumerate(memories):
                memories[place] = settled = after_read(memory, now)
                if settled is not memory:
                    self._journal(store, "confirm", memory.id)
                    store.memories.replace(settled)
        return memories

    def _pinned(self) -> int:
        pinned = Filters(statuses=(kinds.PINNED,), current_at=self._clock.now())
        return sum(len(store.memories.newest(pinned, limits.PINS)) for store in self._scopes.present)

    def _settle(self, store: Store, memory_id: str, action: str, **fields: object) -> Memory:
        with store.writing():
            [memory] = store.memories.get([memory_id])
            settled = replace(memory, updated_at=self._clock.now(), **fields)  # type: ignore[arg-type]  # our own names
            self._journal(store, action, memory_id)
            store.memories.replace(settled)
        return settled

    def _journal(self, store: Store, action: str, *ids: str) -> None:
        event = Event(action=action, actor=self._settings.actor, at=self._clock.now(), ids=ids)
        store.audit.record(event)

    def _check_query(self, query: Query) -> None:
        check_size("query", query.text, limits.CONTENT_BYTES)
        check_count("limit", query.limit, 1, 1_000)
        check_choice("mode", query.mode, kinds.MODES)
        check_choice("within", query.within, kinds.TARGETS)
        for kind in query.filters.kinds:
            check_kind(kind)
        for status in query.filters.statuses:
            check_choice("status", status, kinds.STATUSES)
        check_number("min_importance", query.filters.min_importance)
        check_size("file", query.filters.file or "", limits.PATH_CHARS * 4)
        check_size("contains", query.filters.contains or "", limits.CONTENT_BYTES)

    def _log(self, action: str, seen: Sequence[tuple[str, float | None]], query: str | None) -> None:
        now = self._clock.now()
        self._accesses.extend(
            Access(memory=memory, action=action, at=now, score=score, query=query and shorten(query, 200))
            for memory, score in seen
        )
        if len(self._accesses) >= limits.ACCESS_BATCH:
            self._write_accesses()

    def _write_accesses(self) -> None:
        """Write the log of accesses; best effort, as it serves analytics only."""
        if not self._accesses:
            return
        batch, self._accesses = self._accesses, []
        with contextlib.suppress(StoreError), self._scopes.project.writing():
            self._scopes.project.accesses.record(batch)


def _timeline_entry(memory: Memory, anchor: Memory) -> TimelineEntry:
    return TimelineEntry(
        id=memory.id,
        title=memory.title,
        kind=memory.kind,
        status=memory.status,
        trust=memory.trust,
        source=memory.source,
        created_at=memory.created_at,
        excerpt=shorten(memory.content, limits.EXCERPT_CHARS),
        anchor=memory.id == anchor.id,
    )
