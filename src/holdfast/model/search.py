"""A question to the store, what a store answers with, and the hit a caller sees."""

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from holdfast.model.kinds import KNOWN


class Filters(Struct, frozen=True, kw_only=True):
    """What a memory must be to count. Empty means no restriction."""

    kinds: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Every one of these tags."""
    file: str | None = None
    """This path, a path that ends in it, or anything under it when it is a directory."""
    since: int | None = None
    until: int | None = None
    statuses: tuple[str, ...] = ()
    trusts: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    min_importance: float | None = None
    contains: str | None = None
    """A literal text in title or content, in any case."""
    sources: tuple[str, ...] = ()
    session: str | None = None
    said: bool = False
    """Only turns of people and agents: no results of tools, nothing of the system."""
    tools: bool = False
    """Only turns that `said` leaves out."""
    current_at: int | None = None
    """Only what was shown at this moment: not superseded, expired or faded. None: everything, history included."""

    @property
    def spoken(self) -> bool | None:
        """Whether turns that count were said; None where tools' count as well."""
        return None if self.said == self.tools else self.said

    @property
    def by_anybody(self) -> "Filters":
        """The same, whoever spoke."""
        return replace(self, said=False, tools=False)

    @property
    def restrict(self) -> bool:
        """Whether they leave out anything that holds."""
        return self != Filters(current_at=self.current_at)


class Query(Struct, frozen=True, kw_only=True):
    """A search as a caller asks it."""

    text: str
    limit: int = 10
    mode: str = "hybrid"
    within: str = KNOWN
    scope: str | None = None
    """`project` or `user`: only there. None: in both. `everywhere`: in all projects of this user, too."""
    filters: Filters = field(default_factory=Filters)


class Term(Struct, frozen=True):
    """A word of the query, and the form it has in the index."""

    word: str
    stem: str


class Candidate(Struct, frozen=True):
    """A document that holds at least one term: how often each stands in it, weighted by column."""

    id: str
    frequencies: tuple[float, ...]
    length: int


class TurnPlace(Struct, frozen=True):
    """Where a turn stands: its session, who spoke, when, and the ids of the turns just before and after it."""

    id: str
    session: str
    role: str
    at: int
    before: str | None
    after: str | None
    said: bool = True
    """Whether somebody said it; else a tool printed it."""


class Matches(Struct, frozen=True, kw_only=True):
    """What one store knows of a query: its best candidates and the counts that make scores comparable."""

    documents: int
    tokens: int
    document_frequencies: tuple[int, ...]
    searched: tuple[bool, ...]
    """Which terms were looked for: the most frequent are left out when there is too much to read."""
    candidates: tuple[Candidate, ...]


class Hit(Struct, frozen=True, kw_only=True):
    """One search result: enough to decide whether to read the rest."""

    id: str
    ref: str | None
    session: str | None
    title: str
    kind: str
    score: float
    created_at: int
    source: str
    trust: str
    status: str | None
    """A memory's or a session's; a turn has none."""
    why: Mapping[str, float]
    """The parts of its score."""
    snippet: str = ""
    """The words around those of the question, which stand between `**` and `**`."""
    file: str | None = None
    """The file it is about, of several the first."""
    thread: str | None = None
    """What the talk is about that it is from."""
    place: str | None = None
    """Where the project lies that it is from, when all projects were asked."""
