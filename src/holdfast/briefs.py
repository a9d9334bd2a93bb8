"""Briefs as a verb: what an agent is told, within a budget, within a time, and never an error.

Lives here: gathering what the pipeline reads (vectors, files, git, the latest latencies), the receipt, and failing
open. Must not live here: any step of the pipeline (`recall.brief`).
"""

import contextlib
import os
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import trace
from holdfast.capture.check import check_count, check_name, check_size
from holdfast.capture.clean import Cleaner
from holdfast.capture.files import content_hashes, project_path
from holdfast.capture.normalise import normalise
from holdfast.errors import AmbiguousId, HoldfastError, InvalidInput, UnknownId
from holdfast.model import limits
from holdfast.model.brief import Brief, Health, Receipt, ReceiptItem
from holdfast.model.conflict import Conflict
from holdfast.model.finding import HYPOTHESIS, RECAPPED, RETRACTED
from holdfast.model.ids import new_id
from holdfast.model.memory import Memory, Origin
from holdfast.model.search import Query
from holdfast.ports import Clock, Reranker
from holdfast.recall.brief import agents
from holdfast.recall.brief.budget import total_of
from holdfast.recall.brief.fill import Page
from holdfast.recall.brief.health import WINDOW, judge
from holdfast.recall.brief.keywords import Asked, analyse
from holdfast.recall.brief.notes import Note
from holdfast.recall.brief.pipeline import make_brief
from holdfast.recall.brief.request import LIMIT_MS, Reach, Request
from holdfast.recall.brief.selection import DEGRADED, HEALTHY
from holdfast.recall.brief.weights import Scene
from holdfast.scopes import Scopes
from holdfast.upkeep.embed import Embeddings

if TYPE_CHECKING:
    from holdfast.ports import Floats

MOST_TOKENS = 200_000
EMBEDDED_CHARS = 400
"""Of a longer prompt the beginning and the end are embedded: the time that takes grows with the text."""

WHOLE_MS = 1_000
"""How long all reading for a brief may take, and how long it waits for a lock: then there is none."""

RECENT_DAYS = 3
LOOKED_AT = 200
"""Files whose last change is looked up for the start of a session."""

BRIDGED = 100
UNSETTLED = frozenset((HYPOTHESIS, RETRACTED, RECAPPED))
"""Signs that a finding is not what another session should know: it did not hold, or is said better elsewhere."""

SUMMARIES = 3
NONCE_DIGITS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A brief as a caller asks for it."""

    prompt: str | None = None
    """What the user said; None at the start of a session."""
    budget: int = 1_500
    remaining: int | None = None
    agent: str = agents.CODEX
    files: tuple[str, ...] = ()
    session: str | None = None
    bridge: Sequence[str] | None = None
    """Texts to carry from other sessions, instead of what the store has."""
    heard: Sequence[str] = ()
    """Texts to carry from other sessions, besides: what the store does not have yet."""
    told: frozenset[str] = frozenset()
    """The last eight digits of the ids of what the session was told already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefSettings:
    """What briefs need to know of the configuration."""

    root: Path | None = None
    cleaner: Cleaner = field(default_factory=Cleaner)
    ceiling: int | None = None
    limit_ms: int = LIMIT_MS
    off: Callable[[], str | None] = lambda: None
    meaning: bool = True
    """Whether meaning counts: only where cosines are those the floor is set for, and cost no network."""
    reranker: Reranker | None = None


class Briefs:
    """Makes briefs over the stores of a service."""

    def __init__(
        self,
        scopes: Scopes,
        clock: Clock,
        origin: Callable[[], Origin],
        embeddings: Embeddings,
        settings: BriefSettings,
        conflicts: Callable[[Sequence[str]], Sequence[Conflict]] = lambda ids: (),
    ) -> None:
        self._scopes = scopes
        self._clock = clock
        self._origin = origin
        self._embeddings = embeddings
        self._settings = settings
        self._conflicts = conflicts

    def context(self, wish: Wish) -> Brief:
        """Return what an agent is told; a recall that fails is an empty brief that says why, and a trace."""
        self._check(wish)
        total = total_of(wish.budget, wish.remaining, self._settings.ceiling)
        total = agents.most_tokens(wish.agent, total)
        reason = self._settings.off()
        if reason:
            return Brief(text="", tokens=0, budget=total, failure=f"memory is off: {reason}")
        started = time.monotonic()
        try:
            return self._made(wish, total)
        except Exception as error:  # whatever it is: an agent must not fail because of its memory
            took = _since(started)
            told = trace.leave("context", str(self._settings.root or ""), error)
            return Brief(text="", tokens=0, budget=total, took_ms=took, failure=told)

    def health(self) -> Health:
        """Say how fast the latest briefs were."""
        return judge(self._scopes.project.receipts.latencies(WINDOW))

    def receipts(self, limit: int) -> list[Receipt]:
        """Return what went into the latest briefs, newest first."""
        check_count("limit", limit, 1, limits.RECEIPTS)
        return self._scopes.project.receipts.recent(limit)

    # ── within ───────────────────────────────────────────────────────────────────────────────────────────

    def _made(self, wish: Wish, total: int) -> Brief:
        asked = analyse(wish.prompt) if wish.prompt and wish.prompt.strip() else None
        vector = self._vector(asked)  # before the clock runs: a model is loaded once, a brief is made often
        started = time.monotonic()
        with ExitStack() as stack:
            for store in self._scopes.present:
                stack.enter_context(store.reading(WHOLE_MS))
            health = self.health()
            wish = replace(wish, session=self._session(wish.session))
            request = self._request(wish, asked, vector, total, degraded=health.degraded)
            made = make_brief(request, self._reach(wish))
        brief = Brief(
            text=made.filled.text,
            tokens=made.filled.tokens,
            budget=total,
            items=made.filled.items,
            conflicts=made.conflicts,
            cut=made.cut,
            degraded=health.degraded,
            took_ms=_since(started),
        )
        self._record(wish, brief)
        return brief

    def _session(self, given: str | None) -> str | None:
        """Return the session that asks by its whole id; one that is not known here has nothing to leave out."""
        with contextlib.suppress(UnknownId, AmbiguousId):
            return self._scopes.session(given).id if given else None
        return None

    def _request(
        self, wish: Wish, asked: Asked | None, vector: "Floats | None", total: int, *, degraded: bool
    ) -> Request:
        now = self._clock.now()
        page = Page(
            style=agents.style_of(wish.agent),
            nonce=secrets.token_hex(NONCE_DIGITS // 2),
            total=total,
            most_characters=agents.most_characters(wish.agent),
            stems=frozenset(term.stem for term in asked.terms) if asked else frozenset(),
        )
        return Request(
            asked=asked,
            vector=vector,
            scene=Scene(now, self._active(wish, asked)),
            page=page,
            session=wish.session,
            branch=self._origin().branch,
            aliases=self._scopes.project.aliases.all(),
            bridge=self._bridge(wish, now),
            told=wish.told,
            limits=DEGRADED if degraded else HEALTHY,
            limit_ms=self._settings.limit_ms,
        )

    def _reach(self, wish: Wish) -> Reach:
        return Reach(
            stores=self._scopes.present,
            short=self._scopes.short,
            changed=self._changed,
            recent=self._recent,
            conflicts=lambda ids: self._conflicts(ids) if ids else (),
            summaries=lambda: self._last_session(wish.session),
            reranker=self._settings.reranker,
        )

    def _vector(self, asked: Asked | None) -> "Floats | None":
        """Return the prompt's vector where the project's vectors are of the same model."""
        if asked is None or not self._settings.meaning:
            return None
        text = asked.text
        if len(text) > EMBEDDED_CHARS:
            text = f"{text[: 2 * EMBEDDED_CHARS // 3]} {text[-EMBEDDED_CHARS // 3 :]}"
        return self._embeddings.meaning(Query(text=text), (), [self._scopes.project], writable=False)

    def _active(self, wish: Wish, asked: Asked | None) -> tuple[str, ...]:
        """Return the files at hand: the caller's, the prompt's, and those that the session touched."""
        named = (*wish.files, *(asked.files if asked else ()))
        given = [project_path(self._settings.root, normalise(file)) for file in named]
        touched: list[str] = []
        if wish.session:
            for turn in self._scopes.project.turns.of(wish.session)[-LOOKED_AT:]:
                touched.extend(turn.files)
        return tuple(dict.fromkeys((*given, *reversed(touched))))[: limits.FILES]

    def _bridge(self, wish: Wish, now: int) -> Sequence[Note]:
        """Return what the caller gives, else what other sessions found in the last day and nobody remembered
        yet."""
        heard = [normalise(text).strip() for text in (*wish.heard, *(wish.bridge or ()))]
        notes = [Note(id=new_id(now), kind="finding", text=text, at=now) for text in heard if text]
        if wish.bridge is not None:
            return notes
        found = self._scopes.project.findings.unpromoted(now - limits.DAY_MS, BRIDGED)
        return notes + [
            Note(
                id=one.id, kind=one.kind, text=one.content, at=one.created_at, session=one.session, files=one.files
            )
            for one in found
            if one.session != wish.session and not UNSETTLED & set(one.signals)
        ]

    def _changed(self, memory: Memory) -> list[str]:
        """Return the files that hold something else than when a memory about them was captured."""
        if not memory.file_hashes:
            return []
        now = content_hashes(self._settings.root, tuple(memory.file_hashes))
        return [file for file, digest in memory.file_hashes.items() if now.get(file) != digest]

    def _recent(self, files: Sequence[str]) -> list[str]:
        """Return the files that were changed in the last days."""
        root = self._settings.root
        if root is None:
            return []
        since = self._clock.now() / 1000 - RECENT_DAYS * 86_400
        found = []
        for file in files[:LOOKED_AT]:
            with contextlib.suppress(OSError, ValueError):
                if os.stat(root / file).st_mtime >= since:
                    found.append(file)
        return found

    def _last_session(self, current: str | None) -> list[Note]:
        """Return how the last session went that left a summary; the one that asks is not it."""
        recent = self._scopes.project.sessions.newest(None, SUMMARIES)
        return [
            Note(id=one.id, kind="session", text=one.summary, at=one.ended_at or one.started_at, session=one.id)
            for one in recent
            if one.summary and one.id != current
        ][:1]

    def _record(self, wish: Wish, brief: Brief) -> None:
        """Keep the receipt; best effort, as it serves statistics and the next brief's limits only."""
        store = self._scopes.project
        with contextlib.suppress(HoldfastError), store.writing(limits.PATIENCE_MS):
            store.receipts.record(self._receipt(wish, brief))

    def _receipt(self, wish: Wish, brief: Brief) -> Receipt:
        now = self._clock.now()
        return Receipt(
            id=new_id(now),
            at=now,
            agent=self._settings.cleaner.label(agents.agent_named(wish.agent)),
            session=wish.session,
            prompted=wish.prompt is not None,
            budget=brief.budget,
            tokens=brief.tokens,
            took_ms=brief.took_ms,
            cut=brief.cut,
            degraded=brief.degraded,
            items=tuple(
                ReceiptItem(id=one.id, kind=one.kind, tier=one.tier, score=one.score, why=one.why)
                for one in brief.items
            ),
        )

    def _check(self, wish: Wish) -> None:
        check_count("budget", wish.budget, 0, MOST_TOKENS)
        if wish.remaining is not None:
            check_count("remaining", wish.remaining, 0, 100_000_000)
        check_name("agent", wish.agent)
        if wish.session is not None:
            check_name("session", wish.session)
        if wish.prompt is not None and not isinstance(wish.prompt, str):
            raise InvalidInput(field="prompt", problem=f"must be a text, not {type(wish.prompt).__name__}.")
        for file in wish.files:
            check_size("files", file, limits.PATH_CHARS * 4)
        for text in wish.bridge or ():
            check_size("bridge", text, limits.CONTENT_BYTES)


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
