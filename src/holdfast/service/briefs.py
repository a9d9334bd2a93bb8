"""Briefs as a verb: what an agent is told, within a budget, within a time, and never an error.

Lives here: gathering what the pipeline reads (the prompt's vector, files, git, the latest latencies), the
receipt, and failing open. Must not live here: any step of the pipeline (`recall.brief`). Hooks make their briefs
here, too, so that nothing is imported that a brief does not need.
"""

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from holdfast.capture.check import check_count, check_name, check_size, content_hashes, project_path
from holdfast.capture.text.clean import normalise
from holdfast.errors import AmbiguousId, HoldfastError, InvalidInput, UnknownId
from holdfast.judge import light_judge
from holdfast.judge.thresholds import NUDGE
from holdfast.judge.turns import OPENING, sentences_of
from holdfast.machine import environment, failures
from holdfast.machine.project import files_at_hand
from holdfast.model import limits
from holdfast.model.brief import Brief, Health, Receipt, ReceiptItem
from holdfast.model.finding import HYPOTHESIS, RETRACTED
from holdfast.model.ids import new_id
from holdfast.model.kinds import ACTIVE, AGENT, SPEAKING_AGENTS, USER
from holdfast.model.memory import Memory, Origin
from holdfast.model.plain import filled
from holdfast.model.requests import BriefRequest
from holdfast.model.upkeep import FORGOTTEN_AT
from holdfast.model.vectors import MEMORY
from holdfast.recall.brief import render
from holdfast.recall.brief.account import DEGRADED_LIMITS, HEALTHY_LIMITS, Account, health_of
from holdfast.recall.brief.budget import total_of
from holdfast.recall.brief.fill import Page
from holdfast.recall.brief.notes import BriefNote, last_reply, overheard
from holdfast.recall.brief.parts import COMMON_WORK, KINDS
from holdfast.recall.brief.pipeline import MadeBrief, make_brief
from holdfast.recall.brief.prompt import Prompt, analyse
from holdfast.recall.brief.relevance import question_vector, vector_for
from holdfast.recall.brief.render import alone
from holdfast.recall.brief.request import LIMIT_MS, BriefSources, Request
from holdfast.recall.brief.weights import Scene, turn_trust
from holdfast.settings import START_BUDGET

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.ports import Clock, Reranker
    from holdfast.service.audit import LearntCount
    from holdfast.service.scopes import Scopes

PROMPT_BUDGET = 1_500
"""Tokens of a prompt's brief where nobody says another number."""

MOST_TOKENS = 200_000

OUTER = 16
"""Sentences at each end of a prompt that are judged: all of 25,000 characters would take 35 ms, these take 5."""

WHOLE_MS = 1_000
"""How long all reading for a brief may take, and how long it waits for a lock: then there is none."""

LOOKED_AT = 200
"""The latest turns of the session that asks whose files are at hand."""

LAST_TURNS = 20
"""The latest turns among which what the agent said last is looked for."""

MOST_BRIDGED = 100
"""Findings of other sessions that are looked through."""

UNSETTLED_SIGNALS = frozenset((HYPOTHESIS, RETRACTED))
"""Signs that a finding is not what another session should know: it did not hold, or is said better elsewhere."""

SUMMARIES = 3
"""The latest sessions among which one is looked for that left a summary."""

NONCE_BYTES = 4


class BriefSettings(Struct, frozen=True, kw_only=True):
    """What briefs need to know of the configuration."""

    root: "Path | str | None" = None
    label: Callable[[str], str] = field(default_factory=lambda: str)
    """Makes a name that a caller gave fit to be kept."""
    ceiling: int | None = None
    start_budget: int = START_BUDGET
    limit_ms: int = LIMIT_MS
    nudge: bool = True
    """Whether agents are asked to note what lasts."""
    off: Callable[[], str | None] = field(default_factory=lambda: lambda: None)
    reranker: "Reranker | None" = None


class PreviewedBrief(Struct, frozen=True):
    """A brief that nobody was told, with how it was made; None where memory is off."""

    brief: Brief
    made_brief: MadeBrief | None
    account: Account


class Briefs:
    """Makes briefs over the stores of a service."""

    def __init__(
        self,
        scopes: "Scopes",
        clock: "Clock",
        origin: Callable[[], Origin],
        settings: BriefSettings,
    ) -> None:
        self._scopes = scopes
        self._clock = clock
        self._origin = origin
        self._settings = settings

    def context(self, wish: BriefRequest) -> Brief:
        """Return what an agent is told; a recall that fails is an empty brief that says why, and a trace."""
        _check(wish)
        total = render.most_tokens(wish.agent, self._total(wish))
        if empty := self._switched_off(total):
            return empty
        started_at, began = time.monotonic(), self._clock.now()
        try:
            brief, wish, _ = self._write(wish, total)
            self._record(wish, brief, began)
            return brief
        except Exception as error:  # whatever it is: an agent must not fail because of its memory
            failure = failures.leave("context", str(self._settings.root or ""), error)
            return Brief(text="", tokens=0, budget=total, took_ms=_since(started_at), failure=failure)

    def preview(self, wish: BriefRequest) -> PreviewedBrief:
        """Return what an agent would be told, and what became of everything else. Nothing is recorded."""
        _check(wish)
        total = render.most_tokens(wish.agent, self._total(wish))
        account = Account()
        if empty := self._switched_off(total):
            return PreviewedBrief(empty, None, account)
        brief, _, made_brief = self._write(replace(wish, prompt=wish.prompt or None), total, account)
        return PreviewedBrief(brief, made_brief, account)

    @property
    def prompt_budget(self) -> int:
        """The tokens of a prompt's brief where nobody says another number."""
        return total_of(PROMPT_BUDGET, None, self._settings.ceiling)

    @property
    def start_budget(self) -> int:
        """The tokens of the brief at a session's start."""
        return total_of(self._settings.start_budget, None, self._settings.ceiling)

    def health(self) -> Health:
        """Say how fast the latest briefs were."""
        return health_of(self._scopes.project)

    def learnt(self, since: int, until: int) -> "LearntCount":
        """Return what was learnt between two moments."""
        from holdfast.service.audit import learnt_between

        return learnt_between(self._scopes.present, since, until, self._scopes.short)

    def receipts(self, limit: int) -> list[Receipt]:
        """Return what went into the latest briefs, newest first."""
        check_count("limit", limit, 1, limits.RECEIPTS)
        return self._scopes.project.receipts.recent(limit)

    # ── within ───────────────────────────────────────────────────────────────────────────────────────────

    def _switched_off(self, total: int) -> Brief | None:
        """Return the empty brief of a memory that is switched off."""
        reason = self._settings.off()
        return Brief(text="", tokens=0, budget=total, failure=f"memory is off: {reason}") if reason else None

    def _total(self, wish: BriefRequest) -> int:
        usual = PROMPT_BUDGET if wish.prompt and wish.prompt.strip() else self._settings.start_budget
        return total_of(usual if wish.budget is None else wish.budget, wish.remaining, self._settings.ceiling)

    def _write(
        self, wish: BriefRequest, total: int, account: Account | None = None
    ) -> tuple[Brief, BriefRequest, MadeBrief]:
        """Return a brief, whom it is for, and how it was made."""
        started_at = time.monotonic()
        prompt = analyse(wish.prompt) if wish.prompt and wish.prompt.strip() else None
        with ExitStack() as stack:
            for store in self._scopes.one_by_one():  # the second is looked for in the transaction of the first
                stack.enter_context(store.reading(environment.stretch(WHOLE_MS)))
            health = self.health()
            wish = replace(wish, session=self._session(wish))
            request = replace(self._request(wish, prompt, total, degraded=health.degraded), account=account)
            made_brief = make_brief(request, self._reach(wish))
        brief = Brief(
            text=made_brief.filled.text,
            tokens=made_brief.filled.tokens,
            budget=total,
            items=made_brief.filled.items,
            conflicts=made_brief.conflicts,
            cut=made_brief.cut,
            degraded=health.degraded,
            took_ms=_since(started_at),
        )
        return brief, wish, made_brief

    def _session(self, wish: BriefRequest) -> str | None:
        """Return the session that asks by its whole id; one that is not known here has nothing to leave out."""
        sessions = self._scopes.project.sessions
        if wish.session is None and wish.session_ref:
            session = sessions.with_ref(self._origin().project, wish.session_ref)
            return session.id if session else None
        with contextlib.suppress(UnknownId, AmbiguousId):
            return self._scopes.session(wish.session).id if wish.session else None
        return None

    def _request(self, wish: BriefRequest, prompt: Prompt | None, total: int, *, degraded: bool) -> Request:
        now = self._clock.now()
        page = Page(
            style=render.style_of(wish.agent),
            nonce=os.urandom(NONCE_BYTES).hex(),
            total=total,
            most_characters=render.most_characters(wish.agent),
            stems=frozenset(term.stem for term in prompt.terms) if prompt else frozenset(),
        )
        return Request(
            prompt=prompt,
            vector=question_vector(prompt.text) if prompt else None,
            scene=Scene(now, self._active(wish, prompt)),
            page=page,
            session=wish.session,
            branch=self._origin().branch,
            aliases=self._scopes.project.aliases.all(),
            bridge=self._bridge(wish, now),
            told=wish.told,
            later=wish.later,
            nudge=self._settings.nudge
            and (prompt is None or _sounds_lasting(wish.prompt or "", self._last_reply(wish))),
            limits=DEGRADED_LIMITS if degraded else HEALTHY_LIMITS,
            limit_ms=environment.stretch(self._settings.limit_ms),
        )

    def _last_reply(self, wish: BriefRequest) -> str:
        """Return what the agent said last in the session that asks."""
        root = self._settings.root
        if root is not None and wish.session_ref and (reply := last_reply(str(root), wish.session_ref)):
            return reply
        turns = self._scopes.project.turns
        latest = turns.get(turns.last([wish.session], LAST_TURNS)) if wish.session else []
        agent_turns = [turn for turn in latest if turn.role.lower() in SPEAKING_AGENTS and turn.tool is None]
        return max(agent_turns, key=lambda turn: turn.at).text if agent_turns else ""

    def _reach(self, wish: BriefRequest) -> BriefSources:
        root = self._settings.root
        return BriefSources(
            stores=self._scopes.present,
            short=self._scopes.short,
            changed=self._changed_files,
            at_hand=lambda: files_at_hand(str(root)) if root is not None else (),
            widths=self._widths,
            conflicts=lambda ids: self._scopes.conflicts(self._clock.now(), ids) if ids else (),
            summaries=lambda: self._last_session(wish.session),
            reranker=self._settings.reranker,
        )

    def _active(self, wish: BriefRequest, prompt: Prompt | None) -> tuple[str, ...]:
        """Return the files at hand: the caller's, the prompt's, and those that the session touched."""
        named_files = (*wish.files, *(prompt.files if prompt else ()))
        project_files = [project_path(self._settings.root, normalise(file)) for file in named_files]
        touched_files: list[str] = []
        if wish.session:
            for turn in self._scopes.project.turns.of(wish.session)[-LOOKED_AT:]:
                touched_files.extend(turn.files)
        return tuple(dict.fromkeys((*project_files, *reversed(touched_files))))[: limits.FILES]

    def _widths(self, ids: Sequence[str]) -> dict[str, float]:
        """Return how near memories come to what most sessions do."""
        vector = question_vector(COMMON_WORK)
        widths: dict[str, float] = {}
        for store in self._scopes.present:
            if (store_vector := vector_for(store, vector)) is not None:
                widths |= store.vectors.cosines(MEMORY, store_vector, ids)
        return widths

    def _bridge(self, wish: BriefRequest, now: int) -> Sequence[BriefNote]:
        """Return what the caller gives, else what sessions that still run just said or found."""
        if wish.bridge is not None:
            texts = [normalise(text).strip() for text in wish.bridge]
            return [
                BriefNote(id=new_id(now), kind="finding", text=text, at=now, given=True) for text in texts if text
            ]
        root = self._settings.root
        notes = overheard(str(root), wish.session_ref) if root is not None else []
        return [*notes, *self._just_found(wish, now)]

    def _just_found(self, wish: BriefRequest, now: int) -> list[BriefNote]:
        """Return the rules that other sessions found today and that nobody could promote yet: they still run."""
        findings = self._scopes.project.findings.unpromoted(now - limits.DAY_MS, MOST_BRIDGED)
        rules = [
            finding
            for finding in findings
            if finding.session != wish.session
            and finding.kind in KINDS
            and not UNSETTLED_SIGNALS & set(finding.signals)
        ]
        running_sessions = {finding.session for finding in rules if self._runs(finding.session)}
        current = [finding for finding in rules if finding.session in running_sessions]
        turns = self._scopes.project.turns.get([place.turn for finding in current for place in finding.evidence])
        persons = {turn.id for turn in turns if turn_trust(turn) == USER}
        return [
            BriefNote(
                id=finding.id,
                kind=finding.kind,
                text=finding.content,
                at=finding.created_at,
                session=finding.session,
                trust=USER if all(place.turn in persons for place in finding.evidence) else AGENT,
                files=finding.files,
            )
            for finding in current
        ]

    def _runs(self, session_id: str) -> bool:
        session = self._scopes.project.sessions.get(session_id)
        return session is not None and session.status == ACTIVE

    def _changed_files(self, memory: Memory) -> list[str]:
        """Return the files that hold something else than when a memory about them was captured."""
        if not memory.file_hashes:
            return []
        now = content_hashes(self._settings.root, tuple(memory.file_hashes))
        return [file for file, digest in memory.file_hashes.items() if now.get(file) != digest]

    def _last_session(self, current: str | None) -> list[BriefNote]:
        """Return how the last session went that left a summary; the one that asks is not it."""
        recent = self._scopes.project.sessions.newest(None, SUMMARIES)
        return [
            BriefNote(
                id=session.id,
                kind="session",
                text=session.summary,
                at=session.ended_at or session.started_at,
                session=session.id,
            )
            for session in recent
            if session.summary and session.id != current
        ][:1]

    def _record(self, wish: BriefRequest, brief: Brief, began: int) -> None:
        """Keep the receipt; best effort, as it serves statistics and the next brief's limits only.

        The text is kept with it, but for one that holds what the caller gave, which nobody has redacted, and for
        one that may say what was forgotten while it was made.
        """
        store = self._scopes.project
        with contextlib.suppress(HoldfastError), store.writing(limits.PATIENCE_MS):
            was_forgotten = any(
                int(open_store.upkeep.fact(FORGOTTEN_AT) or 0) > began for open_store in self._scopes.opened
            )
            may_keep = wish.bridge is None and not was_forgotten
            store.receipts.record(self._receipt(wish, brief), brief.text if may_keep else None)

    def _receipt(self, wish: BriefRequest, brief: Brief) -> Receipt:
        now = self._clock.now()
        return filled(
            Receipt,
            brief,
            id=new_id(now),
            at=now,
            agent=self._settings.label(render.agent_named(wish.agent)),
            session=wish.session,
            prompted=wish.prompt is not None,
            items=tuple(filled(ReceiptItem, entry) for entry in brief.items),
        )


def nudge_alone(prompt: str, root: str, session_ref: str, agent: str, ceiling: int | None) -> str:
    """Return the request to note a prompt that sounds lasting, for one that gets no brief; else nothing.

    No store is opened for it: in the middle of a session most prompts get nothing.
    """
    if not _sounds_lasting(prompt, last_reply(root, session_ref)):
        return ""
    return alone(render.style_of(agent), os.urandom(NONCE_BYTES).hex(), total_of(PROMPT_BUDGET, None, ceiling))


def _check(wish: BriefRequest) -> None:
    """Refuse what no brief can be made from; the error names the field."""
    if wish.budget is not None:
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


def _since(started_at: float) -> int:
    return round((time.monotonic() - started_at) * 1000)


def _sounds_lasting(prompt: str, reply: str) -> bool:
    """Return whether a prompt states something worth noting at its beginning or end; pastes stand between."""
    reader, remarks = light_judge(), sentences_of(prompt, reply or OPENING)
    outer_remarks = remarks[:OUTER] + remarks[OUTER:][-OUTER:]
    verdicts = reader.lasts(outer_remarks) if reader else ()
    return any(verdict.lasts >= NUDGE for verdict in verdicts)
