"""What a service's verbs work with: each part is imported and made when the first verb needs it.

A command, a hook and the first call of a server are judged by their first answer, and most of them need two or
three of these. What must not be here: a verb, and anything that a verb decides.
"""

from __future__ import annotations

from functools import cached_property

from holdfast.errors import SwitchedOff
from holdfast.model.type_hints import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.capture.prepare import WriteContext
    from holdfast.model.brief import Health
    from holdfast.model.memory import Origin
    from holdfast.model.search import Filters
    from holdfast.ports import Clock
    from holdfast.service.access_log import AccessRecorder
    from holdfast.service.add import Intake
    from holdfast.service.aliases import ProjectAliases
    from holdfast.service.audit import EventLog
    from holdfast.service.briefs import Briefs, BriefSettings
    from holdfast.service.change import MemoryEditor
    from holdfast.service.entries import Exchange
    from holdfast.service.forget import Forgetting
    from holdfast.service.forget_window import ForgetWindow
    from holdfast.service.inbox import Review
    from holdfast.service.inbox.carrying_out import ProposalVerbs
    from holdfast.service.quoted_notes import Attesting
    from holdfast.service.read import MemoryReader
    from holdfast.service.scopes import Scopes
    from holdfast.service.search import Searching
    from holdfast.service.service import Settings
    from holdfast.service.sessions import Recording
    from holdfast.service.upkeep import Tending
    from holdfast.service.user_words import Testimony, UserTurn
    from holdfast.service.vector_backlog import VectorBacklog
    from holdfast.service.views import Views
    from holdfast.upkeep.embed import Embeddings


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

    def desk(self) -> WriteContext:
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

    def searching(self, accesses: AccessRecorder) -> Searching:
        """Return what finds; what was found is noted among the accesses."""
        from holdfast.service.search import Searching

        settings = self._settings
        return Searching(
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

        return Intake(self._scopes, self._embeddings, embed=embed, told=self._settings.daybook.write)

    @cached_property
    def attesting(self) -> Attesting:
        """Notes with the user's own words."""
        from holdfast.service.quoted_notes import Attesting

        def begin(turn: UserTurn) -> str:
            return self.recording.start(turn.agent or "unknown", turn.at, turn.session).id

        return Attesting(self._scopes, self.testimony, self.intake, begin)

    @cached_property
    def forgetting(self) -> Forgetting:
        """The reverse of remembering."""
        from holdfast.service.forget import Forgetting

        settings = self._settings
        return Forgetting(self._scopes, settings.cleaner, settings.daybook.erase, settings.root, settings.copies)

    @cached_property
    def standing(self) -> MemoryEditor:
        """Memories changed, pinned, confirmed, superseded."""
        from holdfast.service.change import MemoryEditor

        return MemoryEditor(self._scopes, self._clock, self._settings.actor)

    @cached_property
    def reading(self) -> MemoryReader:
        """Reads in full, counted."""
        from holdfast.service.read import MemoryReader

        return MemoryReader(self._clock, self._settings.actor, self._settings.off)

    @cached_property
    def tending(self) -> Tending:
        """Upkeep."""
        from holdfast.service.upkeep import Tending, UpkeepOptions

        settings = self._settings
        actor = settings.actor
        care = UpkeepOptions(settings.limits, actor.name, self.tend_sessions, settings.off, person=actor.person)
        return Tending(self._scopes, self._clock, care)

    @cached_property
    def testimony(self) -> Testimony:
        """What the user said lately."""
        from holdfast.service.user_words import Testimony

        return Testimony(self._scopes, self._clock, self._settings.root, self._settings.cleaner)

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
        from holdfast.service.inbox.carrying_out import ProposalVerbs

        return ProposalVerbs(self.standing, self.forgetting, self.desk, self.check_on)

    @cached_property
    def aliases(self) -> ProjectAliases:
        """Words that find each other."""
        from holdfast.service.aliases import ProjectAliases

        return ProjectAliases(self._scopes, self._settings.cleaner, self.check_on)

    @cached_property
    def exchange(self) -> Exchange:
        """Entries taken in whole, everything handed out."""
        from holdfast.service.entries import Exchange

        return Exchange(self._scopes, self.desk, self.check_on)

    @cached_property
    def briefs(self) -> Briefs:
        """What makes briefs."""
        from holdfast.service.briefs import Briefs, BriefSettings

        settings = self._brief() if self._brief else BriefSettings()
        return Briefs(self._scopes, self._clock, self._origin, settings)

    def brief_health(self) -> Health:
        """Say how fast the latest briefs were."""
        from holdfast.recall.brief.health import health_of

        return health_of(self._scopes.project)

    @cached_property
    def forget_window(self) -> ForgetWindow:
        """Forgetting that can be taken back for a moment."""
        from holdfast.service.forget_window import ForgetWindow

        return ForgetWindow(self._scopes, self._clock, self._settings.actor, self.forgetting, self.standing)

    def views(self, accesses: AccessRecorder) -> Views:
        """Return what a person looks at."""
        from holdfast.service.views import Views

        return Views(self, self._scopes, self._clock, self._embeddings, accesses, self._settings)

    @cached_property
    def waiting_rows(self) -> VectorBacklog:
        """What waits for vectors and may be made in the background."""
        from holdfast.service.vector_backlog import VectorBacklog

        return VectorBacklog(self._settings.root, self._scopes, self._embeddings, self._settings.off)

    @cached_property
    def recording(self) -> Recording:
        """Sessions; inside its transactions nothing is embedded."""
        from holdfast.service.sessions import Recording

        intake = self._intake(embed=False)
        return Recording(self._scopes, intake, self.desk, self._settings.habits, self._clock)

    def tend_sessions(self) -> None:
        """End sessions that fell silent, judge what was promoted a day ago, and forget what nobody took back."""
        self.recording.tend()
        self.forget_window.carry_out()
