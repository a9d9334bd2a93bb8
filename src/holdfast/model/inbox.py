"""What waits for a person, in one list: conflicts, proposals, candidates; and what was said about one of them.

A proposal is a wish of an agent that only a person can grant: it is kept until somebody says yes or no.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from holdfast.model.memory import Json

UPDATE, FORGET, PIN, UNPIN, CONFIRM, SUPERSEDE, REINSTATE, RESOLVE, GUARD = VERBS = (
    "update", "forget", "pin", "unpin", "confirm", "supersede", "reinstate", "resolve", "guard",
)  # fmt: skip
"""What can be proposed: every verb that changes an entry that is there."""

CONFLICT, PROPOSAL, CANDIDATE = SORTS = ("conflict", "proposal", "candidate")
"""What can wait, what matters most first: a conflict tells agents two things at once, a proposal is about what a
person said, a candidate is used with its mark meanwhile."""

ACCEPT, EDIT, DROP, KEEP = "accept", "edit", "drop", "keep"
"""What a person can say about something that waits."""

ACCEPTED, EDITED, DROPPED, KEPT, UNDONE = OUTCOMES = ("accepted", "edited", "dropped", "kept", "undone")
"""What came of it."""

NEWER, OLDER = "newer", "older"
"""Names for the sides of a conflict, beside their ids and `both`."""


class Proposal(Struct, frozen=True, kw_only=True):
    """What an agent asked for, of which entry, and why it was not simply done."""

    id: str
    verb: str
    memory: str
    """The memory that it would change."""
    other: str | None = None
    """The second memory that it is about: what would take the place of the first, or is kept against it."""
    arguments: Json = field(default_factory=dict)
    """What the verb takes besides, clean as everything that is kept."""
    actor: str
    agent: str | None = None
    at: int
    why: str
    """Why it waits for a person."""
    settled_at: int | None = None
    outcome: str | None = None
    """What a person said; None while it waits."""
    seen: Mapping[str, str] = field(default_factory=dict)
    """A digest of how each memory looked that it is about, by id: what a person says yes to."""

    @property
    def waits(self) -> bool:
        """Whether nobody has decided yet."""
        return self.outcome is None

    def asks_the_same(self, other: "Proposal") -> bool:
        """Say whether another asks for just this, whoever asks and whenever."""
        own_request, other_request = (
            (proposal.verb, proposal.memory, proposal.other, dict(proposal.arguments))
            for proposal in (self, other)
        )
        return own_request == other_request


class Quotation(Struct, frozen=True, kw_only=True):
    """Words of a turn that an entry was read from."""

    text: str
    role: str
    at: int
    session: str
    session_short: str
    agent: str
    turn: str


class Side(Struct, frozen=True, kw_only=True):
    """A memory that something is about, as a person has to see it to decide."""

    id: str
    short: str
    kind: str
    title: str
    content: str
    status: str
    trust: str
    source: str
    user: str
    agent: str | None
    session: str | None
    said_at: int
    importance: float
    newer: bool = False
    """Of the two sides of a conflict, the one that was said later."""
    quotations: tuple[Quotation, ...] = ()
    """What it was read from; empty where no recorded turn says it."""


class InboxItem(Struct, frozen=True, kw_only=True):
    """One thing that waits."""

    id: str
    short: str
    sort: str
    at: int
    """Since when it waits."""
    why: str
    """Why it waits for a person."""
    sides: tuple[Side, ...]
    """What it is about: one memory, or the two of a conflict, the older first."""
    choices: tuple[str, ...]
    by: str | None = None
    """Who asks, of a proposal."""
    verb: str | None = None
    """What a proposal asks for."""
    arguments: Json = field(default_factory=dict)
    """What it takes besides."""


class Waits(Struct, frozen=True, kw_only=True):
    """How many things wait for a person, by sort."""

    conflicts: int = 0
    proposals: int = 0
    candidates: int = 0
    imported: int = 0
    """Unconfirmed memories from files, history and imports: they ask for nobody's time and are no part of the
    total."""

    @property
    def total(self) -> int:
        """Everything that asks for a person."""
        return self.conflicts + self.proposals + self.candidates


class Inbox(Struct, frozen=True, kw_only=True):
    """What waits, what matters first; `total` may be more than what is listed."""

    items: tuple[InboxItem, ...]
    total: int
    imported: int = 0
    """Unconfirmed memories from files, history and imports that were left out."""


class Settlement(Struct, frozen=True, kw_only=True):
    """What a person said about something that waited."""

    id: str
    short: str
    sort: str
    outcome: str
    memory: str
    """The memory that it was about; of a conflict, the one that was kept, or the newer."""
    title: str
    kept: str | None = None
    """Of a conflict, the id of the memory that was kept, or `both`."""
    undoable: bool = True
    verb: str | None = None
    proposal: Proposal | None = None
