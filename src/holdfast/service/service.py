"""The verbs. Each checks what it was asked, delegates to the path that does it, and returns a value.

What must not be here: SQL, scoring, text handling, formatting; and anything that knows an interface.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from holdfast.capture.check import check_choice, check_count
from holdfast.errors import UnknownId
from holdfast.model import kinds, limits
from holdfast.model.actor import Actor
from holdfast.model.brief import Brief
from holdfast.model.finding import Finding
from holdfast.model.memory import BOTH, Added, Conflict, Forgotten, Memory, Origin, TimelineEntry
from holdfast.model.records import AccessReport, Event, EventFilters, LogCheck, LogPart, Rescan, Stats
from holdfast.model.requests import (
    BriefRequest,
    Changes,
    Draft,
    ForgetRequest,
    Message,
    PruneRequest,
    Reach,
    SearchRequest,
)
from holdfast.model.search import Filters, Hit
from holdfast.model.session import LearntAgain, Quote, Session, Turn
from holdfast.model.times import Moment, parse_past
from holdfast.model.upkeep import Cleanup, Prune
from holdfast.model.vectors import VECTOR_TARGETS
from holdfast.ports import Clock, Progress
from holdfast.service.parts import ServiceParts, Settings
from holdfast.service.scopes import Scopes
from holdfast.upkeep.embed import ENDING, Embeddings

if TYPE_CHECKING:
    from holdfast.service.act import ActRules
    from holdfast.service.briefs import Briefs, BriefSettings
    from holdfast.service.entries import Exchange
    from holdfast.service.forget import ForgetWindow
    from holdfast.service.inbox import Review
    from holdfast.service.rules import RuleBook
    from holdfast.service.search import ProjectAliases
    from holdfast.service.upkeep import UpkeepRunner, VectorBacklog
    from holdfast.service.user_words import UserWords
    from holdfast.service.views import Views


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
        brief: Callable[[], BriefSettings] | None = None,
    ) -> None:
        self._scopes = scopes
        self._clock = clock
        self._settings = settings or Settings()
        self._after_session = after_session
        self._embeddings = embeddings or Embeddings(None, clock)
        self._parts = ServiceParts(scopes, clock, origin, self._settings, self._embeddings, brief)

    def acting_as(self, actor: Actor, *, user: str | None = None) -> Service:
        """Return the same service in somebody's name: a server has one store and many callers."""
        parts = self._parts
        acting = Service(
            self._scopes,
            self._clock,
            lambda: replace(parts.origin(), user=user or parts.origin().user, agent=actor.agent),
            replace(self._settings, actor=actor),
            self._after_session,
            self._embeddings,
            parts.brief,
        )
        acting._parts.accesses = parts.accesses
        return acting

    # ── remember and forget ──────────────────────────────────────────────────────────────────────────────

    def add(self, draft: Draft) -> Added:
        """Remember one thing."""
        return self.add_many([draft])[0]

    def add_many(self, drafts: Sequence[Draft]) -> list[Added]:
        """Remember many things; nothing is written unless all of them can be."""
        self.check_on()
        if any(draft.quote is not None for draft in drafts):
            return self._add_quoted(drafts)
        return self._parts.intake.take(drafts, self._parts.write_context())

    def add_from(self, session_id: str, drafts: Sequence[Draft]) -> list[Added]:
        """Remember what somebody noted about one session that is over, where the user said it there."""
        self.check_on()
        return self._add_quoted(drafts, self.session(session_id))

    def _add_quoted(self, drafts: Sequence[Draft], session: Session | None = None) -> list[Added]:
        from holdfast.service.user_words import QuotedNotes

        return QuotedNotes(self._parts).take(drafts, self._parts.write_context(), session)

    def update(self, memory_id: str, changes: Changes) -> Memory:
        """Change fields of a memory."""
        self.check_on()
        from holdfast.capture.permission import believed_trust

        changes = replace(changes, trust=believed_trust(self._settings.actor, changes.trust))
        return self._parts.editor.update(memory_id, changes, self._parts.write_context())

    def forget(self, memory_id: str, reach: Reach | None = None) -> Forgotten:
        """Retract a memory: the entry, what was said of it, and its way back."""
        self.check_on()
        self._parts.write_accesses()
        return self._parts.forgetter.one(memory_id, self._settings.actor, self._clock.now(), reach)

    def forgettable(self, request: ForgetRequest) -> Sequence[Memory]:
        """Return what `forget_where` would touch, history included, for asking a person about it."""
        return self._parts.forgetter.meant(request.filters)

    def forget_where(self, request: ForgetRequest) -> Forgotten:
        """Retract all that came from a source or a session, or that holds a text; a session with its turns.

        A memory that other sources said too only loses the source. With nothing but `backups`, what was
        forgotten before goes from the backups.
        """
        self.check_on()
        self._parts.write_accesses()
        return self._parts.forgetter.where(request.filters, self._settings.actor, self._clock.now(), request.reach)

    # ── standing ─────────────────────────────────────────────────────────────────────────────────────────

    def pin(self, memory_id: str) -> Memory:
        """Put a memory into every brief; at most five are."""
        return self._parts.on().editor.pin(memory_id)

    def unpin(self, memory_id: str) -> Memory:
        """Take a memory out of the always-carried ones; it stays confirmed."""
        return self._parts.on().editor.unpin(memory_id)

    def confirm(self, memory_id: str) -> Memory:
        """Say that a memory holds; it counts as a read and its age starts anew."""
        return self._parts.on().editor.confirm(memory_id)

    def supersede(self, old_id: str, new_id: str) -> Memory:
        """Let one memory take another's place; the old one becomes history."""
        return self._parts.on().editor.supersede(old_id, new_id)

    def reinstate(self, memory_id: str) -> Memory:
        """Undo a supersession: the memory holds again; what had taken its place stays."""
        return self._parts.on().editor.reinstate(memory_id)

    # ── conflicts ────────────────────────────────────────────────────────────────────────────────────────

    def conflicts(self, ids: Sequence[str] = ()) -> Sequence[Conflict]:
        """Return unresolved conflicts between memories that hold, newest first, each with its marker."""
        return self._scopes.conflicts(self._clock.now(), ids)

    def resolve(self, conflict: Conflict | str, keep: str) -> Conflict:
        """Settle a conflict: keep one of its two memories, and the other becomes history; or keep both."""
        self.check_on()
        store, known_conflict = self._scopes.conflict(conflict.id if isinstance(conflict, Conflict) else conflict)
        kept_id = keep if keep == BOTH else self._scopes.find(keep, "keep")[1].id
        return self._parts.editor.resolve(store, known_conflict, kept_id)

    # ── the three layers ─────────────────────────────────────────────────────────────────────────────────

    def search(self, request: SearchRequest) -> list[Hit]:
        """Layer 1: find; titles and snippets, not contents."""
        return self._parts.searcher.search(request)

    def recall(self, request: SearchRequest) -> list[Hit]:
        """Find what is to be shown in full, with a second look where a reranker is set."""
        return self._parts.searcher.recall(request)

    def accesses(self, days: int = 30) -> AccessReport:
        """Say what was searched lately, what was found, and what never is found or read."""
        from holdfast.service.access_log import access_report

        check_count("days", days, 1, 36_500)
        self._parts.write_accesses()
        return access_report(self._scopes.project, self._clock.now(), days)

    def context(self, request: BriefRequest) -> Brief:
        """Return what an agent is told for a prompt or, without one, at the start of a session."""
        return self.briefs.context(replace(request, prompt=request.prompt or None))

    def timeline(self, memory_id: str, window: int = 5) -> list[TimelineEntry]:
        """Layer 2: what was remembered just before and after a memory, without full contents."""
        entries = self._parts.reader.around(memory_id, window)
        anchors = [(entry.id, None) for entry in entries if entry.anchor]
        self._parts.accesses.log("timeline", anchors, self._clock.now())
        return entries

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """Layer 3: full contents. Counts as a read; unknown ids are left out."""
        memories = self._parts.reader.get([ids] if isinstance(ids, str) else ids)
        read_ids = {memory.id: None for memory in memories}
        self._parts.accesses.log("get", list(read_ids.items()), self._clock.now())
        self.upkeep.after_reads(self._scopes.project, len(read_ids))
        return memories

    def quotes(self, ids: Sequence[str]) -> list[Quote]:
        """Return turns, findings and summaries in full, by the ids that briefs show; unknown ids are left out."""
        from holdfast.service.read import Quotes

        return Quotes(self._scopes.project, self._settings.root).get([ids] if isinstance(ids, str) else ids)

    def thread_of(self, memory_id: str) -> str | None:
        """Return the title of the thread that a memory is a statement of; None where it stands alone."""
        store, memory = self._scopes.find(memory_id)
        home = store.threads.of_memories([memory.id])
        return next((thread.title for thread in store.threads.get(list(home.values()))), None)

    def peek(self, memory_id: str) -> Memory | None:
        """Return one memory without counting a read, for asking a person about it."""
        with contextlib.suppress(UnknownId):
            return self._scopes.find(memory_id)[1]
        return None

    def list(
        self, filters: Filters, limit: int = 50, scope: str | None = None, *, everything: bool = False
    ) -> list[Memory]:
        """Return memories, newest first; of one scope, or of both. Browsing is not a read.

        Everything: also what is superseded, expired or faded.
        """
        current = self._parts.searcher.stored_filters(filters, None if everything else self._clock.now())
        return self._parts.reader.newest(current, limit, scope)

    def history(self, memory_id: str) -> Sequence[Memory]:
        """Return a memory with what it superseded and what superseded it, oldest first."""
        store, memory = self._scopes.find(memory_id)
        return store.memories.history(memory.id)

    # ── sessions ─────────────────────────────────────────────────────────────────────────────────────────

    def start_session(
        self, agent: str, at: Moment | None = None, ref: str | None = None, parent: str | None = None
    ) -> Session:
        """Begin a session, or go on with the one that has this ref; `parent` is that of whom it works for."""
        return self._parts.on().recorder.start(agent, at, ref, parent)

    def record(self, session_id: str, message: Message) -> Turn:
        """Keep one message of a session; the same ref twice is one turn."""
        return self._parts.on().recorder.record(session_id, message)

    def checkpoint(self, session_id: str) -> Session:
        """Read what was said so far, as before a client compacts its context."""
        return self._parts.on().recorder.checkpoint(session_id)

    def fork_session(self, session_id: str) -> Session:
        """Let a session go on as two; the new one gets a copy of what was found."""
        return self._parts.on().recorder.fork(session_id)

    def end_session(self, session_id: str) -> Session:
        """Complete a session: findings, summary, promotion. Ending it twice changes nothing."""
        self.check_on()
        before = self.session(session_id)
        session = self._parts.recorder.end(before.id)
        if before.status == kinds.COMPLETED:
            return session
        if self._settings.embed_on_add:
            self._embeddings.slice(self._scopes.project, VECTOR_TARGETS, ENDING)
        if self._after_session:
            self._after_session()
        return session

    def learn_again(self, *, dry_run: bool = False) -> LearntAgain:
        """Judge the sessions that are over again, by today's judge; or say what that would change."""
        self.check_on()
        if not dry_run:
            self.check_person("learn")
        return self._parts.recorder.learn_again(dry_run=dry_run)

    def findings(self, session_id: str) -> Sequence[Finding]:
        """Return what was found in a session, in the order it was found."""
        return self._parts.recorder.findings(session_id)

    def session(self, session_id: str) -> Session:
        """Return a session; the id may be short."""
        return self._scopes.session(session_id)

    def sessions(self, limit: int = 50) -> Sequence[Session]:
        """Return sessions, newest first."""
        check_count("limit", limit, 1, 100_000)
        return self._scopes.project.sessions.newest(None, limit)

    def turns(self, session_id: str) -> Sequence[Turn]:
        """Return a session's turns as recorded."""
        return self._scopes.project.turns.of(self.session(session_id).id)

    # ── the log ──────────────────────────────────────────────────────────────────────────────────────────

    def events(self, filters: EventFilters, scope: str = "project") -> Sequence[Event]:
        """Return what was done, newest first; empty where the scope has no store."""
        from holdfast.service.audit import events_in

        check_count("limit", filters.limit, 1, limits.AUDIT_EVENTS)
        return events_in(self._scopes.within(scope), filters)

    def events_after(self, number: int | None, limit: int = limits.BATCH) -> LogPart:
        """Return what was done in the project after an event; None: nothing, and where to go on from."""
        from holdfast.service.audit import events_after

        return events_after(self._scopes.project, number, limit)

    def verify_log(self, scope: str = "project") -> LogCheck:
        """Follow the chain of the log from its anchor to its end."""
        from holdfast.service.audit import check_log

        return check_log(self._scopes.within(scope), self._clock.now())

    # ── the store itself ─────────────────────────────────────────────────────────────────────────────────

    def stats(self) -> Stats:
        """Count what there is and say how the stores are doing."""
        from holdfast.recall.brief.account import health_of

        self._parts.write_accesses()
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
            briefs=health_of(self._scopes.project),
            upkeep=self.upkeep.state(self._scopes.project),
            user_upkeep=self.upkeep.state(user) if user else None,
        )

    def cleanup(self, *, dry_run: bool = False, progress: Progress | None = None) -> Cleanup:
        """Apply every limit, delete what expired or faded, merge what says the same; or say what that would do."""
        self.check_on()
        if not dry_run:
            self.check_person("cleanup")
        self._parts.write_accesses()
        return self.upkeep.cleanup(dry_run=dry_run, progress=progress)

    def prune(self, request: PruneRequest, progress: Progress | None = None) -> Prune:
        """Delete what was not used for so long, weighs so little, or came from a source; or say what would go.

        What a person asked to remember goes only with `mine`.
        """
        self.check_on()
        if request.mine:
            self.check_person("pruning what a person asked to remember")
        return self.upkeep.prune(request, progress)

    def check_on(self) -> None:
        """Refuse to write while memory is switched off."""
        self._parts.on()

    def check_person(self, action: str) -> None:
        """Refuse what is for persons only, where an agent acts."""
        from holdfast.capture.permission import check_person

        check_person(self._settings.actor, action)

    def read_only(self) -> str | None:
        """Say why the project's store can be read but not written; None when it can be."""
        return self._scopes.project.state().read_only

    def stands_in(self) -> bool:
        """Say whether there is no store, and an empty one in memory stands in for it."""
        return not self._scopes.project.state().schema

    def moment(self, value: Moment | None, field: str) -> int | None:
        """Read a time as a caller writes it; `7d` means seven days ago."""
        return parse_past(value, field, self._clock.now())

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
        self._parts.write_accesses()
        self._scrub()
        if not self.read_only():
            self._parts.tend_sessions()
        for store in self._scopes.present:
            self._embeddings.finish(store, progress)
        self._parts.refresh_rules()

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
        self._parts.write_accesses()
        settings, stores = self._settings, self._scopes.within(scope)
        self._parts.daily_log.clean(settings.cleaner.text)
        from holdfast.capture.rescan import rescan_all

        return rescan_all(
            stores, settings.cleaner, actor=settings.actor.name, now=self._clock.now(), progress=progress
        )

    def refresh_rules(self, *, always: bool = False) -> None:
        """Let hooks know the rules as they are now; a process that lives on calls this after it wrote."""
        self._parts.refresh_rules(always=always)

    def close(self) -> None:
        """Flush, and let go of the stores."""
        self._parts.write_accesses()
        self._parts.refresh_rules()
        self._scopes.close()

    # ── what else there is to ask ────────────────────────────────────────────────────────────────────────

    @property
    def briefs(self) -> Briefs:
        """What makes briefs."""
        return self._parts.briefs

    @property
    def upkeep(self) -> UpkeepRunner:
        """Upkeep."""
        return self._parts.upkeep

    @property
    def acts(self) -> ActRules:
        """Rules at the act: guards, counts, what a call touches."""
        return self._parts.acts

    @property
    def rules(self) -> RuleBook:
        """The rules, and how they were kept."""
        return self._parts.rules

    @property
    def user_words(self) -> UserWords:
        """What the user said lately."""
        return self._parts.user_words

    @property
    def review(self) -> Review:
        """What waits for a person."""
        return self._parts.review

    @cached_property
    def aliases(self) -> ProjectAliases:
        """Words that find each other."""
        from holdfast.service.search import ProjectAliases

        return ProjectAliases(self._scopes, self._settings.cleaner, self.check_on)

    @cached_property
    def views(self) -> Views:
        """What a person looks at."""
        from holdfast.service.views import Views

        return Views(self._parts)

    @property
    def forget_window(self) -> ForgetWindow:
        """Forgetting that can be taken back for a moment."""
        return self._parts.forget_window

    @cached_property
    def exchange(self) -> Exchange:
        """Entries taken in whole, everything handed out."""
        from holdfast.service.entries import Exchange

        return Exchange(self._scopes, self._parts.write_context, self.check_on)

    @cached_property
    def vector_backlog(self) -> VectorBacklog:
        """What waits for vectors and may be made in the background."""
        from holdfast.service.upkeep import VectorBacklog

        return VectorBacklog(self._settings.root, self._scopes, self._embeddings, self._settings.off)

    # ── within ───────────────────────────────────────────────────────────────────────────────────────────

    def _scrub(self) -> None:
        for store in self._scopes.present:
            if store.state().scrub_pending:
                store.scrub()
