"""What a service's verbs work with: each part is imported and made when the first verb needs it; and its settings.

A command, a hook and the first call of a server are judged by their first answer, and most of them need two or
three of these. What must not be here: a verb, and anything that a verb decides.
"""

from __future__ import annotations

from functools import cached_property

from holdfast.capture.text.clean import Cleaner
from holdfast.errors import SwitchedOff
from holdfast.model.actor import PYTHON, Actor
from holdfast.model.finding import CaptureOptions
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.upkeep import Limits
from holdfast.model.value import Value, field
from holdfast.recall.ranking import Ranking
from holdfast.service.daily_log import DailyLog

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from holdfast.capture.prepare import WriteContext
    from holdfast.model.brief import Health
    from holdfast.model.memory import Origin
    from holdfast.model.search import Filters
    from holdfast.ports import Clock, Reranker
    from holdfast.service.access_log import AccessRecorder
    from holdfast.service.add import Intake
    from holdfast.service.aliases import ProjectAliases
    from holdfast.service.audit import EventLog
    from holdfast.service.briefs import Briefs, BriefSettings
    from holdfast.service.change import MemoryEditor
    from holdfast.service.entries import Exchange
    from holdfast.service.forget import Copies, Forgetter
    from holdfast.service.forget_window import ForgetWindow
    from holdfast.service.inbox import Review
    from holdfast.service.inbox.proposals import ProposalVerbs
    from holdfast.service.quoted_notes import QuotedNotes
    from holdfast.service.read import MemoryReader
    from holdfast.service.scopes import Scopes
    from holdfast.service.search import Searcher
    from holdfast.service.sessions import SessionRecorder
    from holdfast.service.upkeep import UpkeepRunner
    from holdfast.service.user_words import UserTurn, UserWords
    from holdfast.service.vector_backlog import VectorBacklog
    from holdfast.service.views import Views
    from holdfast.upkeep.embed import Embeddings


class Settings(Value, kw_only=True):
    """What the verbs need to know of the configuration."""

    actor: Actor = PYTHON
    ranking: Ranking = field(default_factory=Ranking)
    embed_on_add: bool = True
    root: Path | None = None
    cleaner: Cleaner = field(default_factory=Cleaner)
    habits: CaptureOptions = field(default_factory=CaptureOptions)
    ignored_settings: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    daily_log: DailyLog = field(default_factory=DailyLog)
    copies: Copies | None = None
    """The backups; None where they are not ours."""
    reranker: Reranker | None = None
    """Has the last word on what is recalled."""
    off: Callable[[], str | None] = lambda: None
    """Why memory is switched off just now, or None. Asked at every write: a pause reaches open services."""


class ServiceParts:
    """The parts of one service, over its stores and by its settings."""

    def __init__(
        self,
        scopes: Scopes,
        clock: Clock,
        origin: Callable[[], Origin],
        settings: Settings,
        embeddings: Embeddings,
        brief: Callable[[], BriefSettings] | None,
    ) -> None:
        self._scopes = scopes
        self._clock = clock
        self._origin = origin
        self._settings = settings
        self._embeddings = embeddings
        self._brief = brief

    def check_on(self) -> None:
        """Refuse to write while memory is switched off."""
        reason = self._settings.off()
        if reason:
            raise SwitchedOff(reason=reason)

    def write_context(self) -> WriteContext:
        """Return where drafts come in, now."""
        from holdfast.capture.prepare import WriteContext

        settings = self._settings
        return WriteContext(
            origin=self._origin(),
            now=self._clock.now(),
            actor=settings.actor,
            root=settings.root,
            cleaner=settings.cleaner,
        )

    @cached_property
    def intake(self) -> Intake:
        """The write path."""
        return self._intake(embed=self._settings.embed_on_add)

    def searcher(self, accesses: AccessRecorder) -> Searcher:
        """Return what finds; what was found is noted among the accesses."""
        from holdfast.service.search import Searcher

        settings = self._settings
        return Searcher(
            scopes=self._scopes,
            embeddings=self._embeddings,
            accesses=accesses,
            aliases=self.aliases,
            ranking=settings.ranking,
            cleaner=settings.cleaner,
            root=settings.root,
            off=settings.off,
            reranker=settings.reranker,
        )

    def stored_filters(self, filters: Filters, now: int | None) -> Filters:
        """Return a caller's filters in the form that stores keep things in."""
        from holdfast.service.search import stored_filters

        return stored_filters(filters, self._settings.cleaner, self._settings.root, now)

    def _intake(self, *, embed: bool) -> Intake:
        from holdfast.service.add import Intake

        return Intake(self._scopes, self._embeddings, embed=embed, on_written=self._settings.daily_log.write)

    @cached_property
    def quoted_notes(self) -> QuotedNotes:
        """Notes with the user's own words."""
        from holdfast.service.quoted_notes import QuotedNotes

        def begin(turn: UserTurn) -> str:
            return self.recorder.start(turn.agent or "unknown", turn.at, turn.session).id

        return QuotedNotes(self._scopes, self.user_words, self.intake, begin)

    @cached_property
    def forgetter(self) -> Forgetter:
        """The reverse of remembering."""
        from holdfast.service.forget import Forgetter

        settings = self._settings
        return Forgetter(self._scopes, settings.cleaner, settings.daily_log.erase, settings.root, settings.copies)

    @cached_property
    def editor(self) -> MemoryEditor:
        """Memories changed, pinned, confirmed, superseded."""
        from holdfast.service.change import MemoryEditor

        return MemoryEditor(self._scopes, self._clock, self._settings.actor)

    @cached_property
    def reader(self) -> MemoryReader:
        """Memories read by id, time and filters."""
        from holdfast.service.read import MemoryReader

        return MemoryReader(self._scopes, self._clock, self._settings.actor, self._settings.off)

    @cached_property
    def upkeep(self) -> UpkeepRunner:
        """Upkeep."""
        from holdfast.service.upkeep import UpkeepOptions, UpkeepRunner

        settings = self._settings
        care = UpkeepOptions(
            settings.limits,
            settings.actor.name,
            self.tend_sessions,
            settings.off,
            person=settings.actor.person,
            root=settings.root,
        )
        return UpkeepRunner(self._scopes, self._clock, care)

    @cached_property
    def user_words(self) -> UserWords:
        """What the user said lately."""
        from holdfast.service.user_words import UserWords

        return UserWords(self._scopes, self._clock, self._settings.root, self._settings.cleaner)

    @cached_property
    def log(self) -> EventLog:
        """What was done."""
        from holdfast.service.audit import EventLog

        return EventLog(self._scopes, self._clock)

    @cached_property
    def review(self) -> Review:
        """What waits for a person."""
        from holdfast.service.inbox import Review

        return Review(self._scopes, self._clock, self._settings.actor, self._review_verbs)

    def _review_verbs(self) -> ProposalVerbs:
        from holdfast.service.inbox.proposals import ProposalVerbs

        return ProposalVerbs(self.editor, self.forgetter, self.write_context, self.check_on)

    @cached_property
    def aliases(self) -> ProjectAliases:
        """Words that find each other."""
        from holdfast.service.aliases import ProjectAliases

        return ProjectAliases(self._scopes, self._settings.cleaner, self.check_on)

    @cached_property
    def exchange(self) -> Exchange:
        """Entries taken in whole, everything handed out."""
        from holdfast.service.entries import Exchange

        return Exchange(self._scopes, self.write_context, self.check_on)

    @cached_property
    def briefs(self) -> Briefs:
        """What makes briefs."""
        from holdfast.service.briefs import Briefs, BriefSettings

        settings = self._brief() if self._brief else BriefSettings()
        return Briefs(self._scopes, self._clock, self._origin, settings)

    def brief_health(self) -> Health:
        """Say how fast the latest briefs were."""
        from holdfast.recall.brief.account import health_of

        return health_of(self._scopes.project)

    @cached_property
    def forget_window(self) -> ForgetWindow:
        """Forgetting that can be taken back for a moment."""
        from holdfast.service.forget_window import ForgetWindow

        return ForgetWindow(self._scopes, self._clock, self._settings.actor, self.forgetter, self.editor)

    def views(self, accesses: AccessRecorder) -> Views:
        """Return what a person looks at."""
        from holdfast.service.views import Views

        return Views(self, self._scopes, self._clock, self._embeddings, accesses, self._settings)

    @cached_property
    def vector_backlog(self) -> VectorBacklog:
        """What waits for vectors and may be made in the background."""
        from holdfast.service.vector_backlog import VectorBacklog

        return VectorBacklog(self._settings.root, self._scopes, self._embeddings, self._settings.off)

    @cached_property
    def recorder(self) -> SessionRecorder:
        """Sessions; inside its transactions nothing is embedded."""
        from holdfast.service.sessions import SessionRecorder

        intake = self._intake(embed=False)
        return SessionRecorder(self._scopes, intake, self.write_context, self._settings.habits, self._clock)

    def tend_sessions(self) -> None:
        """End sessions that fell silent, judge what was promoted a day ago, and forget what nobody took back."""
        self.recorder.tend()
        self.forget_window.carry_out()
