"""What is asked of memory: one value a verb, from which every interface takes the arguments it offers.

A field has its type, its default and its rules, and an interface writes them in its own way
(`interfaces/arguments.py`). What a request may be the verb decides, whoever asks. Light: shared with hooks.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Struct

from holdfast.model.kinds import KINDS, KNOWN, MODES, SCOPES, STATUSES, TARGETS, TRUSTS
from holdfast.model.memory import Json
from holdfast.model.search import Filters, Query
from holdfast.model.times import Moment, parse_past


def rules(hint: str = "", **limits: object) -> Mapping[str, object]:
    """Say of a field what a model is told about it, in few words, and what it may be.

    Limits are `least` and `most`; `one_of`, the only words there are; `known`, words that a mistyped one is
    compared with; `name`, for a text of one line that names something.
    """
    return {"hint": hint, **limits}


class Draft(Struct, frozen=True, kw_only=True):
    """What a caller asks to remember, before it is checked."""

    content: Annotated[str, rules("one fact, decision or lesson, with its reason; it must stand alone")]
    kind: Annotated[str | None, rules("else told from the text", known=KINDS)] = None
    title: str | None = None
    context: Annotated[str | None, rules("why, or where")] = None
    tags: tuple[str, ...] = ()
    files: Annotated[tuple[str, ...], rules("paths it is about")] = ()
    importance: Annotated[float | None, rules("0 to 1", least=0, most=1)] = None
    confidence: Annotated[float, rules(least=0, most=1)] = 1.0
    source: Annotated[str, rules(name=True)] = "manual"
    trust: Annotated[str, rules(one_of=TRUSTS)] = "agent"
    scope: Annotated[str, rules("user: in every project", one_of=SCOPES)] = "project"
    expires: Annotated[Moment | None, rules("ISO date, or 30d")] = None
    supersedes: Annotated[str | None, rules("id of what this replaces")] = None
    session: str | None = None
    metadata: Json | None = None
    at: Moment | None = None
    quote: Annotated[str | None, rules("the user's exact words")] = None
    """The user's exact words that it rests on: where a user turn holds them, it is the user's word."""


class Changes(Struct, frozen=True, kw_only=True):
    """What to change in a memory; None leaves a field as it is."""

    content: str | None = None
    kind: Annotated[str | None, rules(known=KINDS)] = None
    title: str | None = None
    context: str | None = None
    tags: tuple[str, ...] | None = None
    files: tuple[str, ...] | None = None
    importance: Annotated[float | None, rules(least=0, most=1)] = None
    confidence: Annotated[float | None, rules(least=0, most=1)] = None
    expires: Moment | None = None
    metadata: Json | None = None
    trust: Annotated[str, rules(one_of=TRUSTS)] = "agent"
    """Who changes it: what a person said is theirs no longer when an agent rewrites it."""


class Reach(Struct, frozen=True, kw_only=True):
    """How far forgetting goes."""

    dry_run: bool = False
    """Only say what would go."""
    backups: bool = False
    """Also take it out of the backups; for persons only."""


class ForgetRequest(Struct, frozen=True, kw_only=True):
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


class Message(Struct, frozen=True, kw_only=True):
    """What a caller asks to record, before it is checked."""

    role: Annotated[str, rules(name=True)]
    text: str
    at: Moment | None = None
    ref: Annotated[str | None, rules(name=True)] = None
    tool: Annotated[str | None, rules(name=True)] = None
    files: Sequence[str] = ()


class SearchRequest(Struct, frozen=True, kw_only=True):
    """A question, and what a hit must be. A recall is a search for what will be shown in full."""

    query: Annotated[str, rules("what you want to know")]
    limit: Annotated[int, rules(least=1, most=1_000)] = 10
    mode: Annotated[str, rules(one_of=tuple(sorted(MODES)))] = "hybrid"
    within: Annotated[str | None, rules("turns: what was said; tool: printed", one_of=TARGETS)] = None
    """Where to look; None: in memories and what was said."""
    kinds: Annotated[tuple[str, ...], rules(known=KINDS)] = ()
    tags: tuple[str, ...] = ()
    file: Annotated[str | None, rules("a file or directory")] = None
    since: Annotated[Moment | None, rules("ISO date, or 7d")] = None
    until: Moment | None = None
    status: Annotated[str | None, rules(one_of=STATUSES)] = None
    min_importance: Annotated[float | None, rules(least=0, most=1)] = None
    contains: Annotated[str | None, rules("literal text")] = None
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


class PruneRequest(Struct, frozen=True, kw_only=True):
    """What to prune: a memory goes when every given condition is met."""

    days: Annotated[int | None, rules("not read or confirmed for so long", least=0, most=36_500)] = None
    max_score: Annotated[float | None, rules("decayed importance at most this", least=0, most=1)] = None
    source: str | None = None
    mine: bool = False
    """Also what a person asked to remember."""
    dry_run: bool = False
    """Only say what would go."""


class BriefRequest(Struct, frozen=True, kw_only=True):
    """A brief as a caller asks for it."""

    prompt: str | None = None
    """What the user said; None at the start of a session."""
    budget: Annotated[int | None, rules(least=0, most=200_000)] = None
    """Tokens; by default those of the settings for a session's start, and else 1,500."""
    remaining: Annotated[int | None, rules(least=0, most=100_000_000)] = None
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
