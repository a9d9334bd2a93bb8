"""Sessions that are over, read once by the extractor that the user named: what it notes is checked like any note.

Lives here: which sessions are due, what of them is handed over, and what becomes of the notes. Never in the way of
an agent: the background worker does this (`storage.worker`).
"""

from collections.abc import Callable

from msgspec.structs import replace

from holdfast.capture.text.clean import Cleaner
from holdfast.errors import HoldfastError
from holdfast.machine import failures
from holdfast.model.kinds import COMPLETED, PERSON_ROLES, SPEAKING_AGENTS
from holdfast.model.limits import DAY_MS
from holdfast.model.requests import Draft
from holdfast.model.session import ExtractedNote, Session, Turn
from holdfast.ports import Clock, Extractor, Store
from holdfast.service.service import Service
from holdfast.stores.retry import again

SOURCE = "extractor"
STEP = "extract"
"""What a trace says was tried."""

LOOKED_AT = 50
DUE_MS = 6 * DAY_MS
"""Sessions that are looked at, and how old the latest word of one may be: shorter than a mark is remembered."""

_MARK = "extracted"


class Extracting:
    """Lets an extractor read the sessions of a project that are over."""

    def __init__(
        self, service: Service, store: Store, extractor: Extractor, cleaner: Cleaner, clock: Clock
    ) -> None:
        self._service = service
        self._store = store
        self._extractor = extractor
        self._cleaner = cleaner
        self._clock = clock

    def work_off(self, calls: int, root: str, go_on: Callable[[], bool] = lambda: True) -> int:
        """Read what is due, with so many calls at most; return how many memories came of it.

        A call that fails leaves a trace and ends the work: the session stays due.
        """
        created_count = 0
        for session in self._due()[:calls]:
            if not go_on():
                break
            try:
                created_count += self._read_session(session)
            except HoldfastError as error:
                failures.leave(STEP, root, error)
                break
        return created_count

    def _due(self) -> list[Session]:
        """Return the sessions that nobody has read yet, the newest first."""
        since = self._clock.now() - DUE_MS
        recent = self._store.sessions.newest(None, LOOKED_AT)
        over = [
            session for session in recent if session.status == COMPLETED and (session.last_turn_at or 0) >= since
        ]
        read_marks = {mark for mark, _, _ in self._store.spooled.noted()}
        return [
            session
            for session in over
            if _mark(session) not in read_marks and not (session.parent and not session.forked_at)
        ]

    def _read_session(self, session: Session) -> int:
        talk = self._talk(session)
        notes = self._extractor.notes(talk) if any(_by_person(turn) for turn in talk) else ()
        drafts = [self._draft(note) for note in notes]
        results = self._service.add_from(session.id, drafts) if drafts else []
        self._note_read(session)
        return sum(result.created for result in results)

    def _talk(self, session: Session) -> list[Turn]:
        """Return what people and agents said to each other, cleaned with today's rules; no tool's output."""
        turns = [turn for turn in self._store.turns.of(session.id) if turn.tool is None]
        spoken_turns = [turn for turn in turns if turn.role.lower() in PERSON_ROLES | SPEAKING_AGENTS]
        return [replace(turn, text=self._cleaner.text(turn.text)) for turn in spoken_turns]

    def _draft(self, note: ExtractedNote) -> Draft:
        return Draft(content=note.content, kind=note.kind, quote=note.quote, source=SOURCE)

    @again
    def _note_read(self, session: Session) -> None:
        with self._store.writing():
            self._store.spooled.claim(_mark(session), 0, self._clock.now())


def _by_person(turn: Turn) -> bool:
    return turn.role.lower() in PERSON_ROLES


def _mark(session: Session) -> str:
    """Return under what it is noted that a session was read as far as it goes: one that goes on is read anew."""
    return f"{_MARK}-{session.id}-{session.turns}"
