"""The verbs. Each checks what it was asked, delegates to the path that does it, and returns a value.

What must not be here: SQL, scoring, text handling, formatting; and anything that knows an interface.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.briefs import Briefs, BriefSettings
from holdfast.capture.check import check_choice, check_count, check_kind, check_name, check_number, check_size
from holdfast.capture.files import project_path
from holdfast.capture.forget import forget
from holdfast.capture.normalise import normalise, normalise_names
from holdfast.capture.prepare import apply_changes, named_item, prepare_all
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
    StoreTooNew,
    StoreUnwritable,
    SwitchedOff,
    UnknownId,
)
from holdfast.model import kinds, limits
from holdfast.model.ids import new_id, short_id, slips, tail_of
from holdfast.model.memory import Added, Changes, Draft, Forgotten, Memory, Origin, TimelineEntry
from holdfast.model.records import Access, Event, EventFilters, LogCheck, Stats
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
    off: Callable[[], str | None] = lambda: None
    """Why memory is switched off just now, or None. Asked at every write: a pause reaches open services."""


class Service:
    """Project memory, behind every interface."""

    def __init__(
        self,
        scopes: Scopes,
        clock: Clock,
        origin: Callable[[], Origin],
        settings: Settings | None = None,
        after_session: Callable[[], None] | None = None,
        embeddings: Embeddings | None = None,
        brief: BriefSettings | None = None,
    ) -> None:
        self._scopes = scopes
        self._clock = clock
        self._origin = origin
        self._settings = settings or Settings()
        self._after_session = after_session
        self._embeddings = embeddings or Embeddings(None, clock)
        self.briefs = Briefs(scopes, clock, origin, self._embeddings, brief or BriefSettings())
        self._accesses: list[Access] = []
        self._forgotten = 0

    # ── remember and forget ──────────────────────────────────────────────────────────────────────────────

    def add(self, draft: Draft) -> Added:
        """Remember one thing."""
        return self.add_many([draft])[0]

    def add_many(self, drafts: Sequence[Draft]) -> list[Added]:
        """Remember many things; nothing is written unless all of them can be."""
        self.check_on()
        now = self._clock.now()
        memories = prepare_all(drafts, self._origin(), self._settings.root, now)
        incoming = self._incoming(drafts, memories)
        results: dict[int, Added] = {}
        for scope in dict.fromkeys(draft.scope for draft in drafts):
            places = [place for place, draft in enumerate(drafts) if draft.scope == scope]
            store = self._scopes.of(scope)
            batch = [incoming[place] for place in places]
            written = [item.memory for item in batch]
            barred = self._settle_tombstones(store, written)
            embedded = self._embedded(store, written)
            added = remember(store, batch, self._settings.actor, now, barred, embedded)
            results.update(zip(places, added, strict=True))
        return [results[place] for place in range(len(drafts))]

    def update(self, memory_id: str, changes: Changes) -> Memory:
        """Change fields of a memory."""
        self.check_on()
        store, memory = self._scopes.find(memory_id)
        with store.writing():
            memory = _reread(store, memory.id)
            changed = apply_changes(memory, changes, self._settings.root, self._clock.now())
            if changes.trust != kinds.USER and store.tombstones.standing([changed.fingerprint]):
                raise InvalidInput(field="content", problem="was forgotten; only a person can bring it back.")
            rivals = store.memories.saying(memory.project, [changed.fingerprint])
            rival = rivals.get(changed.fingerprint)
            if rival and rival.id != memory.id and not memory.superseded:
                raise SameContent(id=rival.id)
            self._journal(store, "update", memory.id)
            store.memories.replace(changed)
        return changed

    def forget(self, memory_id: str) -> Forgotten:
        """Retract a memory: the entry, its words in the evidence, and its way back."""
        self.check_on()
        self._write_accesses()
        store, memory = self._scopes.find(memory_id)
        return forget(store, self._scopes.project, [memory], self._settings.actor, self._clock.now())

    # ── standing ─────────────────────────────────────────────────────────────────────────────────────────

    def pin(self, memory_id: str) -> Memory:
        """Put a memory into every brief; at most five are."""
        self.check_on()
        store, found = self._scopes.find(memory_id)
        elsewhere = sum(self._pinned(other) for other in self._scopes.present if other is not store)
        with store.writing():
            memory = _reread(store, found.id)
            if not memory.current(self._clock.now()):
                raise InvalidInput(field="id", problem=f"memory {memory_id} no longer holds; it cannot be pinned.")
            if memory.status != kinds.PINNED and elsewhere + self._pinned(store) >= limits.PINS:
                raise PinLimitReached(limit=limits.PINS)
            return self._settle(store, memory, "pin", status=kinds.PINNED)

    def unpin(self, memory_id: str) -> Memory:
        """Take a memory out of the always-carried ones; it stays confirmed."""
        self.check_on()
        store, found = self._scopes.find(memory_id)
        with store.writing():
            memory = _reread(store, found.id)
            if memory.status != kinds.PINNED:
                return memory
            return self._settle(store, memory, "unpin", status=kinds.CONFIRMED)

    def confirm(self, memory_id: str) -> Memory:
        """Say that a memory holds; it counts as a read and its age starts anew."""
        self.check_on()
        store, found = self._scopes.find(memory_id)
        now = self._clock.now()
        with store.writing():
            store.memories.count_read([found.id], now)
            memory = _reread(store, found.id)
            status = kinds.PINNED if memory.status == kinds.PINNED else kinds.CONFIRMED
            return self._settle(store, memory, "confirm", status=status, renewed_at=now)

    def supersede(self, old_id: str, new_id: str) -> Memory:
        """Let one memory take another's place; the old one becomes history."""
        self.check_on()
        store, old = self._scopes.find(old_id, "old")
        other, new = self._scopes.find(new_id, "new")
        if store is not other:
            raise InvalidInput(field="new", problem="lives in another scope; add it to the same scope first.")
        with store.writing():
            retired = retire(_reread(store, old.id), _reread(store, new.id))
            self._journal(store, "supersede", old.id, new.id)
            store.memories.replace(retired)
        return retired

    # ── the three layers ─────────────────────────────────────────────────────────────────────────────────

    def search(self, query: Query) -> list[Hit]:
        """Layer 1: find; titles, not contents."""
        self._check_query(query)
        current = replace(query, filters=self._asked(query.filters, self._clock.now()))
        stores = self._scopes.within(query.scope)
        question = Question(current, self._meaning(current, stores), self._scopes.project.aliases.all())
        hits = search(question, stores, self._settings.ranking)
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

    def list(self, filters: Filters, limit: int = 50, scope: str | None = None) -> list[Memory]:
        """Return current memories, newest first; of one scope, or of both. Browsing is not a read."""
        check_count("limit", limit, 1, 100_000)
        for kind in filters.kinds:
            check_kind(kind)
        current = self._asked(filters, self._clock.now())
        found = [one for store in self._scopes.within(scope) for one in store.memories.newest(current, limit)]
        return sorted(found, key=lambda memory: memory.created_at, reverse=True)[:limit]

    def history(self, memory_id: str) -> "Sequence[Memory]":
        """Return a memory with what it superseded and what superseded it, oldest first."""
        store, memory = self._scopes.find(memory_id)
        return store.memories.history(memory.id)

    # ── sessions ─────────────────────────────────────────────────────────────────────────────────────────

    def start_session(self, agent: str, at: Moment | None = None, ref: str | None = None) -> Session:
        """Begin a session, or go on with the one that has this ref."""
        self.check_on()
        check_name("agent", agent)
        if ref is not None:
            check_name("ref", ref)
            ref = normalise(ref)
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
                agent=normalise(agent),
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
        self.check_on()
        store = self._scopes.project
        session = self.session(session_id)
        now, root = self._clock.now(), self._settings.root
        turn = prepare_turn(session, role, text, root=root, at=at, ref=ref, tool=tool, files=files, now=now)
        with store.writing():
            known = store.turns.with_ref(session.id, turn.ref) if turn.ref else None
            if known is None:
                store.turns.insert([turn])
        return known or turn

    def end_session(self, session_id: str) -> Session:
        """Complete a session; ending it twice changes nothing."""
        self.check_on()
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
        if self._after_session:
            self._after_session()
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
            meant = {full for tail in slips(session_id) for full in store.sessions.ending(tail)}
            near = self.short_session_id(meant.pop()) if len(meant) == 1 else None
            raise UnknownId(noun="session", id=session_id, near=near)
        return found

    def sessions(self, limit: int = 50) -> "Sequence[Session]":
        """Return sessions, newest first."""
        check_count("limit", limit, 1, 100_000)
        return self._scopes.project.sessions.newest(None, limit)

    def turns(self, session_id: str) -> "Sequence[Turn]":
        """Return a session's turns as recorded."""
        return self._scopes.project.turns.of(self.session(session_id).id)

    # ── the log ──────────────────────────────────────────────────────────────────────────────────────────

    def events(self, wanted: EventFilters, scope: str = "project") -> "Sequence[Event]":
        """Return what was done, newest first; empty where the scope has no store."""
        check_count("limit", wanted.limit, 1, limits.AUDIT_EVENTS)
        found = [
            event for store in self._scopes.within(scope) for event in store.audit.events(limits.AUDIT_EVENTS)
        ]
        return [event for event in found if wanted.fit(event)][: wanted.limit]

    def verify_log(self, scope: str = "project") -> LogCheck:
        """Follow the chain of the log from its anchor to its end."""
        events = broken = None
        for store in self._scopes.within(scope):
            broken = store.audit.broken_at()
            events = store.counts(self._clock.now()).audit_events
        return LogCheck(events=events or 0, broken_at=broken)

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
            user_error=str(self._scopes.user_error) if self._scopes.user_error else None,
            ignored_settings=self._settings.ignored_settings,
            embedding=self._embeddings.state(self._scopes.project),
            user_embedding=self._embeddings.state(user) if user else None,
            briefs=self.briefs.health(),
        )

    def check_on(self) -> None:
        """Refuse to write while memory is switched off."""
        reason = self._settings.off()
        if reason:
            raise SwitchedOff(reason=reason)

    def read_only(self) -> str | None:
        """Say why the project's store can be read but not written; None when it can be."""
        return self._scopes.project.state().read_only

    def moment(self, given: Moment | None, field: str) -> int | None:
        """Read a time as a caller writes it; `7d` means seven days ago."""
        return parse_past(given, field, self._clock.now())

    def short_id(self, full: str) -> str:
        """Return the short id people see for a memory."""
        return self._scopes.short(full)

    def short_session_id(self, full: str) -> str:
        """Return the short id people see for a session."""
        return short_id(full, self._scopes.project.sessions.ending(full[-8:]))

    def near_id(self, text: str) -> str | None:
        """Return the short id of the one memory that a caller may have meant."""
        return self._scopes.near(text)

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

    def _incoming(self, drafts: Sequence[Draft], memories: Sequence[Memory]) -> "Sequence[Incoming]":
        """Tie prepared memories to their sessions and to what they supersede, before anything is written."""
        incoming = []
        retired: set[str] = set()
        for place, (draft, memory) in enumerate(zip(drafts, memories, strict=True)):
            with named_item(place, len(drafts)):
                session = None if draft.session is None else self._known_session(draft.session)
                old = None if draft.supersedes is None else self._replaceable(draft, memory)
                if old in retired:
                    raise InvalidInput(field="supersedes", problem="another item takes its place already.")
                retired.update([old] if old else [])
            incoming.append(Incoming(replace(memory, session=session), old))
        return incoming

    def _replaceable(self, draft: Draft, memory: Memory) -> str:
        home, old = self._scopes.find(draft.supersedes or "", "supersedes")
        if home is not self._scopes.of(draft.scope):
            raise InvalidInput(field="supersedes", problem="that memory lives in another scope.")
        if old.fingerprint == memory.fingerprint:
            raise InvalidInput(field="supersedes", problem="that memory says the same already.")
        return retire(old, memory).id

    def _settle_tombstones(self, home: Store, memories: Sequence[Memory]) -> set[str]:
        """Return what was forgotten in another scope and may not come back; lift there what a person says anew."""
        barred: set[str] = set()
        for store in self._scopes.present:
            if store is home or not store.tombstones.count():
                continue
            barred |= store.tombstones.standing([one.fingerprint for one in memories if one.trust != kinds.USER])
            said = store.tombstones.standing([one.fingerprint for one in memories if one.trust == kinds.USER])
            if said:
                with store.writing():
                    store.tombstones.remove(sorted(said))
        return barred

    def _known_session(self, session_id: str) -> str:
        try:
            return self.session(session_id).id
        except UnknownId:
            problem = f"no session has the id {session_id!r}. Start one, or leave it out."
            raise InvalidInput(field="session", problem=problem) from None

    def _read(self, store: Store, ids: Sequence[str]) -> "Sequence[Memory]":
        """Return memories and count the read; when the store cannot be written, reading still works."""
        found = store.memories.get(ids)
        if found and not self._settings.off():
            with contextlib.suppress(StoreBusy, StoreUnwritable, StoreTooNew):
                return self._count_read(store, [memory.id for memory in found])
        return found

    def _count_read(self, store: Store, ids: Sequence[str]) -> "Sequence[Memory]":
        now = self._clock.now()
        with store.writing(limits.PATIENCE_MS):
            store.memories.count_read(ids, now)
            memories = store.memories.get(ids)
            for place, memory in enumerate(memories):
                memories[place] = settled = after_read(memory, now)
                if settled is not memory:
                    self._journal(store, "confirm", memory.id)
                    store.memories.replace(settled)
        return memories

    def _pinned(self, store: Store) -> int:
        pinned = Filters(statuses=(kinds.PINNED,), current_at=self._clock.now())
        return len(store.memories.newest(pinned, limits.PINS))

    def _settle(self, store: Store, memory: Memory, action: str, **fields: object) -> Memory:
        settled = replace(memory, updated_at=self._clock.now(), **fields)  # type: ignore[arg-type]  # our own names
        self._journal(store, action, memory.id)
        store.memories.replace(settled)
        return settled

    def _journal(self, store: Store, action: str, *ids: str) -> None:
        event = Event(action=action, actor=self._settings.actor, at=self._clock.now(), ids=ids)
        store.audit.record(event)

    def _asked(self, filters: Filters, now: int) -> Filters:
        """Return a caller's filters in the form that stores keep things in."""
        return replace(
            filters,
            tags=normalise_names(filters.tags),
            file=project_path(self._settings.root, normalise(filters.file)) if filters.file else None,
            contains=normalise(filters.contains) if filters.contains else None,
            current_at=now,
        )

    def _check_query(self, query: Query) -> None:
        check_size("query", query.text, limits.CONTENT_BYTES)
        check_count("limit", query.limit, 1, 1_000)
        check_choice("mode", query.mode, kinds.MODES)
        check_choice("within", query.within, kinds.TARGETS)
        if query.scope == "user" and query.within != "memories":
            raise InvalidInput(field="within", problem="only memories are kept in user scope.")
        for kind in query.filters.kinds:
            check_kind(kind)
        for status in query.filters.statuses:
            check_choice("status", status, kinds.STATUSES)
        check_number("min_importance", query.filters.min_importance)
        check_size("file", query.filters.file or "", limits.PATH_CHARS * 4)
        check_size("contains", query.filters.contains or "", limits.CONTENT_BYTES)

    def _log(self, action: str, seen: Sequence[tuple[str, float | None]], query: str | None) -> None:
        now = self._clock.now()
        if not self._accesses:
            self._forgotten = self._scopes.project.tombstones.count()
        text = normalise(shorten(query, 200)) if query else None
        self._accesses.extend(
            Access(memory=memory, action=action, at=now, score=score, query=text) for memory, score in seen
        )
        if len(self._accesses) >= limits.ACCESS_BATCH:
            self._write_accesses()

    def _write_accesses(self) -> None:
        """Write the log of accesses; best effort, as it serves analytics only.

        When something was forgotten since, by whatever process, the queries are left out: they may hold its words.
        """
        batch, self._accesses = self._accesses, []
        if not batch or self._settings.off():
            return
        store = self._scopes.project
        with contextlib.suppress(StoreError), store.writing(limits.PATIENCE_MS):
            if store.tombstones.count() != self._forgotten:
                batch = [replace(access, query=None) for access in batch]
            store.accesses.record(batch)


def _reread(store: Store, memory_id: str) -> Memory:
    """Return a memory as it is now, inside the transaction that will change it."""
    for memory in store.memories.get([memory_id]):
        return memory
    raise UnknownId(noun="memory", id=memory_id)


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
