"""What comes from elsewhere and what goes out, over both scopes.

Lives here: which store it is, and that what is taken in is written in short transactions, or not at all when it is
only tried. The steps are in `capture`; what is read from where is the business of `ingest`.
"""

import contextlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager

from msgspec.structs import replace

from holdfast.capture.adopt import (
    AdoptionTerms,
    PreparedEntry,
    adopt,
    known_ids,
    limit_pins,
    prepare_entries,
    tie,
    together,
)
from holdfast.capture.follow import FollowReport, SourceFile, Words, follow
from holdfast.capture.prepare import WriteContext
from holdfast.capture.sessions.turns import prepare_turn
from holdfast.capture.text.clean import Cleaner
from holdfast.model.ids import fingerprint, new_id
from holdfast.model.ingest import Adopted, Entry, Tie
from holdfast.model.kinds import COMPLETED, PINNED
from holdfast.model.limits import BATCH, BULK, PATH_CHARS, PINS
from holdfast.model.memory import Added, Memory
from holdfast.model.records import Event
from holdfast.model.requests import Message
from holdfast.model.search import Filters
from holdfast.model.session import Session
from holdfast.ports import Progress, Store
from holdfast.service.scopes import Scopes
from holdfast.stores.retry import again

_NO_LIMIT = 1_000_000_000


Progressing = Callable[[str, int], AbstractContextManager[Progress]]
"""Shows how far so many entries are, under a label, while a block runs."""


def not_shown(label: str, total: int) -> AbstractContextManager[Progress]:
    """Show nothing."""
    return contextlib.nullcontext(lambda count: None)


class _OnlyTried(Exception):
    """Raised to leave a transaction whose outcome was only asked for."""


class Exchange:
    """The way in and out for entries that are kept elsewhere, too."""

    def __init__(
        self, scopes: Scopes, write_context: Callable[[], WriteContext], check_on: Callable[[], None]
    ) -> None:
        self._scopes = scopes
        self._write_context = write_context
        self._check_on = check_on

    def adopt(
        self,
        entries: Sequence[Entry],
        terms: AdoptionTerms,
        *,
        dry_run: bool = False,
        show: Progressing = not_shown,
    ) -> Adopted:
        """Take in entries, once all of them can be; with `dry_run` say what would become of them, and that is all.

        They are written in parts, so that others can write in between. Who is interrupted does it again: what is
        here already is known.
        """
        self._check_on()
        context = self._write_context()
        with show("Checking", len(entries)) as step:
            prepared_entries = prepare_entries(entries, terms, context, step)
        prepared_entries = self._limit_pins(prepared_entries, terms.scope, context.now)
        lacks_user_store = terms.scope == "user" and not self._scopes.within("user")
        if dry_run and lacks_user_store:
            return _new(prepared_entries)
        store = self._scopes.of(terms.scope)
        barred_prints = self._barred_prints(
            store, prepared_entries
        )  # before: nobody holds one store while waiting for the other
        reports: list[Adopted] = []
        with _taken_back(store) if dry_run else contextlib.nullcontext():
            with show("Storing", len(prepared_entries)) as step:
                for start in range(0, len(prepared_entries), BULK):
                    part = prepared_entries[start : start + BULK]
                    reports.append(self._adopt(store, part, terms, context, barred_prints))
                    step(len(part))
            if terms.own:
                self._tie(store, prepared_entries, context)
        return together(reports)

    @again
    def _adopt(
        self,
        store: Store,
        prepared_entries: Sequence[PreparedEntry],
        terms: AdoptionTerms,
        context: WriteContext,
        barred_prints: set[str],
    ) -> Adopted:
        with store.writing():
            return adopt(store, prepared_entries, terms, context, barred_prints)

    @again
    def _tie(self, store: Store, prepared_entries: Sequence[PreparedEntry], context: WriteContext) -> None:
        with store.writing():
            tie(store, prepared_entries, context)

    @again
    def follow(self, place: SourceFile, entries: Sequence[Entry], before: Sequence[str]) -> FollowReport:
        """Bring the project's memory in line with what a file says now, in one transaction.

        `before` are the ids of what it said when it was last read.
        """
        self._check_on()
        context, store = self._write_context(), self._scopes.project
        prepared_entries = prepare_entries(entries, AdoptionTerms(), context)
        words = Words([entry.memory for entry in prepared_entries if entry.memory], before)
        barred_prints = self._barred_prints(store, prepared_entries)
        with store.writing():
            return follow(store, words, place, context, barred_prints)

    def can_name(self, file: str) -> bool:
        """Say whether a path can be kept as it is: it holds nothing that may not be kept."""
        try:
            return len(file) <= PATH_CHARS and self._write_context().cleaner.label(file) == file
        except UnicodeEncodeError:
            return False

    @contextlib.contextmanager
    def together(self, *, dry_run: bool = False) -> Iterator[None]:
        """Keep everything that is written to the project's memory inside the block, or nothing of it."""
        self._check_on()
        store = self._scopes.project
        with _taken_back(store) if dry_run else store.writing():
            yield

    @again
    def rewrite(self, ids: Sequence[str], change: Callable[[Memory], Memory]) -> list[Memory]:
        """Change memories of the project, as they are now, in what is noted about them; their words stay.

        Return them as they are then; what is gone meanwhile is left out.
        """
        self._check_on()
        if not ids:
            return []
        context, store = self._write_context(), self._scopes.project
        with store.writing():
            store.audit.record(Event(action="update", actor=context.actor.name, at=context.now, ids=tuple(ids)))
            new_memories = [change(memory) for memory in store.memories.get(ids)]
            for memory in new_memories:
                store.memories.replace(memory)
        return new_memories

    def was_forgotten(self, content: str) -> bool:
        """Say whether a text was forgotten here."""
        mark = fingerprint(self._write_context().cleaner.text(content))
        return any(store.tombstones.standing([mark]) for store in self._scopes.present)

    @again
    def witness(self, agent: str, ref: str, messages: Sequence[Message]) -> int:
        """Keep messages of a session that is over, each once by its ref; return how many were new.

        It is evidence only: nobody spoke to an agent, so nothing is read out of it, and it is never reopened.
        """
        self._check_on()
        store, context = self._scopes.project, self._write_context()
        with store.writing():
            known_session = store.sessions.with_ref(context.origin.project, context.cleaner.ref(ref))
            session = known_session or self._past_session(agent, ref, messages, context)
            if known_session is None:
                store.sessions.insert(session)
            turns = [
                prepare_turn(session, message, context.cleaner, context.root, context.now)[0]
                for message in messages
            ]
            new = [turn for turn in turns if not (turn.ref and store.turns.with_ref(session.id, turn.ref))]
            store.turns.insert(new)
            latest = store.sessions.get(session.id) or session
            store.sessions.replace(replace(latest, ended_at=latest.last_turn_at))
        return len(new)

    @property
    def cleaner(self) -> Cleaner:
        """What every text goes through before it is kept."""
        return self._write_context().cleaner

    def session_with(self, ref: str) -> Session | None:
        """Return the session that has a ref, without going on with it."""
        context = self._write_context()
        return self._scopes.project.sessions.with_ref(context.origin.project, context.cleaner.ref(ref))

    def witnessed(self, agent: str) -> set[str]:
        """Return the refs of everything that was kept as evidence for an agent."""
        store = self._scopes.project
        past = [
            session for session in store.sessions.newest(None, _NO_LIMIT) if session.agent == agent and session.ref
        ]
        return {turn.ref for session in past for turn in store.turns.of(session.id) if turn.ref}

    def said_by(self, source: str) -> list[Memory]:
        """Return every memory of the project that a source said, history included."""
        return self._scopes.project.memories.newest(Filters(sources=(source,)), _NO_LIMIT)

    def everything(self, scope: str) -> Generator[tuple[Memory, Sequence[Tie]], None, None]:
        """Hand out every memory of a scope in the order of arrival, history included.

        Each comes with what is tied to it: its unresolved conflicts, and what waits for a person about it. Who may
        stop before the last closes it while the store is open: it is one transaction.
        """
        for store in self._scopes.within(scope):
            with store.reading():
                yield from _walk_memories(store, self._write_context().now)

    def _past_session(self, agent: str, ref: str, messages: Sequence[Message], context: WriteContext) -> Session:
        times = [message.at for message in messages if isinstance(message.at, int)]
        return Session(
            id=new_id(context.now),
            project=context.origin.project,
            tenant=context.origin.tenant,
            user=context.origin.user,
            agent=context.cleaner.label(agent) or "unknown",
            status=COMPLETED,
            ref=context.cleaner.ref(ref),
            started_at=min(times, default=context.now),
            ended_at=max(times, default=context.now),
        )

    def _barred_prints(self, home: Store, prepared_entries: Sequence[PreparedEntry]) -> set[str]:
        """Return the fingerprints of what was forgotten in another scope."""
        prints = [entry.memory.fingerprint for entry in prepared_entries if entry.memory]
        other_stores = [store for store in self._scopes.present if store is not home]
        return {mark for store in other_stores for mark in store.tombstones.standing(prints)}

    def _limit_pins(self, prepared_entries: Sequence[PreparedEntry], scope: str, now: int) -> list[PreparedEntry]:
        """Let entries take the pins that are free; those that an interrupted import wrote have theirs."""
        filters = Filters(statuses=(PINNED,), current_at=now)
        pinned_count = sum(len(store.memories.newest(filters, PINS)) for store in self._scopes.present)
        ids_here = {
            known_id for store in self._scopes.within(scope) for known_id in known_ids(store, prepared_entries)
        }
        return limit_pins(prepared_entries, PINS - pinned_count, ids_here)


@contextlib.contextmanager
def _taken_back(store: Store) -> Iterator[None]:
    """Take everything back that is written inside the block."""
    with contextlib.suppress(_OnlyTried), store.writing():
        yield
        raise _OnlyTried


def _walk_memories(store: Store, now: int) -> Iterator[tuple[Memory, Sequence[Tie]]]:
    ties: dict[str, list[Tie]] = {}
    for conflict in reversed(store.conflicts.unresolved(now)):
        ties.setdefault(conflict.second, []).append(conflict)
    for proposal in store.proposals.waiting():
        ties.setdefault(proposal.memory, []).append(proposal)
    after: str | None = None
    while page := store.memories.walk(after, BATCH):
        for memory in page:
            yield memory, ties.get(memory.id, ())
        after = page[-1].id


def _new(prepared_entries: Sequence[PreparedEntry]) -> Adopted:
    """Return what becomes of entries where there is no store yet."""
    seen_prints: set[str] = set()
    results = []
    for entry in prepared_entries:
        new = entry.memory is not None and entry.memory.fingerprint not in seen_prints
        seen_prints.update([entry.memory.fingerprint] if entry.memory else [])
        rejection = None if entry.memory else "private"
        results.append(
            Added(id=entry.memory.id if new and entry.memory else None, created=new, rejected=rejection)
        )
    return Adopted(results=tuple(results))
