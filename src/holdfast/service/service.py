"""The verbs. Each checks what it was asked, delegates to the path that does it, and returns a value.

What must not be here: SQL, scoring, text handling, formatting; and anything that knows an interface.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture.check import check_choice, check_count, check_kind, visible
from holdfast.capture.files import project_path
from holdfast.capture.permission import believed, check_person
from holdfast.capture.prepare import Desk
from holdfast.capture.rescan import rescan_all
from holdfast.capture.sessions.promotion import Habits
from holdfast.capture.sessions.turns import Message
from holdfast.capture.text.clean import Cleaner
from holdfast.capture.text.normalise import normalise
from holdfast.errors import SwitchedOff
from holdfast.model import kinds, limits
from holdfast.model.actor import PYTHON, Actor
from holdfast.model.brief import Brief
from holdfast.model.conflict import BOTH, Conflict
from holdfast.model.finding import Finding
from holdfast.model.memory import Added, Changes, Draft, Forgotten, Memory, Origin, Reach, TimelineEntry
from holdfast.model.records import AccessReport, Event, EventFilters, LogCheck, LogPart, Rescan, Stats
from holdfast.model.search import Filters, Hit, Query
from holdfast.model.session import Session, Turn
from holdfast.model.times import Moment, parse_past
from holdfast.model.upkeep import Cleanup, Limits, Prune
from holdfast.model.vectors import VECTOR_TARGETS
from holdfast.ports import Clock, Progress, Reranker
from holdfast.recall.ranking import Ranking
from holdfast.service.access_log import Accesses, access_report
from holdfast.service.add import Intake
from holdfast.service.aliases import Aliases
from holdfast.service.audit import EventLog
from holdfast.service.change import Standing
from holdfast.service.daily_log import Daybook
from holdfast.service.entries import Exchange
from holdfast.service.forget import Copies, Forgetting
from holdfast.service.inbox import Review, Verbs
from holdfast.service.quoted_notes import Attesting
from holdfast.service.read import Reading
from holdfast.service.scopes import Scopes
from holdfast.service.search import Searching
from holdfast.service.upkeep import Care, Tending
from holdfast.service.user_words import Testimony, UserTurn
from holdfast.upkeep.embed import ENDING, Embeddings
from holdfast.upkeep.prune import Wish as Unwanted

if TYPE_CHECKING:
    from holdfast.model.quote import Quote
    from holdfast.service.briefs import Briefs, BriefSettings, Wish
    from holdfast.service.sessions import Recording
    from holdfast.service.vector_backlog import Waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the verbs need to know of the configuration."""

    actor: Actor = PYTHON
    ranking: Ranking = field(default_factory=Ranking)
    embed_on_add: bool = True
    root: Path | None = None
    cleaner: Cleaner = field(default_factory=Cleaner)
    habits: Habits = field(default_factory=Habits)
    ignored_settings: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    daybook: Daybook = field(default_factory=Daybook)
    copies: Copies | None = None
    """The backups; None where they are not ours."""
    reranker: Reranker | None = None
    """What has a second look at what `recall` finds."""
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
        brief: "Callable[[], BriefSettings] | None" = None,
    ) -> None:
        self._scopes = scopes
        self._clock = clock
        self._origin = origin
        self._settings = settings or Settings()
        self._after_session = after_session
        self._embeddings = embeddings or Embeddings(None, clock)
        self._brief = brief
        self._accesses = Accesses(scopes.project, self._settings.off)
        told = self._settings.daybook.write
        self._intake = Intake(scopes, self._embeddings, embed=self._settings.embed_on_add, told=told)
        means = self._settings
        self._forgetting = Forgetting(scopes, means.cleaner, means.daybook.erase, means.root, means.copies)
        self._standing = Standing(scopes, clock, self._settings.actor)
        self._reading = Reading(clock, self._settings.actor, self._settings.off)
        actor = self._settings.actor
        care = Care(
            self._settings.limits, actor.name, self._tend_sessions, self._settings.off, person=actor.person
        )
        self.tending = Tending(scopes, clock, care)
        verbs = Verbs(self._standing, self._forgetting, self._desk, self.check_on)
        self.testimony = Testimony(scopes, clock, self._settings.root, self._settings.cleaner)
        self._log = EventLog(scopes, clock)
        self.review = Review(scopes, clock, actor, verbs)
        self.aliases = Aliases(scopes, self._settings.cleaner, self.check_on)
        self.exchange = Exchange(scopes, self._desk, self.check_on)

    @cached_property
    def _searching(self) -> Searching:
        settings = self._settings
        return Searching(
            scopes=self._scopes,
            embeddings=self._embeddings,
            accesses=self._accesses,
            aliases=self.aliases,
            ranking=settings.ranking,
            cleaner=settings.cleaner,
            place=str(settings.root) if settings.root else None,
            off=settings.off,
            asked=self._asked,
            reranker=settings.reranker,
        )

    def acting_as(self, actor: Actor, *, user: str | None = None) -> "Service":
        """Return the same service in somebody's name: a server has one store and many callers."""
        own, settings = self._origin, replace(self._settings, actor=actor)
        acting = Service(
            self._scopes,
            self._clock,
            lambda: replace(own(), user=user or own().user, agent=actor.agent),
            settings,
            self._after_session,
            self._embeddings,
            self._brief,
        )
        acting._accesses = self._accesses
        return acting

    # ── remember and forget ──────────────────────────────────────────────────────────────────────────────

    def add(self, draft: Draft) -> Added:
        """Remember one thing."""
        return self.add_many([draft])[0]

    def add_many(self, drafts: Sequence[Draft]) -> list[Added]:
        """Remember many things; nothing is written unless all of them can be."""
        self.check_on()
        return self._attesting.take(drafts, self._desk())

    def add_from(self, session_id: str, drafts: Sequence[Draft]) -> list[Added]:
        """Remember what somebody noted about one session that is over, where the user said it there."""
        self.check_on()
        return self._attesting.take(drafts, self._desk(), self.session(session_id))

    def update(self, memory_id: str, changes: Changes) -> Memory:
        """Change fields of a memory."""
        self.check_on()
        changes = replace(changes, trust=believed(self._settings.actor, changes.trust))
        return self._standing.update(memory_id, changes, self._desk())

    def forget(self, memory_id: str, reach: Reach | None = None) -> Forgotten:
        """Retract a memory: the entry, what was said of it, and its way back."""
        self.check_on()
        self._accesses.write()
        return self._forgetting.one(memory_id, self._settings.actor, self._clock.now(), reach)

    def forgettable(self, filters: Filters) -> "Sequence[Memory]":
        """Return what `forget_where` would touch, history included, for asking a person about it."""
        return self._forgetting.meant(filters)

    def forget_where(self, filters: Filters, reach: Reach | None = None) -> Forgotten:
        """Retract all that came from a source or a session, or that holds a text; a session with its turns.

        A memory that other sources said too only loses the source. With nothing but `reach.backups`, what was
        forgotten before goes from the backups.
        """
        self.check_on()
        self._accesses.write()
        return self._forgetting.where(filters, self._settings.actor, self._clock.now(), reach)

    # ── standing ─────────────────────────────────────────────────────────────────────────────────────────

    def pin(self, memory_id: str) -> Memory:
        """Put a memory into every brief; at most five are."""
        self.check_on()
        return self._standing.pin(memory_id)

    def unpin(self, memory_id: str) -> Memory:
        """Take a memory out of the always-carried ones; it stays confirmed."""
        self.check_on()
        return self._standing.unpin(memory_id)

    def confirm(self, memory_id: str) -> Memory:
        """Say that a memory holds; it counts as a read and its age starts anew."""
        self.check_on()
        return self._standing.confirm(memory_id)

    def supersede(self, old_id: str, new_id: str) -> Memory:
        """Let one memory take another's place; the old one becomes history."""
        self.check_on()
        return self._standing.supersede(old_id, new_id)

    def reinstate(self, memory_id: str) -> Memory:
        """Undo a supersession: the memory holds again; what had taken its place stays."""
        self.check_on()
        return self._standing.reinstate(memory_id)

    # ── conflicts ────────────────────────────────────────────────────────────────────────────────────────

    def conflicts(self, ids: Sequence[str] = ()) -> "Sequence[Conflict]":
        """Return unresolved conflicts between memories that hold, newest first, each with its marker."""
        return self._scopes.conflicts(self._clock.now(), ids)

    def resolve(self, conflict: Conflict | str, keep: str) -> Conflict:
        """Settle a conflict: keep one of its two memories, and the other becomes history; or keep both."""
        self.check_on()
        store, found = self._scopes.conflict(conflict.id if isinstance(conflict, Conflict) else conflict)
        kept = keep if keep == BOTH else self._scopes.find(keep, "keep")[1].id
        return self._standing.resolve(store, found, kept)

    # ── the three layers ─────────────────────────────────────────────────────────────────────────────────

    def search(self, query: Query) -> list[Hit]:
        """Layer 1: find; titles and snippets, not contents."""
        return self._searching.search(query, self._clock.now())

    def recall(self, query: Query) -> list[Hit]:
        """Find what is to be shown in full, with a second look where a reranker is set."""
        return self._searching.recall(query, self._clock.now())

    def accesses(self, days: int = 30) -> AccessReport:
        """Say what was searched lately, what was found, and what never is found or read."""
        check_count("days", days, 1, 36_500)
        self._accesses.write()
        return access_report(self._scopes.project, self._clock.now(), days)

    @cached_property
    def briefs(self) -> "Briefs":
        """What makes briefs."""
        from holdfast.service.briefs import Briefs, BriefSettings  # most commands tell an agent nothing

        settings = self._brief() if self._brief else BriefSettings()
        return Briefs(self._scopes, self._clock, self._origin, settings)

    def context(self, prompt: str | None = None, wish: "Wish | None" = None) -> Brief:
        """Return what an agent is told for a prompt or, without one, at the start of a session."""
        from holdfast.service.briefs import Wish

        return self.briefs.context(replace(wish or Wish(), prompt=prompt or None))

    def timeline(self, memory_id: str, window: int = 5) -> list[TimelineEntry]:
        """Layer 2: what was remembered just before and after a memory, without full contents."""
        check_count("window", window, 0, 100)
        store, anchor = self._scopes.find(memory_id)
        entries = store.memories.around(anchor, window, Filters(current_at=self._clock.now()))
        self._accesses.log("timeline", [(anchor.id, None)], self._clock.now())
        return [TimelineEntry.of(memory, anchor) for memory in entries]

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """Layer 3: full contents. Counts as a read; unknown ids are left out."""
        if isinstance(ids, str):
            ids = [ids]
        wanted = [full for given in ids if (full := self._scopes.full_id(given))]
        found = {
            memory.id: memory for store in self._scopes.present for memory in self._reading.read(store, wanted)
        }
        self._accesses.log("get", [(memory_id, None) for memory_id in found], self._clock.now())
        self.tending.after_reads(self._scopes.project, len(found))
        return [found[memory_id] for memory_id in wanted if memory_id in found]

    def quotes(self, ids: Sequence[str]) -> "list[Quote]":
        """Return turns, findings and summaries in full, by the ids that briefs show; unknown ids are left out."""
        from holdfast.service.quotes import Quotes  # few ask, and a brief's modules come with it

        return Quotes(self._scopes.project, self._settings.root).get([ids] if isinstance(ids, str) else ids)

    def peek(self, memory_id: str) -> Memory | None:
        """Return one memory without counting a read, for asking a person about it."""
        full = self._scopes.full_id(memory_id)
        found = [memory for store in self._scopes.present for memory in store.memories.get([full] if full else [])]
        return found[0] if found else None

    def list(
        self, filters: Filters, limit: int = 50, scope: str | None = None, *, everything: bool = False
    ) -> list[Memory]:
        """Return memories, newest first; of one scope, or of both. Browsing is not a read.

        Everything: also what is superseded, expired or faded.
        """
        check_count("limit", limit, 1, 100_000)
        for kind in filters.kinds:
            check_kind(kind)
        current = self._asked(filters, None if everything else self._clock.now())
        with self._scopes.project.reading():
            found = [one for store in self._scopes.within(scope) for one in store.memories.newest(current, limit)]
        return sorted(found, key=lambda memory: memory.created_at, reverse=True)[:limit]

    def history(self, memory_id: str) -> "Sequence[Memory]":
        """Return a memory with what it superseded and what superseded it, oldest first."""
        store, memory = self._scopes.find(memory_id)
        return store.memories.history(memory.id)

    # ── sessions ─────────────────────────────────────────────────────────────────────────────────────────

    def start_session(
        self, agent: str, at: Moment | None = None, ref: str | None = None, parent: str | None = None
    ) -> Session:
        """Begin a session, or go on with the one that has this ref; `parent` is that of whom it works for."""
        self.check_on()
        return self._recording.start(agent, at, ref, parent)

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
        message = Message(role=role, text=text, at=at, ref=ref, tool=tool, files=files)
        return self._recording.record(session_id, message)

    def checkpoint(self, session_id: str) -> Session:
        """Read what was said so far, as before a client compacts its context."""
        self.check_on()
        return self._recording.checkpoint(session_id)

    def fork_session(self, session_id: str) -> Session:
        """Let a session go on as two; the new one gets a copy of what was found."""
        self.check_on()
        return self._recording.fork(session_id)

    def end_session(self, session_id: str) -> Session:
        """Complete a session: findings, summary, promotion. Ending it twice changes nothing."""
        self.check_on()
        before = self.session(session_id)
        ended = self._recording.end(before.id)
        if before.status == kinds.COMPLETED:
            return ended
        if self._settings.embed_on_add:
            self._embeddings.slice(self._scopes.project, VECTOR_TARGETS, ENDING)
        if self._after_session:
            self._after_session()
        return ended

    def findings(self, session_id: str) -> "Sequence[Finding]":
        """Return what was found in a session, in the order it was found."""
        return self._recording.findings(session_id)

    def session(self, session_id: str) -> Session:
        """Return a session; the id may be short."""
        return self._scopes.session(session_id)

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
        return self._log.events(wanted, scope)

    def events_after(self, number: int | None, limit: int = limits.BATCH) -> LogPart:
        """Return what was done in the project after an event; None: nothing, and where to go on from."""
        return self._log.after(number, limit)

    def verify_log(self, scope: str = "project") -> LogCheck:
        """Follow the chain of the log from its anchor to its end."""
        return self._log.check(scope)

    # ── the store itself ─────────────────────────────────────────────────────────────────────────────────

    def stats(self) -> Stats:
        """Count what there is and say how the stores are doing."""
        self._accesses.write()
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
            upkeep=self.tending.state(self._scopes.project),
            user_upkeep=self.tending.state(user) if user else None,
        )

    def cleanup(self, *, dry_run: bool = False, progress: Progress | None = None) -> Cleanup:
        """Apply every limit, delete what expired or faded, merge what says the same; or say what that would do."""
        self.check_on()
        if not dry_run:
            self.check_person("cleanup")
        self._accesses.write()
        return self.tending.cleanup(dry_run=dry_run, progress=progress)

    def prune(
        self,
        *,
        days: int | None = None,
        max_score: float | None = None,
        source: str | None = None,
        mine: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Prune:
        """Delete what was not used for so long, weighs so little, or came from a source; or say what would go.

        What a person asked to remember goes only with `mine`.
        """
        self.check_on()
        if mine:
            self.check_person("pruning what a person asked to remember")
        wish = Unwanted(days=days, max_score=max_score, source=source, mine=mine)
        return self.tending.prune(wish, dry_run=dry_run, progress=progress)

    def check_on(self) -> None:
        """Refuse to write while memory is switched off."""
        reason = self._settings.off()
        if reason:
            raise SwitchedOff(reason=reason)

    def check_person(self, what: str) -> None:
        """Refuse what is for persons only, where an agent acts."""
        check_person(self._settings.actor, what)

    def read_only(self) -> str | None:
        """Say why the project's store can be read but not written; None when it can be."""
        return self._scopes.project.state().read_only

    def left_out(self) -> tuple[str, ...]:
        """Return the rows that are damaged, and so were left out of what was answered so far."""
        return tuple(row for store in self._scopes.opened for row in store.left_out)

    def stands_in(self) -> bool:
        """Say whether there is no store, and an empty one in memory stands in for it."""
        return not self._scopes.project.state().schema

    def moment(self, given: Moment | None, field: str) -> int | None:
        """Read a time as a caller writes it; `7d` means seven days ago."""
        return parse_past(given, field, self._clock.now())

    def short_id(self, full: str) -> str:
        """Return the short id people see for a memory."""
        return self._scopes.short(full)

    def short_session_id(self, full: str) -> str:
        """Return the short id people see for a session."""
        return self._scopes.short_session(full)

    def near_id(self, text: str) -> str | None:
        """Return the short id of the one memory that a caller may have meant."""
        return self._scopes.near(text)

    def flush(self, progress: Progress | None = None) -> None:
        """Finish everything pending: the access log, bytes to scrub, silent sessions, quarantine, vectors.

        A failing embedder fails nothing: `stats` says what still waits, and why.
        """
        self.check_on()
        self._accesses.write()
        self._scrub()
        if not self.read_only():
            self._tend_sessions()
        for store in self._scopes.present:
            self._embeddings.finish(store, progress)

    def reindex(self, progress: Progress | None = None, scope: str = "project") -> None:
        """Make every vector of a scope anew, or go on with that where it was interrupted; words work meanwhile."""
        self.restart_vectors(scope)
        self.flush(progress)

    def restart_vectors(self, scope: str = "project") -> None:
        """Let everything wait for a new vector, unless something waits already: then only that is made."""
        self.check_on()
        check_choice("scope", scope, kinds.SCOPES)
        for store in self._scopes.within(scope):
            self._embeddings.restart(store)

    def waiting(self) -> int:
        """Count what waits for vectors."""
        return sum(sum(store.vectors.waiting().values()) for store in self._scopes.present)

    def rescan_secrets(self, scope: str | None = None, progress: Progress | None = None) -> Rescan:
        """Look through a scope, or both, with today's rules, and redact in place what older ones let through."""
        self.check_on()
        self._accesses.write()
        settings, stores = self._settings, self._scopes.within(scope)
        settings.daybook.clean(settings.cleaner.text)
        return rescan_all(
            stores, settings.cleaner, actor=settings.actor.name, now=self._clock.now(), progress=progress
        )

    def close(self) -> None:
        """Flush, and let go of the stores."""
        self._accesses.write()
        self._scopes.close()

    @cached_property
    def waiting_rows(self) -> "Waiting":
        """What waits for vectors and may be made in the background."""
        from holdfast.service.vector_backlog import Waiting

        return Waiting(self._settings.root, self._scopes, self._embeddings, self._settings.off)

    # ── within ───────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def _attesting(self) -> Attesting:
        def begin(turn: UserTurn) -> str:
            return self._recording.start(turn.agent or "unknown", turn.at, turn.session).id

        return Attesting(self._scopes, self.testimony, self._intake, begin)

    @cached_property
    def _recording(self) -> "Recording":
        from holdfast.service.sessions import Recording  # most commands record nothing

        told = self._settings.daybook.write  # inside a transaction nothing is embedded
        promoted = Intake(self._scopes, self._embeddings, embed=False, told=told)
        return Recording(self._scopes, promoted, self._desk, self._settings.habits, self._clock)

    def _tend_sessions(self) -> None:
        self._recording.tend()

    def _desk(self) -> Desk:
        settings = self._settings
        return Desk(
            origin=self._origin(),
            now=self._clock.now(),
            actor=settings.actor,
            root=settings.root,
            cleaner=settings.cleaner,
        )

    def _scrub(self) -> None:
        for store in self._scopes.present:
            if store.state().scrub_pending:
                store.scrub()

    def _asked(self, filters: Filters, now: int | None) -> Filters:
        """Return a caller's filters in the form that stores keep things in."""
        file = visible("file", normalise(filters.file)) if filters.file else None
        return replace(
            filters,
            tags=tuple(visible("tags", self._settings.cleaner.label(tag)) for tag in filters.tags),
            file=project_path(self._settings.root, file) if file else None,
            contains=visible("contains", normalise(filters.contains)) if filters.contains else None,
            current_at=now,
        )
