"""The contracts between the core and what can be swapped under it, on one page.

A store is a set of facets (memories, sessions, turns, conflicts, …) over one place. Reads may happen at any time;
every write happens inside `with store.writing():`, which is one atomic, durable transaction. Stores keep and
rank; they never embed, fuse, weigh, judge or format.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from holdfast.model.conflict import Conflict
from holdfast.model.memory import Memory
from holdfast.model.records import Access, Counts, Event, StoreState
from holdfast.model.search import Filters, Matches, Term
from holdfast.model.session import Session, Turn


class Clock(Protocol):
    """The time."""

    def now(self) -> int:
        """Return epoch milliseconds, UTC."""


class Memories(Protocol):
    """What is remembered."""

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """Return the memories with these full ids, in the order asked; unknown ids are left out."""

    def ending(self, tail: str) -> list[str]:
        """Return the full ids whose hex digits end in this tail of at least eight."""

    def saying(self, project: str, fingerprints: Sequence[str]) -> dict[str, Memory]:
        """Return the unsuperseded memories with these fingerprints, by fingerprint."""

    def once_saying(self, project: str, fingerprints: Sequence[str]) -> dict[str, Memory]:
        """Return the superseded memories with these fingerprints, by fingerprint; of several the latest."""

    def walk(self, after: str | None, limit: int) -> list[Memory]:
        """Return every memory, history included, in order of arrival, from after this id on."""

    def newest(self, filters: Filters, limit: int) -> list[Memory]:
        """Return memories, newest first."""

    def around(self, anchor: Memory, window: int, filters: Filters) -> list[Memory]:
        """Return the anchor with up to `window` memories before and after it, oldest first."""

    def history(self, memory_id: str) -> list[Memory]:
        """Return the memory with all it superseded and all that superseded it, oldest first."""

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        """Return the best candidates that hold any of the terms, reading no more postings than this."""

    def insert(self, memories: Sequence[Memory]) -> None:
        """Add new memories."""

    def replace(self, memory: Memory) -> None:
        """Overwrite a memory with the same id."""

    def count_read(self, ids: Sequence[str], at: int) -> None:
        """Count one read of each, and note when."""

    def delete(self, ids: Sequence[str]) -> None:
        """Remove memories with their index entries and conflicts, and let go of who they superseded."""


class Sessions(Protocol):
    """Runs of agents."""

    def get(self, session_id: str) -> Session | None:
        """Return a session by its full id."""

    def ending(self, tail: str) -> list[str]:
        """Return the full ids whose hex digits end in this tail of at least eight."""

    def with_ref(self, project: str, ref: str) -> Session | None:
        """Return the session that the caller knows by this ref."""

    def newest(self, project: str | None, limit: int) -> list[Session]:
        """Return sessions, newest first."""

    def insert(self, session: Session) -> None:
        """Add a session."""

    def replace(self, session: Session) -> None:
        """Overwrite a session with the same id; its turn count and last turn are kept by the store."""


class Turns(Protocol):
    """Messages of sessions, verbatim."""

    def get(self, ids: Sequence[str]) -> list[Turn]:
        """Return the turns with these ids, in the order asked; unknown ids are left out."""

    def walk(self, after: str | None, limit: int) -> list[Turn]:
        """Return every turn in order of arrival, from after this id on."""

    def of(self, session_id: str) -> list[Turn]:
        """Return a session's turns in the order they were recorded."""

    def with_ref(self, session_id: str, ref: str) -> Turn | None:
        """Return the turn that the caller knows by this ref."""

    def containing(self, project: str, text: str) -> list[Turn]:
        """Return the project's turns that hold this text literally."""

    def match(self, terms: Sequence[Term], filters: Filters, limit: int) -> Matches:
        """Return the best candidates; of the filters, projects, session, file, since, until, contains apply."""

    def insert(self, turns: Sequence[Turn]) -> None:
        """Append turns, and count them on their sessions."""

    def replace(self, turn: Turn) -> None:
        """Overwrite a turn with the same id."""


class Conflicts(Protocol):
    """Pairs of memories that disagree."""

    def get(self, conflict_id: str) -> Conflict | None:
        """Return a conflict by its full id."""

    def ending(self, tail: str) -> list[str]:
        """Return the full ids whose hex digits end in this tail of at least eight."""

    def unresolved(self, now: int, ids: Sequence[str] = ()) -> list[Conflict]:
        """Return conflicts nobody settled, between memories that both hold, newest first; with ids only those
        that touch one of these memories."""

    def record(self, conflicts: Sequence[Conflict]) -> None:
        """Note conflicts; a pair that was noted before stays as it is."""

    def settle(self, conflict: Conflict) -> None:
        """Note what was decided about a conflict with the same id."""


class Tombstones(Protocol):
    """Fingerprints of what was forgotten, keyed so that they reveal nothing."""

    def add(self, fingerprints: Sequence[str]) -> None:
        """Remember that these were forgotten."""

    def standing(self, fingerprints: Sequence[str]) -> set[str]:
        """Return those of the fingerprints that were forgotten."""

    def remove(self, fingerprints: Sequence[str]) -> None:
        """Let these be remembered again."""


class AuditLog(Protocol):
    """Who did what, in a chain of hashes."""

    def record(self, event: Event) -> None:
        """Append an event; called before the change it announces, in the same transaction."""

    def events(self, limit: int) -> list[Event]:
        """Return events, newest first."""

    def broken_at(self) -> int | None:
        """Verify the chain; return the number of the first event that does not fit, or None."""


class AccessLog(Protocol):
    """Who looked at what: for analytics and receipts, never for ranking."""

    def record(self, accesses: Sequence[Access]) -> None:
        """Append accesses and let the oldest go beyond the limit."""

    def forget(self, ids: Sequence[str]) -> None:
        """Remove every access to these memories, and the queries that led to them."""

    def reword(self, queries: Mapping[str, str | None]) -> None:
        """Put other words in place of these queries."""

    def recent(self, limit: int) -> list[Access]:
        """Return accesses, newest first."""


class Store(Protocol):
    """One place that keeps everything."""

    @property
    def memories(self) -> Memories: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def turns(self) -> Turns: ...
    @property
    def conflicts(self) -> Conflicts: ...
    @property
    def tombstones(self) -> Tombstones: ...
    @property
    def audit(self) -> AuditLog: ...
    @property
    def accesses(self) -> AccessLog: ...

    def writing(self) -> AbstractContextManager[None]:
        """Open one transaction: all of it is kept, or, when an exception leaves it, none."""

    def reading(self) -> AbstractContextManager[None]:
        """Hold one consistent view over several reads."""

    def scrub(self) -> bool:
        """Drive deleted bytes out of the files; return whether some still wait for another reader."""

    def counts(self, now: int) -> Counts:
        """Count what is there."""

    def state(self) -> StoreState:
        """Say where the store lives and how it is doing."""

    def close(self) -> None:
        """Let go of everything; closing twice is fine."""
