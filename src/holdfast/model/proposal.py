"""A wish of an agent that only a person can grant: kept until somebody says yes or no."""

from collections.abc import Mapping

from holdfast.model.value import Value, field

UPDATE, FORGET, PIN, UNPIN, CONFIRM, SUPERSEDE, REINSTATE, RESOLVE = VERBS = (
    "update", "forget", "pin", "unpin", "confirm", "supersede", "reinstate", "resolve",
)  # fmt: skip
"""What can be proposed: every verb that changes an entry that is there."""

ACCEPTED, DROPPED = OUTCOMES = ("accepted", "dropped")


class Proposal(Value, kw_only=True):
    """What an agent asked for, of which entry, and why it was not simply done."""

    id: str
    verb: str
    memory: str
    """The memory that it would change."""
    other: str | None = None
    """The second memory that it is about: what would take the place of the first, or is kept against it."""
    arguments: Mapping[str, object] = field(default_factory=dict)
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
