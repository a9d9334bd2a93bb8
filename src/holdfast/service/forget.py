"""Forgetting over both scopes: one memory, or all from a source, from a session, or that hold a text.

In this order, so that a crash leaves something to forget again: what waits in the spool, the talk in the store,
the memories, and last the backups.

In the viewer forgetting can be taken back for a moment: the memory is history at once, and goes when that is over.
What is on its way out is noted in its store, so that the next upkeep carries it out where the process that was
asked is gone. How a memory stood is noted, never its words.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from holdfast.agents import spool
from holdfast.agents.spool import Entry
from holdfast.capture.check import check_size, visible
from holdfast.capture.derivation import derived_memories, holds_persons_words, mask_spans, plan_cut
from holdfast.capture.forget import Retraction, forget, forget_source, forget_turns, turns_left
from holdfast.capture.permission import HOLDS_PERSONS_WORDS, ask, check_person, denial, proposing
from holdfast.capture.restatement import Span, Wording
from holdfast.capture.text.clean import Cleaner, normalise
from holdfast.errors import InvalidInput, SpoolBusy, SpoolUnwritable, UnknownId
from holdfast.model.actor import Actor
from holdfast.model.ids import session_ref
from holdfast.model.inbox import FORGET
from holdfast.model.kinds import TOOL_ROLE
from holdfast.model.limits import CONTENT_BYTES, NO_LIMIT
from holdfast.model.memory import Excerpt, Forgotten, Memory
from holdfast.model.records import Event
from holdfast.model.requests import Reach
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.service.change import reread
from holdfast.service.inbox import ledger
from holdfast.service.inbox.ledger import LedgerEntry
from holdfast.service.scopes import Scopes
from holdfast.stores.retry import again

if TYPE_CHECKING:
    from holdfast.service.parts import ServiceParts

SpansOf = Callable[["Entry"], list[Span]]
"""What finds the characters of an entry of the spool that go."""

SPOOL_SECONDS = 10.0
"""How long a worker that takes in the spool is waited for."""

NEAREST_MEMORIES = 12
"""Other memories that are looked at for saying it too."""

WINDOW_MS = 20_000
"""How long a person can take it back."""

FORGETTING = "forgetting"
"""The fact of a store that names what is on its way out."""


class Copies(Protocol):
    """The copies of stores that are within reach."""

    def holding(self, memories: Sequence[Memory], turns: Sequence[str]) -> list[str]:
        """Return the copies that hold one of these memories or turns, and those that cannot be read."""

    def clean(self, memories: Sequence[Memory]) -> tuple[list[str], list[str]]:
        """Take memories, and all else that was forgotten, out of every copy; return which were rewritten, and
        which could not be, each with the reason."""


class Forgetter:
    """What takes memories back."""

    def __init__(
        self,
        scopes: Scopes,
        cleaner: Cleaner,
        erase: Callable[[Sequence[Memory]], None] = lambda memories: None,
        root: Path | None = None,
        copies: Callable[[], Copies] | None = None,
    ) -> None:
        self._scopes = scopes
        self._cleaner = cleaner
        self._erase = erase
        self._root = root
        self._copies = copies

    @proposing
    def one(self, memory_id: str, actor: Actor, now: int, reach: Reach | None = None) -> Forgotten:
        """Retract one memory; the id may be short. An agent may only let go of what no person said."""
        reach = reach or Reach()
        self._check(actor, reach)
        store, memory = self._scopes.find(memory_id)
        memories = [memory, *_same_in_history(store, memory)]
        if not reach.dry_run:
            for version in memories:
                ask(actor, FORGET, version, at=now, store=store)
            if not actor.person and holds_persons_words(plan_cut(self._scopes.project, memories)):
                raise denial(actor, FORGET, memory, HOLDS_PERSONS_WORDS, at=now, store=store)
        similar = self._similar(memories, now)
        if reach.dry_run:
            return replace(self._preview(memories), similar=similar)
        spooled_excerpts = self._cut_from_spool(memories)
        self._erase(memories)
        outcome = forget(store, memories, self._retraction(actor, now))
        return replace(self._forget_report([outcome], spooled_excerpts, memories, reach), similar=similar)

    def meant(self, filters: Filters) -> list[Memory]:
        """Return what `where` would touch, history included."""
        clean_filters = self._clean_filters(filters)
        return [
            memory for store in self._scopes.present for memory in self._touched_memories(store, clean_filters)
        ]

    def where(self, filters: Filters, actor: Actor, now: int, reach: Reach | None = None) -> Forgotten:
        """Retract all that the filters mean; a session goes with its turns. For persons only.

        Without any, only the backups are rid of what was forgotten before. The turns of a session come
        last: they lead to the memories, which could not be found again after a crash in between.
        """
        check_person(actor, "forgetting by source, session or text")
        reach = reach or Reach()
        self._check(actor, reach)
        if reach.backups and filters == Filters():
            return self._forget_report([], [], [], reach)
        clean_filters, by = self._clean_filters(filters), self._retraction(actor, now)
        touched_memories = [
            (store, self._touched_memories(store, clean_filters)) for store in self._scopes.present
        ]
        alone = [
            memory for _, memories in touched_memories for memory in memories if _only_from(memory, clean_filters)
        ]
        if reach.dry_run:
            return self._preview(alone, clean_filters.session)
        spooled_excerpts = self._cut_from_spool(alone, clean_filters.session)
        self._erase(alone)
        outcomes = [
            forget_source(store, memories, clean_filters.sources[0], by)
            if clean_filters.sources
            else forget(store, memories, by)
            for store, memories in touched_memories
        ]
        if clean_filters.session:
            outcomes.append(forget_turns(clean_filters.session, by))
        return self._forget_report(outcomes, spooled_excerpts, alone, reach)

    def _check(self, actor: Actor, reach: Reach) -> None:
        if reach.backups:
            check_person(actor, "rewriting backups")
            if self._copies is None:
                problem = "are the server's: its administrator made them, and takes it out of them."
                raise InvalidInput(field="backups", problem=problem)

    def _touched_memories(self, store: Store, filters: Filters) -> list[Memory]:
        """Return what filters mean in a store; of a session also what its words became in its forks."""
        memories = store.memories.newest(filters, NO_LIMIT)
        if not filters.session or store is not self._scopes.project:
            return memories
        known_ids = {memory.id for memory in memories}
        return memories + [
            memory for memory in derived_memories(store, filters.session) if memory.id not in known_ids
        ]

    def _similar(self, memories: Sequence[Memory], now: int) -> tuple[str, ...]:
        """Return other memories that hold and say it too."""
        wording, ids = Wording(memory.content for memory in memories), {memory.id for memory in memories}
        texts = wording.texts[:NEAREST_MEMORIES]
        neighbours = [
            rival
            for store in self._scopes.present
            for rivals in (store.memories.akin(memories[0].project, texts, now, NEAREST_MEMORIES) if texts else [])
            for rival in rivals
        ]
        similar_ids = [
            memory.id
            for memory in neighbours
            if memory.id not in ids and wording.spans(memory.content, loosely=True)
        ]
        return tuple(dict.fromkeys(similar_ids))

    def _preview(self, memories: Sequence[Memory], session: str | None = None) -> Forgotten:
        """Say what would go, and change nothing."""
        project = self._scopes.project
        plan = plan_cut(project, memories)
        whole = turns_left(project, session) if session else []
        other_excerpts = [excerpt for excerpt in plan.excerpts if excerpt.session != session]
        outcome = Forgotten(
            ids=tuple(memory.id for memory in memories),
            masked_turns=len({excerpt.turn for excerpt in (*other_excerpts, *whole)}),
            excerpts=(*other_excerpts, *whole),
        )
        spooled_excerpts = self._in_spool(memories, session)
        return replace(
            self._forget_report([outcome], spooled_excerpts, memories, Reach(dry_run=True)), dry_run=True
        )

    def _forget_report(
        self,
        parts: Sequence[Forgotten],
        spooled_excerpts: Sequence[Excerpt],
        memories: Sequence[Memory],
        reach: Reach,
    ) -> Forgotten:
        """Put together what went from where, and see to the backups; the words themselves are not given back."""
        excerpts = [*(excerpt for part in parts for excerpt in part.excerpts), *spooled_excerpts]
        turns = sorted({excerpt.turn for excerpt in excerpts} - {""})
        cleaned_backups, unusable = self._copies().clean(memories) if self._copies and reach.backups else ([], [])
        anything = bool(memories or excerpts) and not reach.backups
        return Forgotten(
            ids=tuple(memory_id for part in parts for memory_id in part.ids),
            kept=tuple(memory_id for part in parts for memory_id in part.kept),
            masked_turns=sum(part.masked_turns for part in parts),
            sentences=len(excerpts),
            sessions=len({excerpt.session for excerpt in excerpts}),
            backups=tuple(self._copies().holding(memories, turns)) if self._copies and anything else (),
            cleaned=tuple(cleaned_backups),
            unusable=tuple(unusable),
            pending=any(part.pending for part in parts),
            excerpts=tuple(excerpts) if reach.dry_run else (),
        )

    def _cut_from_spool(self, memories: Sequence[Memory], session: str | None = None) -> list[Excerpt]:
        """Mask what waits in the spool; return what that was."""
        excerpts: list[Excerpt] = []
        spans_of = self._spans_of(memories, session)

        def change(entry: Entry) -> Entry:
            spans = spans_of(entry)
            excerpts.extend(self._excerpts(entry, spans))
            return {**entry, "text": mask_spans(str(entry["text"]), spans)} if spans else entry

        if self._root:
            try:
                spool.edit(str(self._root), change, SPOOL_SECONDS)
            except spool.BeingDrained as error:
                raise SpoolBusy(seconds=int(SPOOL_SECONDS)) from error
            except OSError as error:
                raise SpoolUnwritable(
                    path=spool.folder_of(str(self._root)), problem=error.strerror or str(error)
                ) from error
        return excerpts

    def _in_spool(self, memories: Sequence[Memory], session: str | None) -> list[Excerpt]:
        spans_of = self._spans_of(memories, session)
        entries = spool.all_entries(str(self._root)) if self._root else ()
        return [excerpt for entry in entries for excerpt in self._excerpts(entry, spans_of(entry))]

    def _spans_of(self, memories: Sequence[Memory], session: str | None) -> SpansOf:
        """Look for where an entry says it; of a session's entries everything goes."""
        wording = Wording(memory.content for memory in memories)
        known_session = self._scopes.project.sessions.get(session) if session else None
        whole = known_session.ref if known_session else None

        def spans_of(entry: Entry) -> list[Span]:
            text = entry.get("text")
            if not isinstance(text, str) or not text:
                return []
            if whole is not None and _session_of(entry) == whole:
                return [(0, len(text))]
            return wording.spans(text, loosely=entry.get("role") != TOOL_ROLE)

        return spans_of

    def _excerpts(self, entry: Entry, spans: Sequence[Span]) -> list[Excerpt]:
        if not spans:
            return []
        project, ref = self._scopes.project, _session_of(entry)
        known_session = project.sessions.with_ref(project.state().project, ref)
        session, role = known_session.id if known_session else ref, str(entry.get("role", ""))
        text = str(entry.get("text", ""))
        return [Excerpt(session=session, turn="", role=role, text=text[start:end]) for start, end in spans]

    def _retraction(self, actor: Actor, now: int) -> Retraction:
        return Retraction(evidence=self._scopes.project, actor=actor.name, now=now)

    def _clean_filters(self, filters: Filters) -> Filters:
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


def _only_from(memory: Memory, filters: Filters) -> bool:
    """Say whether nobody but the source that is forgotten said it."""
    return set(memory.sources) <= set(filters.sources or memory.sources)


def _same_in_history(store: Store, memory: Memory) -> list[Memory]:
    """Return what is history and says it in other words: two that became one, or a rule that was reworded."""
    wording = Wording([memory.content])
    return [
        version
        for version in store.memories.history(memory.id)
        if version.id != memory.id and version.superseded and wording.spans(version.content, loosely=True)
    ]


def _session_of(entry: Entry) -> str:
    return session_ref(str(entry.get("client", "")), str(entry.get("session", "")))


class Leaving(Struct, frozen=True, kw_only=True):
    """A memory on its way out."""

    id: str
    title: str
    forgets_at: int
    done: bool = False


class _Notice(Struct, frozen=True, kw_only=True):
    """What a store notes of a memory on its way out."""

    id: str
    due: int
    actor: str
    before: ledger.Standings
    after: ledger.Standings


class ForgetWindow:
    """What is on its way out of a service's stores."""

    def __init__(self, parts: "ServiceParts") -> None:
        self._parts = parts
        self._scopes, self._clock, self._actor = parts.scopes, parts.clock, parts.settings.actor

    @again
    def begin(self, memory_id: str) -> Leaving:
        """Take a memory out of everything that is told, and have it forgotten when the window is over."""
        check_person(self._actor, "forgetting what can be taken back")
        store, memory = self._scopes.find(memory_id)
        now = self._clock.now()
        with store.writing():
            notices = _notices(store)
            if running_notice := next((notice for notice in notices if notice.id == memory.id), None):
                return Leaving(id=memory.id, title=memory.title, forgets_at=running_notice.due)
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
                self._parts.forgetter.one(notice.id, Actor(notice.actor, person=True), now)
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
            [memory] = ledger.take_back(store, entry, now, pinned=self._parts.editor.pins())
            _write(store, [notice_left for notice_left in _notices(store) if notice_left.id != notice.id])
        return memory


def deadlines(stores: Sequence[Store]) -> dict[str, int]:
    """Return when memories on their way out are gone, by id."""
    return {notice.id: notice.due for store in stores for notice in _notices(store)}


def _still_leaving(store: Store, notice: _Notice) -> bool:
    """Say whether a memory still stands as it did when it was sent on its way, and nobody took that back."""
    with store.reading():
        standings = json.loads(json.dumps(ledger.standings(store, [notice.id])))
        return standings == notice.after and any(open_notice.id == notice.id for open_notice in _notices(store))


@again
def _let_go(store: Store, memory_id: str) -> None:
    with store.writing():
        _write(store, [notice for notice in _notices(store) if notice.id != memory_id])


def _notices(store: Store) -> list[_Notice]:
    text = store.upkeep.fact(FORGETTING)
    return [_Notice(**row) for row in json.loads(text)] if isinstance(text, str) and text else []


def _write(store: Store, notices: Sequence[_Notice]) -> None:
    rows = [{name: getattr(notice, name) for name in notice.__struct_fields__} for notice in notices]
    store.upkeep.note(FORGETTING, json.dumps(rows))
