"""What is asked of memory: one value a verb, from which every interface takes the arguments it offers.

A field has its type, its default and its rules, and an interface writes them in its own way
(`interfaces/arguments.py`). What a request may be the verb decides, whoever asks. Light: shared with hooks.
"""

from collections.abc import Mapping, Sequence

from holdfast.model.kinds import KINDS, KNOWN, MODES, SCOPES, STATUSES, TARGETS, TRUSTS
from holdfast.model.memory import Json
from holdfast.model.search import Filters, Query
from holdfast.model.times import Moment, parse_past
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import Value, field

if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


def rules(hint: str = "", **limits: object) -> Mapping[str, object]:
    """Say of a field what a model is told about it, in few words, and what it may be.

    Limits are `least` and `most`; `one_of`, the only words there are; `known`, words that a mistyped one is
    compared with; `name`, for a text of one line that names something.
    """
    return {"hint": hint, **limits}


def argument(default: "T", hint: str = "", **limits: object) -> "T":
    """Declare a field with a default."""
    return field(default=default, metadata=rules(hint, **limits))


class Draft(Value, kw_only=True):
    """What a caller asks to remember, before it is checked."""

    content: str = field(metadata=rules("one fact, decision or lesson, with its reason; it must stand alone"))
    kind: str | None = argument(None, "else told from the text", known=KINDS)
    title: str | None = None
    context: str | None = argument(None, "why, or where")
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = argument((), "paths it is about")
    importance: float | None = argument(None, "0 to 1", least=0, most=1)
    confidence: float = argument(1.0, least=0, most=1)
    source: str = argument("manual", name=True)
    trust: str = argument("agent", one_of=TRUSTS)
    scope: str = argument("project", "user: in every project", one_of=SCOPES)
    expires: Moment | None = argument(None, "ISO date, or 30d")
    supersedes: str | None = argument(None, "id of what this replaces")
    session: str | None = None
    metadata: Json | None = None
    at: Moment | None = None
    quote: str | None = argument(None, "the user's exact words")
    """The user's exact words that it rests on: where a user turn holds them, it is the user's word."""


class Changes(Value, kw_only=True):
    """What to change in a memory; None leaves a field as it is."""

    content: str | None = None
    kind: str | None = argument(None, known=KINDS)
    title: str | None = None
    context: str | None = None
    tags: tuple[str, ...] | None = None
    files: tuple[str, ...] | None = None
    importance: float | None = argument(None, least=0, most=1)
    confidence: float | None = argument(None, least=0, most=1)
    expires: Moment | None = None
    metadata: Json | None = None
    trust: str = argument("agent", one_of=TRUSTS)
    """Who changes it: what a person said is theirs no longer when an agent rewrites it."""


class Reach(Value, kw_only=True):
    """How far forgetting goes."""

    dry_run: bool = False
    """Only say what would go."""
    backups: bool = False
    """Also take it out of the backups; for persons only."""


class ForgetRequest(Value, kw_only=True):
    """What to forget: all from a source, all from a session with its turns, or all that holds a text."""

    source: str | None = None
    session: str | None = None
    matching: str | None = None
    dry_run: bool = False
    backups: bool = False
    """Also take it out of the backups; alone: what was forgotten before."""

    @property
    def filters(self) -> Filters:
        """Which memories are meant."""
        sources = (self.source,) if self.source is not None else ()
        return Filters(sources=sources, session=self.session, contains=self.matching)

    @property
    def reach(self) -> Reach:
        """How far it goes."""
        return Reach(dry_run=self.dry_run, backups=self.backups)


class Message(Value, kw_only=True):
    """What a caller asks to record, before it is checked."""

    role: str = field(metadata=rules(name=True))
    text: str
    at: Moment | None = None
    ref: str | None = argument(None, name=True)
    tool: str | None = argument(None, name=True)
    files: Sequence[str] = ()


class SearchRequest(Value, kw_only=True):
    """A question, and what a hit must be. A recall is a search for what will be shown in full."""

    query: str = field(metadata=rules("what you want to know"))
    limit: int = argument(10, least=1, most=1_000)
    mode: str = argument("hybrid", one_of=tuple(sorted(MODES)))
    within: str | None = argument(None, "turns: what was said; tool: printed", one_of=TARGETS)
    """Where to look; None: in memories and what was said."""
    kinds: tuple[str, ...] = argument((), known=KINDS)
    tags: tuple[str, ...] = ()
    file: str | None = argument(None, "a file or directory")
    since: Moment | None = argument(None, "ISO date, or 7d")
    until: Moment | None = None
    status: str | None = argument(None, one_of=STATUSES)
    min_importance: float | None = argument(None, least=0, most=1)
    contains: str | None = argument(None, "literal text")
    scope: str | None = None
    """`project` or `user`: only there. None: in both. `everywhere`: in all projects of this user, too."""

    def at(self, now: int) -> Query:
        """Return it as stores are asked: lengths of time count from now."""
        return Query(
            text=self.query,
            limit=self.limit,
            mode=self.mode,
            within=self.within or KNOWN,
            scope=self.scope,
            filters=Filters(
                kinds=self.kinds,
                tags=self.tags,
                file=self.file,
                since=parse_past(self.since, "since", now),
                until=parse_past(self.until, "until", now),
                statuses=(self.status,) if self.status else (),
                min_importance=self.min_importance,
                contains=self.contains,
            ),
        )


class PruneRequest(Value, kw_only=True):
    """What to prune: a memory goes when every given condition is met."""

    days: int | None = argument(None, "not read or confirmed for so long", least=0, most=36_500)
    max_score: float | None = argument(None, "decayed importance at most this", least=0, most=1)
    source: str | None = None
    mine: bool = False
    """Also what a person asked to remember."""
    dry_run: bool = False
    """Only say what would go."""


class BriefRequest(Value, kw_only=True):
    """A brief as a caller asks for it."""

    prompt: str | None = None
    """What the user said; None at the start of a session."""
    budget: int | None = argument(None, least=0, most=200_000)
    """Tokens; by default those of the settings for a session's start, and else 1,500."""
    remaining: int | None = argument(None, least=0, most=100_000_000)
    agent: str = "codex"
    files: tuple[str, ...] = ()
    bridge: Sequence[str] | None = None
    """Texts to carry from other sessions, instead of what the store has: they are told whatever they say."""
    session: str | None = None
    session_ref: str | None = None
    """What the client calls the session that asks: what waits of it in the spool is known to it."""
    told: frozenset[str] = frozenset()
    """The last eight digits of the ids of what the session was told already."""
    later: bool = False
    """Whether the session had a prompt before: then only what plainly applies is told."""
