"""A memory and its text as it is shown, when it fades, two that cannot both hold, and what comes back when one is
made, changed or forgotten.

A memory that faded is hidden from default reads by its age, but kept. Stores write when that is with every row, so
that keyword, meaning and lists leave out the same without computing anything.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from holdfast.model.kinds import FADES_AFTER_DAYS, IMPORTED, PINNED, USER
from holdfast.model.limits import DAY_MS, EXCERPT_CHARS, READS_KEEP, TITLE_CHARS
from holdfast.model.patterns import regex

Json = Mapping[str, Any]
"""A JSON object as a caller gave it; checked to be serialisable when it enters."""

CONTRADICTORY, SUPERSEDED, AMBIGUOUS = CONFLICT_KINDS = ("contradictory", "superseded", "ambiguous")
"""Opposed; a revision that was not entitled to take the other's place; opposed under another condition."""

BOTH = "both"
"""What is kept when both sides hold after all."""

Days = Mapping[str, int | None]
"""Days by kind; None: never."""

PUT_THERE = frozenset((USER, IMPORTED))
"""What a person said, or had taken in from files, git or another tool, does not fade."""

_SENTENCE_END = regex(r"[.!?…](?=\s|$)|[。！？]")
_MARKUP = regex(r"^(?:#{1,6}\s+|[-*+>]\s+|\d{1,3}[.)]\s+)+")
_HIDDEN = regex(
    "\x1b\\[[0-?]*[ -/]*[@-~]"  # terminal sequences
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f]"  # control
    "|[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"  # zero width, bidi
    "|[\U000e0000-\U000e007f]"  # tags, which spell text that nobody sees
)
"""A person does not see these; a model reads and a terminal obeys them."""


class Memory(Struct, frozen=True, kw_only=True):
    """An entry of project memory: what is remembered, where it came from and whether it still holds."""

    id: str
    project: str
    tenant: str
    user: str
    kind: str
    title: str
    content: str
    context: str = ""
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    file_hashes: Mapping[str, str] = field(default_factory=dict)
    importance: float = 0.5
    confidence: float = 1.0
    status: str
    trust: str
    sources: tuple[str, ...] = ("manual",)
    session: str | None = None
    agent: str | None = None
    branch: str | None = None
    commit: str | None = None
    created_at: int
    updated_at: int
    renewed_at: int
    """When it was last captured or confirmed: age counts from here."""
    accessed_at: int | None = None
    reads: int = 0
    valid_from: int
    valid_until: int | None = None
    superseded_by: str | None = None
    expires: int | None = None
    fades: int | None = None
    """When its age hides it (`fades_at`), unless it is read, pinned or confirmed before; None: never."""
    fingerprint: str
    metadata: Json = field(default_factory=dict)
    kind_confidence: float | None = None
    """How sure the guess at its kind is, from 0 to 1; None where the caller named the kind."""

    @property
    def source(self) -> str:
        """Where it came from first; `sources` names every place that said it."""
        return self.sources[0]

    @property
    def superseded(self) -> bool:
        """Whether something newer took its place."""
        return self.valid_until is not None

    def holds(self, now: int) -> bool:
        """Whether it still holds: not superseded and not expired."""
        return not self.superseded and (self.expires is None or self.expires > now)

    def faded(self, now: int) -> bool:
        """Whether its age hides it."""
        return self.fades is not None and self.fades <= now

    def current(self, now: int) -> bool:
        """Whether default reads show it: it holds and has not faded."""
        return self.holds(now) and not self.faded(now)


def fades_at(memory: Memory, days: Days) -> int | None:
    """Return when a memory fades; None when it never does."""
    after = days.get(memory.kind)
    if after is None or memory.status == PINNED or memory.trust in PUT_THERE or memory.reads >= READS_KEEP:
        return None
    return memory.renewed_at + after * DAY_MS


class Fading(Struct, frozen=True):
    """How many days each kind has, as configured."""

    days: Days = field(default_factory=lambda: FADES_AFTER_DAYS)

    @property
    def name(self) -> str:
        """What a store remembers of it, to see that another is in force."""
        return ",".join(f"{kind}:{days}" for kind, days in sorted(self.days.items()))

    def __call__(self, memory: Memory) -> int | None:
        return fades_at(memory, self.days)


class Conflict(Struct, frozen=True, kw_only=True):
    """A pair of memories that disagree, until a person says which holds."""

    id: str
    first: str
    """The memory that was there."""
    second: str
    """The memory that was said later."""
    kind: str
    detected_at: int
    resolved_at: int | None = None
    kept: str | None = None
    """What a person decided: one of the two ids, or `both`."""
    marker: str = ""
    """The line to show, with short ids; filled in by whoever lists conflicts, never stored."""


def marker(first: Memory, first_short: str, second: Memory, second_short: str) -> str:
    """Return the line that shows a conflict wherever one of its sides is shown."""
    says_first, says_second = shorten(first.content, TITLE_CHARS), shorten(second.content, TITLE_CHARS)
    return (
        f'[⚠ CONFLICT] Entry #{first_short} says "{says_first}" but Entry #{second_short} says "{says_second}". '
        "Verify which is current."
    )


class Origin(Struct, frozen=True, kw_only=True):
    """Who writes, and where: the provenance stamped on every memory."""

    project: str
    tenant: str
    user: str
    agent: str | None = None
    branch: str | None = None
    commit: str | None = None


class Added(Struct, frozen=True, kw_only=True):
    """What became of a draft. Exactly one of created, duplicate and rejected holds."""

    id: str | None
    created: bool = False
    duplicate: bool = False
    rejected: str | None = None
    """Why nothing was stored, when nothing was: `forgotten` (a person had it removed) or `private` (all of it)."""
    conflicts: tuple[str, ...] = ()
    """Ids of the conflicts it raised."""
    similar_to: tuple[str, ...] = ()
    """Ids of memories that say nearly the same."""
    proposal: str | None = None
    """The id of what waits for a person: that it takes the place of something that is theirs."""
    proven: bool = False
    """Whether its quote stands in what the user said: then it is the user's word, and confirmed."""
    unproven: str | None = None
    """Why its quote proves nothing, and what to do; None where it does, or none was given."""


class Excerpt(Struct, frozen=True, kw_only=True):
    """Words of a turn."""

    session: str
    """The session's id; of what waits in the spool, the client's ref of it."""
    turn: str
    role: str
    text: str


class Forgotten(Struct, frozen=True, kw_only=True):
    """What a forget removed, or would remove, and where it still stands."""

    ids: tuple[str, ...]
    kept: tuple[str, ...] = ()
    """Memories that others said too: they stay, without the source that was forgotten."""
    masked_turns: int = 0
    sentences: int = 0
    """How many sentences or parts of one went from what was said: where it was learnt, and said again."""
    sessions: int = 0
    """In how many sessions they stood."""
    similar: tuple[str, ...] = ()
    """Memories of their own that say it too: they stay."""
    backups: tuple[str, ...] = ()
    """Backups that still hold it."""
    cleaned: tuple[str, ...] = ()
    """Backups that it was taken out of."""
    unusable: tuple[str, ...] = ()
    """Backups that could not be rewritten, each with the reason; they are as they were."""
    pending: bool = False
    """Whether the last bytes wait for another process to stop reading."""
    dry_run: bool = False
    excerpts: tuple[Excerpt, ...] = ()
    """In a dry run: the words that would go."""

    @property
    def account(self) -> str:
        """How much it was: "1 memory, 3 sentences in 2 sessions". Never the words: who answers may be recorded."""
        memories = f"{len(self.ids):,} {'memory' if len(self.ids) == 1 else 'memories'}"
        if not self.sentences:
            return memories
        sentences = f"{self.sentences:,} sentence{'' if self.sentences == 1 else 's'}"
        return f"{memories}, {sentences} in {self.sessions:,} session{'' if self.sessions == 1 else 's'}"


class TimelineEntry(Struct, frozen=True, kw_only=True):
    """A memory in its place in time, without its full content."""

    id: str
    title: str
    kind: str
    status: str
    trust: str
    source: str
    created_at: int
    excerpt: str
    anchor: bool
    thread: str | None = None
    """What the talk is about that it is from."""

    @classmethod
    def of(cls, memory: Memory, anchor: Memory) -> "TimelineEntry":
        """Show a memory beside the one that a timeline is about."""
        return cls(
            id=memory.id,
            title=memory.title,
            kind=memory.kind,
            status=memory.status,
            trust=memory.trust,
            source=memory.source,
            created_at=memory.created_at,
            excerpt=shorten(memory.content, EXCERPT_CHARS),
            anchor=memory.id == anchor.id,
        )


def title_of(content: str) -> str:
    """Return the first sentence, without Markdown's marks, at most 80 characters."""
    first = next((line for line in map(str.strip, content.splitlines()) if line), "")
    line = _MARKUP.sub("", first).strip() or first
    end = _SENTENCE_END.search(line)
    return shorten(line[: end.start()] if end and end.start() else line, TITLE_CHARS)


def shorten(text: str, most: int) -> str:
    """Cut a text to a length at a word's end, with a mark that says so; line breaks become blanks."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    head = flat[: most - 1]
    blank = head.rfind(" ")
    return (head[:blank] if blank > most // 2 else head).rstrip() + "…"


def clean(text: str) -> str:
    """Return text without control, bidi, zero-width and tag characters; line ends and tabs stay."""
    return _HIDDEN.sub("", text)


def line(text: str) -> str:
    """Return text on one line."""
    return " ".join(clean(text).split())
