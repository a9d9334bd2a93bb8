"""Memories on their way in or out, with what they bring along from where they were kept; and what came of reading
something else: imports, history, files, transcripts.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from holdfast.model.inbox import Proposal
from holdfast.model.memory import Added, Conflict
from holdfast.model.requests import Draft

Tie = Conflict | Proposal
"""What goes out with a memory: what disagrees with it, and what waits for a person about it."""


class Carried(Struct, frozen=True, kw_only=True):
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


class Entry(Struct, frozen=True, kw_only=True):
    """One thing that was read elsewhere."""

    draft: Draft
    carried: Carried = field(default_factory=Carried)
    where: str = ""
    """Where it stands in what was read, for errors: `notes.jsonl, line 3`."""


class Adopted(Struct, frozen=True, kw_only=True):
    """What became of entries that were taken in, each in its place."""

    results: tuple[Added, ...]
    known: int = 0
    """Entries whose id is here already; they are left as they are here."""
    superseded: int = 0
    """Entries that were history and came in as such."""


class Learnt(Struct, frozen=True, kw_only=True):
    """What an ingest brought: new memories by kind, how many wait for a person, and a few of them."""

    by_kind: Mapping[str, int]
    unconfirmed: int
    examples: tuple[str, ...] = ()
    """Titles of the weightiest."""
    embedded: int = 0
    """Rows that got their vectors at once."""
    unembedded: int = 0
    """Rows that are found by words only until their vectors are made."""


class GitIngested(Struct, frozen=True, kw_only=True):
    """What reading the history did, or would do."""

    branch: str | None
    dry_run: bool
    commits: int
    """Commits that were not known yet, merges left out."""
    known: int
    evidence: int
    """Of those, the ones kept as turns."""
    memories: int
    """Of those, the ones that state something new."""
    superseded: int
    """Memories of earlier commits that later ones took back."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Commits of which nothing is kept, by reason."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """Commits that could not be read or kept, with the reason; they are tried again the next time."""
    learnt: Learnt | None = None


class Indexed(Struct, frozen=True, kw_only=True):
    """What reading the project's Markdown files did."""

    files: int
    """Files that were looked at."""
    read: int
    """Of those, the ones that had changed."""
    added: int = 0
    removed: int = 0
    hidden: int = 0
    shown: int = 0
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Files of which nothing is kept, with the reason."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """Of those, the ones that could not be read, for whatever reason."""
    learnt: Learnt | None = None


class TranscriptsIngested(Struct, frozen=True, kw_only=True):
    """What reading transcripts did, or would do."""

    dry_run: bool
    transcripts: int
    """Files, or rows of a database, that were looked at."""
    sessions: int
    """Sessions of which something was new."""
    helpers: int
    """The same, of agents that worked for another."""
    turns: int
    findings: int
    memories: int
    agents: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    """Transcripts, or messages of one, that could not be read or kept, with the reason."""
    learnt: Learnt | None = None


class Shared(Struct, kw_only=True):
    """What sharing did, filled in as it goes."""

    added: int = 0
    """Entries that came in: new files, and edits of known ones."""
    shown: int = 0
    hidden: int = 0
    retracted: int = 0
    accepted: int = 0
    """Edits of one's own entries that were taken over."""
    written: list[str] = field(default_factory=list)
    """Files that went out."""
    waiting: list[str] = field(default_factory=list)
    """Files that were edited and whose memory was said or confirmed here: the user decides."""
    disputed: list[str] = field(default_factory=list)
    """Memories said or confirmed here that others retracted."""
    forgotten: list[str] = field(default_factory=list)
    """Files that say what was forgotten here."""
    skipped: dict[str, str] = field(default_factory=dict)


class Imported(Struct, frozen=True, kw_only=True):
    """What an import did, or would do; every entry is accounted for."""

    formats: tuple[str, ...]
    own: bool
    """Whether it was the user's own export, taken as it was."""
    dry_run: bool
    entries: int
    created: int
    duplicates: int
    """Said here already, by the same or by other sources."""
    known: int
    """Here already under the same id, and left as they are here."""
    superseded: int
    """Of the created ones, those that came in as history."""
    rejected: Mapping[str, int] = field(default_factory=dict)
    """How many were refused: `forgotten` here, or `private`."""
    conflicts: int = 0
    left: Mapping[str, int] = field(default_factory=dict)
    """What was not read as an entry, by reason."""
