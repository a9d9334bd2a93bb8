"""The verbs. Each checks what it was asked, delegates to the path that does it, and returns a value.

What must not be here: SQL, scoring, text handling, formatting; and anything that knows an interface.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from holdfast.capture.check import check_choice, check_count, check_kind, check_name, check_number, check_size
from holdfast.capture.clean import Cleaner, echo
from holdfast.capture.forget import Retraction, forget, forget_source, forget_turns
from holdfast.capture.normalise import normalise
from holdfast.capture.prepare import Desk, apply_changes
from holdfast.capture.remember import remember
from holdfast.capture.rescan import rescan
from holdfast.capture.resolve import resolve
from holdfast.capture.revise import refuse_history, reinstate, retire
from holdfast.capture.standing import after_read
from holdfast.capture.turns import Message, prepare_turn
from holdfast.errors import (
    AmbiguousId,
    InvalidInput,
    NotRedacted,
    PinLimitReached,
    SameContent,
    StoreBusy,
    StoreError,
    StoreUnwritable,
    UnknownId,
)
from holdfast.model import kinds, limits
from holdfast.model.conflict import BOTH, Conflict, marker
from holdfast.model.ids import new_id, tail_of
from holdfast.model.memory import Added, Changes, Draft, Forgotten, Memory, Origin, TimelineEntry
from holdfast.model.records import Access, Event, Rescan, Stats
from holdfast.model.search import Filters, Hit, Query
from holdfast.model.session import Session, Turn
from holdfast.model.times import Moment, parse_past
from holdfast.model.title import shorten
from holdfast.ports import Clock, Store
from holdfast.recall.search import search
from holdfast.scopes import Scopes

_ALL = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the verbs need to know of the configuration."""

    actor: str = "python"
    floor: float = 0.1
    root: Path | None = None
    cleaner: Cleaner = field(default_factory=Cleaner)
    ignored_settings: tuple[str, ...] = ()


class Service:
    """Project memory, behind every interface."""

    def __init__(
        self, scopes: Scopes, clock: Clock, origin: Callable[[], Origin], settings: Settings | None = None
    ) -> None:
        self._scopes = scopes
        self._clock = clock
        self._origin = origin
        self._settings = settings or Settings()
        self._accesses: list[Access] = []

    # ── remember and forget ──────────────────────────────────────────────────────────────────────────────

    def add(self, draft: Draft) -> Added:
        """Remember one thing."""
        return self.add_many([draft])[0]

    def add_many(self, drafts: Sequence[Draft]) -> list[Added]:
        """Remember many things; nothing is written unless all of them can be."""
        return remember([self._resolved(draft) for draft in drafts], self._desk(), self._scopes.of)

    def update(self, memory_id: str, changes: Changes) -> Memory:
        """Change fields of a memory."""
        store, _ = self._scopes.find(memory_id)
        with store.writing():
            _, memory = self._scopes.find(memory_id)
            changed = apply_changes(memory, changes, self._desk())
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
        return forget(store, [memory], self._retraction())

    def forgettable(self, filters: Filters) -> "Sequence[Memory]":
        """Return what `forget_where` would touch, history included, for asking a person about it."""
        wanted = self._retracted(filters)
        return [memory for store in self._scopes.present for memory in store.memories.newest(wanted, _ALL)]

    def forget_where(self, filters: Filters) -> Forgotten:
        """Retract all that came from a source or a session, or that holds a text; a session with its turns.

        A memory that other sources said too only loses the source.
        """
        self._write_accesses()
        wanted, by = self._retracted(filters), self._retraction()
        gone = [forget_turns(wanted.session, by)] if wanted.session else []
        for store in self._scopes.present:
            memories = store.memories.newest(wanted, _ALL)
            gone.append(
                forget_source(store, memories, wanted.sources[0], by)
                if wanted.sources
                else forget(store, memories, by)
            )
        return Forgotten(
            ids=tuple(memory_id for one in gone for memory_id in one.ids),
            kept=tuple(memory_id for one in gone for memory_id in one.kept),
            masked_turns=sum(one.masked_turns for one in gone),
            pending=any(one.pending for one in gone),
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

    def reinstate(self, memory_id: str) -> Memory:
        """Undo a supersession: the memory holds again; what had taken its place stays."""
        store, _ = self._scopes.find(memory_id)
        with store.writing():
            _, old = self._scopes.find(memory_id)
            again = reinstate(old, self._clock.now())
            rival = store.memories.saying(old.project, [old.fingerprint]).get(old.fingerprint)
            if rival:
                raise SameContent(id=rival.id)
            if old.status == kinds.PINNED and self._pinned() >= limits.PINS:
                raise PinLimitReached(limit=limits.PINS)
            self._journal(store, "supersede", old.id, undone=1)
            store.memories.replace(again)
        return again

    # ── conflicts ────────────────────────────────────────────────────────────────────────────────────────

    def conflicts(self, ids: Sequence[str] = ()) -> "Sequence[Conflict]":
        """Return unresolved conflicts between memories that hold, newest first, each with its marker."""
        now = self._clock.now()
        return [
            self._marked(store, conflict)
            for store in self._scopes.present
            for conflict in store.conflicts.unresolved(now, ids)
        ]

    def resolve(self, conflict: Conflict | str, keep: str) -> Conflict:
        """Settle a conflict: keep one of its two memories, and the other becomes history; or keep both."""
        store, found = self._scopes.conflict(conflict.id if isinstance(conflict, Conflict) else conflict)
        kept = keep if keep == BOTH else self._scopes.find(keep, "keep")[1].id
        return resolve(store, found, kept, actor=self._settings.actor, now=self._clock.now())

    # ── the three layers ─────────────────────────────────────────────────────────────────────────────────

    def search(self, query: Query) -> list[Hit]:
        """Layer 1: find; titles, not contents."""
        self._check_query(query)
        now = self._clock.now()
        current = replace(query, filters=replace(_normal(query.filters), current_at=now))
        hits = search(current, self._scopes.present, self._settings.floor)
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
        current = replace(_normal(filters), current_at=self._clock.now())
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
            ref = self._settings.cleaner.ref(ref)
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
                agent=self._settings.cleaner.label(agent) or "unknown",
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
        message = Message(role=role, text=text, at=at, ref=ref, tool=tool, files=files)
        store = self._scopes.project
        while True:
            session = self.session(session_id)
            turn, depth = prepare_turn(session, message, self._settings.cleaner, self._clock.now())
            with store.writing():
                known = store.turns.with_ref(session.id, turn.ref) if turn.ref else None
                if known:
                    return known
                latest = self.session(session.id)
                if latest.private_depth != session.private_depth:
                    continue  # another process opened or closed a private block meanwhile
                store.turns.insert([turn])
                if depth != latest.private_depth:
                    store.sessions.replace(replace(latest, private_depth=depth))
                return turn

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
        return ended

    def session(self, session_id: str) -> Session:
        """Return a session; the id may be short."""
        check_name("session", session_id)
        store = self._scopes.project
        found = store.sessions.get(session_id)
        tails = store.sessions.ending(tail) if not found and (tail := tail_of(session_id)) else []
        if len(tails) > 1:
            raise AmbiguousId(field="session", id=echo(session_id), matches=", ".join(sorted(tails)))
        found = found or (store.sessions.get(tails[0]) if tails else None)
        if found is None:
            raise UnknownId(noun="session", id=echo(session_id))
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
        self.flush()
        now = self._clock.now()
        user = self._scopes.user
        return Stats(
            project=self._scopes.project.state(),
            counts=self._scopes.project.counts(now),
            user=user.state() if user else None,
            user_counts=user.counts(now) if user else None,
            ignored_settings=self._settings.ignored_settings,
        )

    def rescan_secrets(self) -> Rescan:
        """Look through everything again with today's rules, and redact in place what older ones let through."""
        self._write_accesses()
        done = [
            rescan(store, self._settings.cleaner, actor=self._settings.actor, now=self._clock.now())
            for store in self._scopes.present
        ]
        return Rescan(
            memories=sum(one.memories for one in done),
            turns=sum(one.turns for one in done),
            sessions=sum(one.sessions for one in done),
            queries=sum(one.queries for one in done),
            found=dict(sum((Counter(one.found) for one in done), Counter())),
            pending=any(one.pending for one in done),
        )

    def moment(self, given: Moment | None, field: str) -> int | None:
        """Read a time as a caller writes it; `7d` means seven days ago."""
        return parse_past(given, field, self._clock.now())

    def short_id(self, full: str) -> str:
        """Return the short id people see for a memory."""
        return self._scopes.short(full)

    def flush(self) -> None:
        """Finish everything pending: accesses not yet logged, bytes not yet scrubbed."""
        self._write_accesses()
        for store in self._scopes.present:
            if store.state().scrub_pending:
                store.scrub()

    def close(self) -> None:
        """Flush, and let go of the stores."""
        self._write_accesses()
        self._scopes.close()

    # ── within ───────────────────────────────────────────────────────────────────────────────────────────

    def _desk(self) -> Desk:
        settings = self._settings
        return Desk(
            origin=self._origin(),
            now=self._clock.now(),
            actor=settings.actor,
            root=settings.root,
            cleaner=settings.cleaner,
        )

    def _retraction(self) -> Retraction:
        return Retraction(
            evidence=self._scopes.project,
            project=self._origin().project,
            actor=self._settings.actor,
            now=self._clock.now(),
        )

    def _retracted(self, filters: Filters) -> Filters:
        """Return filters that say what to forget, in the words that things are stored under."""
        if not (filters.sources or filters.session or filters.contains):
            raise InvalidInput(field="forget", problem="needs a source, a session or a text to look for.")
        check_size("matching", filters.contains or "", limits.CONTENT_BYTES)
        session = self.session(filters.session).id if filters.session else None
        sources = self._settings.cleaner.labels(filters.sources)
        return replace(_normal(filters), session=session, sources=sources)

    def _resolved(self, draft: Draft) -> Draft:
        """Replace the ids a draft names by whole ones."""
        if draft.session is not None:
            draft = replace(draft, session=self._known_session(draft.session))
        if draft.supersedes is None:
            return draft
        home, old = self._scopes.find(draft.supersedes, "supersedes")
        if draft.scope in kinds.SCOPES and home is not self._scopes.of(draft.scope):
            raise InvalidInput(field="supersedes", problem="that memory lives in another scope.")
        refuse_history(old)
        return replace(draft, supersedes=old.id)

    def _marked(self, store: Store, conflict: Conflict) -> Conflict:
        first, second = store.memories.get([conflict.first, conflict.second])
        short = self._scopes.short
        return replace(conflict, marker=marker(first, short(first.id), second, short(second.id)))

    def _known_session(self, session_id: str) -> str:
        try:
            return self.session(session_id).id
        except UnknownId:
            problem = f"no session has the id {echo(session_id)!r}. Start one, or leave it out."
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

    def _journal(self, store: Store, action: str, *ids: str, **detail: object) -> None:
        event = Event(action=action, actor=self._settings.actor, at=self._clock.now(), ids=ids, detail=detail)
        store.audit.record(event)

    def _check_query(self, query: Query) -> None:
        check_size("query", query.text, limits.CONTENT_BYTES)
        check_count("limit", query.limit, 1, 1_000)
        check_choice("mode", query.mode, kinds.MODES)
        check_choice("within", query.within, kinds.TARGETS)
        if query.mode == "vector":
            raise InvalidInput(field="mode", problem="vector needs an embedder, and none is configured.")
        for kind in query.filters.kinds:
            check_kind(kind)
        for status in query.filters.statuses:
            check_choice("status", status, kinds.STATUSES)
        check_number("min_importance", query.filters.min_importance)
        check_size("file", query.filters.file or "", limits.PATH_CHARS * 4)
        check_size("contains", query.filters.contains or "", limits.CONTENT_BYTES)

    def _log(self, action: str, seen: Sequence[tuple[str, float | None]], query: str | None) -> None:
        now = self._clock.now()
        words = self._loggable(query) if query and seen else None
        self._accesses.extend(
            Access(memory=memory, action=action, at=now, score=score, query=words) for memory, score in seen
        )
        if len(self._accesses) >= limits.ACCESS_BATCH:
            self._write_accesses()

    def _loggable(self, query: str) -> str | None:
        """Return a query as the access log may keep it; None where it cannot be cleaned: the log is optional."""
        with contextlib.suppress(NotRedacted):
            return shorten(self._settings.cleaner.text(query), 200) or None
        return None

    def _write_accesses(self) -> None:
        """Write the log of accesses; best effort, as it serves analytics only."""
        if not self._accesses:
            return
        batch, self._accesses = self._accesses, []
        with contextlib.suppress(StoreError), self._scopes.project.writing():
            self._scopes.project.accesses.record(batch)


def _normal(filters: Filters) -> Filters:
    """Return filters in the spelling that things are stored in."""
    return replace(
        filters,
        contains=filters.contains and normalise(filters.contains),
        file=filters.file and normalise(filters.file),
        tags=tuple(map(normalise, filters.tags)),
    )


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
