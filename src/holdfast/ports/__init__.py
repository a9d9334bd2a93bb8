"""The contracts between the core and what can be swapped under it.

A store is a set of `facets` (memories, sessions, turns, …) over one place. Reads may happen at any time;
every write happens inside `with store.writing():`, which is one atomic, durable transaction. Stores keep and
rank; they never embed, fuse, weigh, judge or format. Models that make
vectors, rerank or extract can be given to the core: a user may write one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from holdfast.model.records import Counts, StoreState
from holdfast.model.session import ExtractedNote, Turn
from holdfast.ports.facets import AccessLog as AccessLog
from holdfast.ports.facets import Aliases as Aliases
from holdfast.ports.facets import AuditLog as AuditLog
from holdfast.ports.facets import Conflicts as Conflicts
from holdfast.ports.facets import Findings as Findings
from holdfast.ports.facets import Memories as Memories
from holdfast.ports.facets import Proposals as Proposals
from holdfast.ports.facets import Receipts as Receipts
from holdfast.ports.facets import Sessions as Sessions
from holdfast.ports.facets import Spooled as Spooled
from holdfast.ports.facets import Threads as Threads
from holdfast.ports.facets import Tombstones as Tombstones
from holdfast.ports.facets import Turns as Turns
from holdfast.ports.facets import Upkeep as Upkeep
from holdfast.ports.facets import Vectors as Vectors

if TYPE_CHECKING:
    from holdfast.model.vectors import Floats as Floats
    from holdfast.model.vectors import Vector as Vector

Progress = Callable[[int], None]
"""Told how many more are done."""


class Clock(Protocol):
    """The time."""

    def now(self) -> int:
        """Return epoch milliseconds, UTC."""


class Rows(Protocol):
    """The tables of another program's database."""

    def __call__(self, table: str, column: str = "", value: str = "") -> Iterator[Mapping[str, object]]:
        """Hand out the rows of a table, or those that have a value in a column; none where it is missing."""


class Store(Protocol):
    """One place that keeps everything."""

    @property
    def memories(self) -> Memories: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def turns(self) -> Turns: ...
    @property
    def threads(self) -> Threads: ...
    @property
    def findings(self) -> Findings: ...
    @property
    def conflicts(self) -> Conflicts: ...
    @property
    def proposals(self) -> Proposals: ...
    @property
    def spooled(self) -> Spooled: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def tombstones(self) -> Tombstones: ...
    @property
    def audit(self) -> AuditLog: ...
    @property
    def accesses(self) -> AccessLog: ...
    @property
    def aliases(self) -> Aliases: ...
    @property
    def receipts(self) -> Receipts: ...
    @property
    def upkeep(self) -> Upkeep: ...
    def writing(self, patience_ms: int | None = None) -> AbstractContextManager[None]:
        """Open one transaction: all of it is kept, or, when an exception leaves it, none.

        Waits for other writers as long as the store is set to, or at most as long as given.
        """

    def reading(self, limit_ms: int | None = None) -> AbstractContextManager[None]:
        """Hold one consistent view over several reads; past the limit every read in it raises `StoreSlow`.

        The limit is on the time this thread works; what it waits for others on a busy machine counts less.
        """

    def scrub(self) -> bool:
        """Drive deleted bytes out of the files; return whether some still wait for another reader."""

    def counts(self, now: int) -> Counts:
        """Count what is there."""

    def state(self) -> StoreState:
        """Say where the store lives and how it is doing."""

    def close(self) -> None:
        """Let go of everything; closing twice is fine."""


class Embedder(Protocol):
    """Text to vectors of length 1."""

    @property
    def model(self) -> str: ...
    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> "Floats":
        """Return one row for each text; raise `EmbeddingFailed` when that cannot be had."""

    def embed_query(self, text: str) -> "Vector":
        """Return the vector of a question."""


class Reranker(Protocol):
    """A second opinion on the best candidates."""

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Say of each text how well it answers the query, from 0 to 1."""


class Extractor(Protocol):
    """Somebody who reads a session and says what should be noted of it."""

    def notes(self, talk: Sequence[Turn]) -> Sequence[ExtractedNote]:
        """Return notes, each with the user's words it rests on; raise `ExtractorFailed` without an answer."""
