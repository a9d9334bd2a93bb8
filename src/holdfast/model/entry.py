"""A memory on its way in or out: what it says, and what it brings along from where it was kept."""

from collections.abc import Mapping

from holdfast.model.conflict import Conflict
from holdfast.model.memory import Added
from holdfast.model.proposal import Proposal
from holdfast.model.requests import Draft
from holdfast.model.value import Value, field

Tie = Conflict | Proposal
"""What goes out with a memory: what disagrees with it, and what waits for a person about it."""


class Carried(Value, kw_only=True):
    """What an entry brings along besides its words; None where it is to be as if it were said here and now."""

    id: str | None = None
    status: str | None = None
    trust: str | None = None
    sources: tuple[str, ...] = ()
    user: str | None = None
    agent: str | None = None
    session: str | None = None
    branch: str | None = None
    commit: str | None = None
    file_hashes: Mapping[str, str] | None = field(default_factory=dict)
    """What its files held when it was said; None: they are looked at now."""
    updated_at: int | None = None
    renewed_at: int | None = None
    accessed_at: int | None = None
    reads: int = 0
    valid_from: int | None = None
    valid_until: int | None = None
    superseded_by: str | None = None
    kind_confidence: float | None = None
    conflicts: tuple[Conflict, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    """What agents asked for about it, and waits."""


class Entry(Value, kw_only=True):
    """One thing that was read elsewhere."""

    draft: Draft
    carried: Carried = field(default_factory=Carried)
    where: str = ""
    """Where it stands in what was read, for errors: `notes.jsonl, line 3`."""


class Adopted(Value, kw_only=True):
    """What became of entries that were taken in, each in its place."""

    results: tuple[Added, ...]
    known: int = 0
    """Entries whose id is here already; they are left as they are here."""
    superseded: int = 0
    """Entries that were history and came in as such."""
