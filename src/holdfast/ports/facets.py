"""The facets of a store: what it holds, and what it keeps about its own use.

Reads may happen at any time; every write happens inside `with store.writing():`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from holdfast.model.brief import Latency, Receipt
from holdfast.model.finding import Finding
from holdfast.model.inbox import Proposal
from holdfast.model.memory import Conflict, Memory
from holdfast.model.records import Access, Event, IndexHealth, Sealed, Totals
from holdfast.model.search import Filters, Matches, Term, TurnPlace
from holdfast.model.session import Session, Turn
from holdfast.model.thread import Thread
from holdfast.model.vectors import Failure, Near, Unembedded, VectorModel

if TYPE_CHECKING:
    from holdfast.model.vectors import Floats, Vector


class Named(Protocol):
    """Things that people name by the end of their ids."""

    def ending(self, tail: str) -> list[str]:
        """Return the full ids whose hex digits end in this tail of at least eight."""


class Memories(Named, Protocol):
    """What is remembered."""

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """Return the memories with these full ids, in the order asked; unknown ids are left out."""

    def saying(self, project: str, fingerprints: Sequence[str]) -> dict[str, Memory]:
        """Return the unsuperseded memories with these fingerprints, by fingerprint."""

    def ever_saying(self, project: str, fingerprints: Sequence[str]) -> list[Memory]:
        """Return memories of a project by fingerprint, superseded ones included: in the order in which they
        stopped holding, then those that were not superseded."""

    def akin(self, project: str, texts: Sequence[str], now: int, limit: int) -> list[list[Memory]]:
        """Return for each text the memories that hold and share most of its topic (`stores/topics.py`).

        Best first, and bounded for a write: of a word that stands in many memories the newest count.
        """

    def walk(self, after: str | None, limit: int) -> list[Memory]:
        """Return every memory, history included, in order of arrival, from after this id on."""

    def quarantined(self, before: int, limit: int) -> list[Memory]:
        """Return candidates promoted by themselves up to this time and not judged since, oldest first."""

    def newest(self, filters: Filters, limit: int) -> list[Memory]:
        """Return memories, newest first."""

    def fading(self, now: int, limit: int) -> list[Memory]:
        """Return the memories that hold and will fade, the soonest first."""

    def before(self, anchor: Memory, limit: int, filters: Filters) -> list[Memory]:
        """Return the memories just before one in time, newest first."""

    def around(self, anchor: Memory, window: int, filters: Filters) -> list[Memory]:
        """Return the anchor with up to `window` memories before and after it, oldest first."""

    def history(self, memory_id: str) -> list[Memory]:
        """Return the memory with all it superseded and all that superseded it, oldest first."""

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        """Return the best candidates that hold any of the terms, reading no more postings than this."""

    def words(self, lead: str) -> dict[str, int]:
        """Return the index forms that begin so, and in how many memories each stands."""

    def insert(self, memories: Sequence[Memory]) -> None:
        """Add new memories."""

    def replace(self, memory: Memory) -> None:
        """Overwrite a memory with the same id; where it came from (project, user, session, times) stays."""

    def count_read(self, ids: Sequence[str], at: int) -> None:
        """Count one read of each, and note when; the third keeps a memory from fading."""

    def delete(self, ids: Sequence[str]) -> None:
        """Remove memories with their index entries and conflicts, and let go of who they superseded.

        Their bytes leave the files with the next scrub.
        """

    def evict(self, ids: Sequence[str]) -> None:
        """Remove memories in the same way to make room: nobody asked for their bytes to be gone at once."""


class Sessions(Named, Protocol):
    """Runs of agents."""

    def get(self, session_id: str) -> Session | None:
        """Return a session by its full id."""

    def peek(self, session_id: str) -> Session | None:
        """Return a session by its full id to look at: another writer need not wait until this one is done."""

    def with_ref(self, project: str, ref: str) -> Session | None:
        """Return the session that the caller knows by this ref."""

    def newest(self, project: str | None, limit: int) -> list[Session]:
        """Return sessions, newest first."""

    def page(self, filters: Filters, before: Session | None, limit: int) -> list[Session]:
        """Return the sessions that began just before one, or the latest, newest first; of the filters, those apply
        that a session can pass: agents, since, until."""

    def children(self, session_id: str, limit: int) -> list[Session]:
        """Return the sessions that one was forked into, or that worked for it, oldest first."""

    def walk(self, after: str | None, limit: int) -> list[Session]:
        """Return every session in order of arrival, from after this id on."""

    def silent(self, since: int, limit: int) -> list[Session]:
        """Return active sessions of which nothing was heard after this time, the longest silent first."""

    def match(self, terms: Sequence[Term], filters: Filters, limit: int) -> Matches:
        """Return the sessions whose turns, taken together, hold any of the terms most.

        A session counts when one of its turns passes the filters. What an agent said counts a tenth, in the
        frequencies and in the length, which is in characters; the day it was said counts once.
        """

    def insert(self, session: Session) -> None:
        """Add a session."""

    def replace(self, session: Session) -> None:
        """Overwrite a session with the same id; its turn count and last turn are kept by the store."""


class Turns(Named, Protocol):
    """Messages of sessions, verbatim."""

    def get(self, ids: Sequence[str]) -> list[Turn]:
        """Return the turns with these ids, in the order asked; unknown ids are left out."""

    def walk(self, after: str | None, limit: int) -> list[Turn]:
        """Return every turn in order of arrival, from after this id on."""

    def of(self, session_id: str) -> list[Turn]:
        """Return a session's turns in the order they were recorded."""

    def following(self, session_id: str, after: str | None, limit: int) -> list[Turn]:
        """Return a session's turns recorded after this one, of whatever session, or from the first."""

    def leading(self, session_id: str, upto: str, limit: int) -> list[Turn]:
        """Return a session's last turns up to this one, of whatever session, in the order they were recorded."""

    def with_ref(self, session_id: str, ref: str) -> Turn | None:
        """Return the turn that the caller knows by this ref."""

    def containing(self, text: str) -> list[Turn]:
        """Return the turns that hold this text literally, of whatever project."""

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        """Return the best candidates; of the filters, those apply that a turn can pass: projects, session, file,
        since, until, contains, said, tools."""

    def words(self, lead: str) -> dict[str, int]:
        """Return the index forms that begin so, and in how many turns each stands."""

    def places(self, ids: Sequence[str]) -> list[TurnPlace]:
        """Say where turns stand, in the order asked; unknown ids are left out."""

    def around(self, ids: Sequence[str], before: int, after: int) -> list[Turn]:
        """Return turns with so many of their session before and after each, once each, session by session in
        the order they were recorded."""

    def last(self, sessions: Sequence[str], limit: int) -> list[str]:
        """Return the ids of the newest turns of each session, at most so many of each."""

    def insert(self, turns: Sequence[Turn]) -> None:
        """Append turns, and count them on their sessions."""

    def replace(self, turn: Turn) -> None:
        """Overwrite a turn with the same id."""

    def delete(self, ids: Sequence[str]) -> None:
        """Remove turns, and what was found in them and became no memory; what their session counted stays."""


class Findings(Named, Protocol):
    """What was read from turns, with its evidence and the memory it became: the edges of derivation."""

    def get(self, ids: Sequence[str]) -> list[Finding]:
        """Return the findings with these ids, in the order asked; unknown ids are left out."""

    def of(self, session_id: str, after: str | None, limit: int) -> list[Finding]:
        """Return a session's findings in the order they were made, from after this one on."""

    def latest(self, session_id: str, limit: int) -> list[Finding]:
        """Return the last findings of a session, in the order they were made."""

    def from_turns(self, ids: Sequence[str]) -> list[Finding]:
        """Return the findings that have one of these turns as evidence."""

    def behind(self, memory_ids: Sequence[str]) -> list[Finding]:
        """Return the findings that became one of these memories."""

    def saying(self, fingerprints: Sequence[str]) -> list[Finding]:
        """Return the findings with one of these fingerprints."""

    def unpromoted(self, since: int, limit: int) -> list[Finding]:
        """Return what was said at or after this time and is no memory yet, newest first."""

    def put(self, findings: Sequence[Finding]) -> None:
        """Add findings; one with a known id takes the other's place."""

    def delete(self, ids: Sequence[str]) -> None:
        """Remove findings with their evidence."""


class Threads(Named, Protocol):
    """Stretches of talk on one subject: made of turns and findings, and made anew from them."""

    def get(self, ids: Sequence[str]) -> list[Thread]:
        """Return the threads with these ids, in the order asked; unknown ids are left out."""

    def of(self, session_id: str) -> list[Thread]:
        """Return a session's threads in the order of their turns."""

    def newest(self, limit: int) -> list[Thread]:
        """Return the latest threads, newest first."""

    def of_turns(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Return the thread that each of these turns stands in; turns of sessions without threads are left out."""

    def of_memories(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Return the thread that each of these memories is a statement of; others are left out."""

    def put(self, threads: Sequence[Thread]) -> None:
        """Add threads; one with a known id takes the other's place. A memory stays where it was first."""

    def delete(self, ids: Sequence[str]) -> None:
        """Remove threads; turns and memories stay."""


class Conflicts(Named, Protocol):
    """Pairs of memories that disagree."""

    def get(self, conflict_id: str) -> Conflict | None:
        """Return a conflict by its full id."""

    def walk(self, after: str | None, limit: int) -> list[Conflict]:
        """Return every conflict, settled ones included, in order of arrival, from after this id on."""

    def unresolved(self, now: int, ids: Sequence[str] = ()) -> list[Conflict]:
        """Return conflicts nobody settled, between memories that both hold, newest first; with ids only those
        that touch one of these memories."""

    def about(self, memory_id: str) -> list[Conflict]:
        """Return the conflicts that a memory is a side of, settled ones included, newest first."""

    def record(self, conflicts: Sequence[Conflict]) -> None:
        """Note conflicts; a pair that was noted before stays as it is."""

    def settle(self, conflict: Conflict) -> None:
        """Note what was decided about a conflict with the same id."""


class Proposals(Named, Protocol):
    """What agents asked for and only a person can grant. They go with the memories that they are about."""

    def get(self, proposal_id: str) -> Proposal | None:
        """Return a proposal by its full id."""

    def walk(self, after: str | None, limit: int) -> list[Proposal]:
        """Return every proposal, settled ones included, in order of arrival, from after this id on."""

    def waiting(self) -> list[Proposal]:
        """Return what nobody has decided yet, in order of arrival."""

    def about(self, memory_id: str) -> list[Proposal]:
        """Return the proposals that name a memory, settled ones included, in order of arrival."""

    def put(self, proposals: Sequence[Proposal]) -> None:
        """Add proposals; one with a known id takes the other's place."""


class Spooled(Protocol):
    """Which entries of hooks' spools were taken in."""

    def claim(self, spool: str, sequence: int, at: int) -> bool:
        """Note an entry; return whether it was not noted before."""

    def noted(self) -> list[tuple[str, int, int]]:
        """Return every entry that is noted, with its spool, its sequence and when that was."""

    def release(self, before: int, present: Sequence[str]) -> None:
        """Forget what was noted before a time, except about spools that are still present."""


class Vectors(Protocol):
    """Vectors of memories and turns, by target; each row has one for every chunk of its text."""

    def model(self) -> VectorModel | None:
        """Return the model whose vectors are kept; None before the first."""

    def switch(self, model: VectorModel) -> None:
        """Drop every vector and let every row wait for one of this model.

        Before the first model everything waits already, and the marks of what waits stay as they are.
        """

    def failure(self) -> Failure | None:
        """Return why vectors could not be made; None when they could."""

    def note_failure(self, failure: Failure | None) -> None:
        """Remember a failure for whoever asks later, or that it is over.

        A server may repeat texts in what it says, so forgetting anything drops it.
        """

    def unembedded(self, target: str, limit: int) -> list[Unembedded]:
        """Return rows that wait for vectors, newest first."""

    def waiting(self) -> dict[str, int]:
        """Count the rows that wait for vectors, by target."""

    def put(
        self, target: str, model: VectorModel, vectors: "Mapping[str, Floats]", marks: Mapping[str, int] | None
    ) -> int:
        """Keep the vectors of rows, one array of unit rows an id; return how many rows took theirs.

        Nothing is kept for a row that is gone or whose mark is no longer the one given, nor when the store went
        over to another model. Without marks the rows are new in this transaction.
        """

    def nearest(self, target: str, query: "Vector", filters: Filters, limit: int) -> list[Near]:
        """Return the rows that pass the filters and are nearest to a unit vector, best first."""

    def kept(self, target: str, ids: Sequence[str]) -> "dict[str, Floats]":
        """Return the vectors of named rows, one array of unit rows an id; those that wait are left out."""

    def cosines(self, target: str, query: "Vector", ids: Sequence[str]) -> dict[str, float]:
        """Return the cosines of named rows; those that wait for vectors are left out."""

    def settle(self, behind: int = 0) -> None:
        """Bring what is derived from the vectors up to date where more rows changed, for the next process."""


class Tombstones(Protocol):
    """Fingerprints of what was forgotten, keyed so that they reveal nothing."""

    def add(self, fingerprints: Sequence[str]) -> None:
        """Remember that these were forgotten."""

    def standing(self, fingerprints: Sequence[str]) -> set[str]:
        """Return those of the fingerprints that were forgotten."""

    def count(self) -> int:
        """Return how many there are."""

    def sealed(self) -> Sealed:
        """Return the key, and the keyed fingerprints that stand: all that another store needs to know the same."""

    def adopt(self, sealed: Sealed) -> None:
        """Take over another store's key and what stands under it; for a store that forgot nothing itself."""

    def remove(self, fingerprints: Sequence[str]) -> None:
        """Let these be remembered again."""


class AuditLog(Protocol):
    """Who did what, in a chain of hashes."""

    def record(self, event: Event) -> None:
        """Append an event; called before the change it announces, in the same transaction."""

    def events(self, limit: int) -> list[Event]:
        """Return events, newest first."""

    def after(self, number: int, limit: int) -> list[tuple[int, Event]]:
        """Return events above this number, oldest first, numbered: one that is seen later has a higher number."""

    def span(self) -> tuple[int, int]:
        """Return the first and the last number that is kept; when none is, 1 and 0, or what follows the last."""

    def broken_at(self) -> int | None:
        """Verify the chain; return the number of the first event that does not fit, or None."""


class AccessLog(Protocol):
    """Who looked at what: for analytics and receipts, never for ranking."""

    def record(self, accesses: Sequence[Access]) -> None:
        """Append accesses and let the oldest go beyond the limit."""

    def forget(self, ids: Sequence[str]) -> None:
        """Remove every access to these memories, and the text of all queries: any may hold their words."""

    def reword(self, queries: Mapping[str, str | None]) -> None:
        """Put other words in place of these queries."""

    def recent(self, limit: int) -> list[Access]:
        """Return accesses, newest first."""


class Aliases(Protocol):
    """Words that a project uses for each other."""

    def all(self) -> dict[str, tuple[str, ...]]:
        """Return every word with what else it is called, both in order of the alphabet."""

    def add(self, word: str, meaning: str) -> bool:
        """Let a word also be called so; return whether that is new."""

    def remove(self, word: str, meaning: str | None) -> int:
        """Let go of one meaning of a word, or of all; return how many there were."""


class Receipts(Protocol):
    """What went into briefs, how long they took, and of the latest also what they said."""

    def record(self, receipt: Receipt, text: str | None = None) -> None:
        """Append a receipt with the brief's text; let the oldest go beyond the limit, and texts beyond theirs."""

    def of(self, sessions: Sequence[str], limit: int) -> list[Receipt]:
        """Return the receipts of sessions, newest first."""

    def naming(self, entry_id: str, limit: int) -> list[Receipt]:
        """Return the receipts that name an entry, newest first."""

    def get(self, receipt_id: str) -> Receipt | None:
        """Return a receipt by its full id."""

    def texts(self, ids: Sequence[str] | None = None) -> dict[str, str]:
        """Return what briefs said by their ids, as far as it is kept, newest first; None: of all of them."""

    def unkept(self, ids: Sequence[str]) -> set[str]:
        """Return those of the briefs whose text is not kept any more, or never was; one that was taken away is."""

    def reword(self, texts: Mapping[str, str]) -> None:
        """Put other words in place of what briefs said; none: what they said is forgotten."""

    def recent(self, limit: int) -> list[Receipt]:
        """Return receipts, newest first; each item says when it was first fetched afterwards."""

    def latencies(self, limit: int) -> list[Latency]:
        """Return how long the latest briefs took, newest first."""


class Upkeep(Protocol):
    """What a store knows and does for its own upkeep. Whether something goes is not decided here."""

    def fact(self, name: str) -> int | str | None:
        """Return what upkeep noted under a name."""

    def note(self, name: str, value: int | str) -> None:
        """Note something for the next time."""

    def totals(self) -> Totals:
        """Return what was done since the store was made."""

    def resume(self, totals: Totals) -> None:
        """Go on from what was done in another store, whose contents were taken over."""

    def health(self) -> IndexHealth:
        """Say whether every row is indexed, and how much of the file is in use."""

    def growth(self, step: int) -> dict[int, int]:
        """Count memories, history included, by when they were made: in how manieth step since the epoch."""

    def fading(self, after: int, until: int) -> int:
        """Count the memories that hold and will have faded by then."""

    def used(self) -> int:
        """Return the bytes of the pages in use."""

    def memories(self) -> int:
        """Count memories, history included."""

    def accesses(self) -> int:
        """Count logged accesses."""

    def refaded(self) -> bool:
        """Say whether every memory fades when the store's rules of today say so."""

    def refade(self, after: int, limit: int) -> int | None:
        """Let the next memories fade by the rules of today; return the last one's number, None when all do."""

    def every(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Return memories, history included, by number, from after one on."""

    def over(self, at: int, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Return memories that expired or faded by then and are not superseded, by number, from after one on."""

    def promoted(self) -> int:
        """Count the memories that were promoted by themselves, said by nobody else, and not superseded."""

    def promoted_after(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Return these memories by number, from after one on."""

    def unmerged(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Return unsuperseded memories that agents or tools said, by number, from after one on."""

    def least_read(self, passed: int, limit: int) -> list[Memory]:
        """Return memories by when they were last read, then made, without the first ones."""

    def spare_turns(self, ended_before: int | None, limit: int) -> list[tuple[str, int]]:
        """Return turns that prove no memory there is, with their bytes: of ended sessions, first ended first."""

    def drop_accesses(self, limit: int) -> None:
        """Let the oldest accesses go."""

    def untidy(self) -> bool:
        """Say whether there is room to give back."""

    def compact(self, pages: int) -> bool:
        """Put a slice of the indexes together or give back so many free pages; return whether there is more.

        Called outside a transaction: each part is one of its own.
        """
