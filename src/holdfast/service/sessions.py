"""Sessions from their first turn to their last: recorded, read at checkpoints, summed up, promoted, forked.

Lives here: the order of the steps and what belongs into one transaction. The steps themselves are in `capture`.
"""

import logging
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from holdfast.capture.check import check_name
from holdfast.capture.forget_command import command_words, seal
from holdfast.capture.prepare import WriteContext
from holdfast.capture.quote_check import tie_waiting
from holdfast.capture.sessions.asked import asks_for_memory
from holdfast.capture.sessions.harvest import fork, harvest, skip
from holdfast.capture.sessions.promote import PromotionTerms, Sightings, promote, promote_page, release, weigh
from holdfast.capture.sessions.summary import sum_up
from holdfast.capture.sessions.threads import cut_all, cut_session
from holdfast.capture.sessions.turns import attribute_message, prepare_turn
from holdfast.errors import SwitchedOff
from holdfast.model.finding import PRESETS, Finding
from holdfast.model.ids import new_id
from holdfast.model.kinds import ACTIVE, COMPLETED, PERSON_ROLES
from holdfast.model.limits import DAY_MS, NO_LIMIT
from holdfast.model.records import Event
from holdfast.model.requests import Message
from holdfast.model.session import LearntAgain, Session, Turn
from holdfast.model.times import Moment, parse_past
from holdfast.service.user_words import note_seal
from holdfast.stores.retry import again
from holdfast.text.sentences import sentences

if TYPE_CHECKING:
    from holdfast.service.parts import ServiceParts

CHECKPOINT = 10
"""Messages after which a session is read."""

SILENT_MS = DAY_MS
"""After so long without a turn a session counts as over."""

CUT_AT_ONCE = 20
"""Sessions that are looked through for threads at a time, where a store has none yet or was cut otherwise."""

CLOSED_AT_ONCE = 5
LOOKED_AT = 50
"""How many silent sessions are ended at a time, and how many looked at, should some of them fail."""

_LOG = logging.getLogger(__name__)


class SessionRecorder:
    """What keeps sessions."""

    def __init__(self, parts: "ServiceParts") -> None:
        self._parts = parts
        self._scopes, self._clock, self._habits = parts.scopes, parts.clock, parts.settings.habits
        self._write_context = parts.write_context

    @cached_property
    def _first_context(self) -> WriteContext:
        """A context of which only what never changes is used: a turn does not ask git where it was said."""
        return self._write_context()

    def start(self, agent: str, at: Moment | None, ref: str | None, parent: str | None = None) -> Session:
        """Begin a session, or go on with the one that has this ref; see to what was left lying.

        `parent` is the session of the agent that this one works for.
        """
        check_name("agent", agent)
        context = self._write_context()
        if ref is not None:
            check_name("ref", ref)
            ref = context.cleaner.ref(ref)
        started_at = parse_past(at, "at", context.now)
        store = self._scopes.project
        known_session = store.sessions.with_ref(context.origin.project, ref) if ref else None
        self.tend(spare=known_session.id if known_session else None)
        session = Session(
            id=new_id(context.now),
            project=context.origin.project,
            tenant=context.origin.tenant,
            user=context.origin.user,
            agent=context.cleaner.label(agent) or "unknown",
            status=ACTIVE,
            ref=ref,
            parent=parent,
            started_at=context.now if started_at is None else started_at,
            heard_at=context.now,
        )
        return self._begin(session)

    @again
    def _begin(self, session: Session) -> Session:
        """Keep a new session, or let the one that has its ref go on."""
        store = self._scopes.project
        with store.writing():
            known_session = store.sessions.with_ref(session.project, session.ref) if session.ref else None
            if known_session:
                session = replace(known_session, status=ACTIVE, ended_at=None, heard_at=session.heard_at)
                store.sessions.replace(session)
            else:
                store.sessions.insert(session)
        return session

    def record(self, session_id: str, message: Message) -> Turn:
        """Keep one message, and read the session when enough of them wait; the same ref twice is one turn.

        What an agent says that a person said is kept as relayed.
        """
        message = attribute_message(message, self._first_context.actor)
        if not self._habits.auto:
            self._read_what_waits(session_id)
        turn, unread_turns = self._keep(session_id, message)
        if self._habits.auto and unread_turns and (unread_turns >= CHECKPOINT or _asks_to_remember(turn)):
            self._read_session(turn.session)
        return turn

    def _read_what_waits(self, session_id: str) -> None:
        """Read what was said while reading was on: the turns that come now are passed over for good."""
        session = self._scopes.session(session_id)
        if session.turns_read < session.turns:
            self._read_session(session.id)

    def _read_session(self, session_id: str) -> None:
        """Read a session; a message is kept even when that fails, and reading goes on with a later one."""
        try:
            self._harvest(session_id)
        except Exception as error:
            _leave_trace("read", session_id, error)

    def _harvest(self, session_id: str) -> None:
        """Read what was not read yet; what was asked for in so many words is a memory from here on."""
        self._tie_notes(session_id)
        store = self._scopes.project
        requested_findings = harvest(
            store, session_id, self._first_context.actor.name, self._clock.now(), self._parts.judge
        )
        if requested_findings:
            session = self._scopes.session(session_id)
            terms = self._promotion_terms(session)
            self._log(promote_page(store, session, requested_findings, terms), terms.now)

    @again
    def _tie_notes(self, session_id: str) -> None:
        store = self._scopes.project
        with store.writing():
            tie_waiting(store, self._scopes.session(session_id), self._clock.now())

    @again
    def _keep(self, session_id: str, message: Message) -> tuple[Turn, int]:
        """Write a message; also return how many turns of its session wait to be read.

        A session that was over goes on with it, and will be ended anew.
        """
        store = self._scopes.project
        while True:
            session = self._scopes.session(session_id)
            context = self._first_context
            turn, depth = prepare_turn(session, message, context.cleaner, context.root, self._clock.now())
            seal_mark = _seal(message, turn, context)
            with store.writing():
                known_turn = store.turns.with_ref(session.id, turn.ref) if turn.ref else None
                if known_turn:
                    return known_turn, 0
                latest = self._scopes.session(session.id)
                if latest.private_depth != session.private_depth:
                    continue  # another process opened or closed a private block meanwhile
                store.turns.insert([turn])
                if seal_mark:
                    note_seal(store, seal_mark, turn.at)
                updated_session = replace(latest, private_depth=depth, status=ACTIVE, ended_at=None)
                if not self._habits.auto:
                    updated_session = skip(store, updated_session, turn)
                if updated_session != latest:
                    store.sessions.replace(updated_session)
                return turn, latest.turns + 1 - updated_session.turns_read

    def checkpoint(self, session_id: str) -> Session:
        """Read what was said so far, as before a client compacts its context."""
        session = self._scopes.session(session_id)
        if self._habits.auto:
            self._harvest(session.id)
        return self._scopes.session(session.id)

    def end(self, session_id: str) -> Session:
        """Complete a session: read the rest, sum it up, promote what deserves it. Twice changes nothing."""
        session = self._scopes.session(session_id)
        was_open = session.status != COMPLETED
        while session.status != COMPLETED:
            self.checkpoint(session.id)
            if self._habits.auto:
                self._promote(session)
            session = self._complete(session.id)
        if was_open:
            self._cut(session)
        self._release()
        return session

    def _cut(self, session: Session) -> None:
        """Cut a session into threads; where that fails, the next rebuilding does it."""
        try:
            cut_session(self._scopes.project, session, self._parts.judge)
        except Exception as error:
            _leave_trace("cut", session.id, error)

    def _promote(self, session: Session) -> None:
        terms = self._promotion_terms(session)
        for new_ids in promote(self._scopes.project, session, terms):
            self._log(new_ids, terms.now)

    def _promotion_terms(self, session: Session) -> PromotionTerms:
        context = self._write_context()
        # whose word it is, the turns say; who ends a session, be it long after, says nothing in it
        reader = context.actor._replace(person=True)
        context = replace(context, actor=reader, origin=replace(context.origin, agent=session.agent))
        return PromotionTerms(
            preset=PRESETS[self._habits.preset],
            write=lambda drafts: self._parts.intake.write(drafts, context),
            judge=self._parts.judge,
            actor=context.actor.name,
            now=context.now,
        )

    def _log(self, new_ids: Sequence[str], now: int) -> None:
        """Put new memories into the daily log, as they are by now."""
        self._parts.log_new(self._scopes.project.memories.get(new_ids), now)

    @again
    def _complete(self, session_id: str) -> Session:
        """Close a session; leave it active when somebody spoke after it was read."""
        store, context = self._scopes.project, self._write_context()
        with store.writing():
            session = self._scopes.session(session_id)
            late = store.turns.following(session.id, session.read_to, 1) if self._habits.auto else []
            if session.status == COMPLETED or late:
                return session
            store.audit.record(
                Event(action="finalise", actor=context.actor.name, at=context.now, ids=(session.id,))
            )
            session = replace(
                session,
                status=COMPLETED,
                ended_at=context.now if session.last_turn_at is None else session.last_turn_at,
                summary=sum_up(store, session) if self._habits.auto else session.summary,
            )
            store.sessions.replace(session)
        return session

    def learn_again(self, *, dry_run: bool) -> LearntAgain:
        """Judge the sessions that are over again; a dry run only returns what would change."""
        from holdfast.capture.sessions.again import ended_sessions, memories_of, rejudge, replace_findings

        if not self._habits.auto:
            raise SwitchedOff(reason="`capture.auto` is false. `holdfast auto on` lets sessions be read.")
        store, count = self._scopes.project, 0
        gone_contents: dict[str, str] = {}
        new: list[str] = []
        for session in list(ended_sessions(store)):
            count += 1
            rejudgement = rejudge(store, session, self._parts.judge)
            gone_contents |= memories_of(store, rejudgement.gone)
            terms = self._promotion_terms(session)
            if dry_run:
                new += [
                    finding.content
                    for finding in rejudgement.new
                    if weigh(finding, Sightings(), terms.preset).promoted
                ]
                continue
            replace_findings(store, rejudgement, terms.actor, terms.now)
            for new_ids in promote(store, session, terms):
                new += [memory.content for memory in store.memories.get(new_ids)]
            self._cut(session)
        return LearntAgain(sessions=count, gone=gone_contents, new=tuple(new), dry_run=dry_run)

    def fork(self, session_id: str) -> Session:
        """Let a session go on as two."""
        return self._fork(self.checkpoint(session_id).id)

    @again
    def _fork(self, session_id: str) -> Session:
        store = self._scopes.project
        with store.writing():
            return fork(store, self._scopes.session(session_id), self._write_context().now)

    def findings(self, session_id: str) -> list[Finding]:
        """Return what was found in a session, in the order it was said."""
        return self._scopes.project.findings.of(self._scopes.session(session_id).id, None, NO_LIMIT)

    def tend(self, spare: str | None = None) -> None:
        """End sessions that fell silent, but for one that is just going on; judge what was promoted a day ago.

        One that cannot be ended is nobody else's trouble: the others are, and it is tried again next time.
        """
        ended_count = 0
        for session in self._scopes.project.sessions.silent(self._clock.now() - SILENT_MS, LOOKED_AT):
            if session.id != spare and ended_count < CLOSED_AT_ONCE:
                ended_count += self._end_silent(session.id)
        self._release()
        cut_all(self._scopes.project, self._parts.judge, CUT_AT_ONCE)

    def _end_silent(self, session_id: str) -> bool:
        try:
            self.end(session_id)
        except Exception as error:
            _leave_trace("end", session_id, error)
            return False
        return True

    def _release(self) -> None:
        release(self._scopes.project, self._first_context.actor.name, self._clock.now())


def _asks_to_remember(turn: Turn) -> bool:
    """Say whether to read a turn at once: what a person asks for counts in sessions beside this one, too."""
    return turn.role.lower() in PERSON_ROLES and any(asks_for_memory(piece.text) for piece in sentences(turn.text))


def _seal(message: Message, turn: Turn, context: WriteContext) -> str | None:
    """Return what proves that a command to forget was typed, which is not recorded."""
    command = command_words(message.text) if turn.role.lower() in PERSON_ROLES else None
    return None if command is None else seal(context.cleaner.text(command), turn.ref or turn.id)


def _leave_trace(step: str, session_id: str, error: Exception) -> None:
    """Say what failed and was passed over; never the error's own words, which may hold what was said."""
    _LOG.warning("Could not %s session %s: %s", step, session_id, type(error).__name__)
