"""The context of a service's verbs: stores, settings, and parts that are imported and made when a verb needs them.

A command, a hook and the first call of a server are judged by their first answer, and most of them need two or
three parts. Verbs, and anything that a verb decides, must not be here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, field

from holdfast.capture.text.clean import Cleaner
from holdfast.errors import HoldfastError, SwitchedOff
from holdfast.machine import failures
from holdfast.model.actor import PYTHON, Actor
from holdfast.model.finding import CaptureOptions
from holdfast.model.upkeep import StoreLimits

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.capture.prepare import WriteContext
    from holdfast.judge import Judge
    from holdfast.model.memory import Memory, Origin
    from holdfast.ports import Clock, Reranker
    from holdfast.recall.ranking import Ranking
    from holdfast.service.access_log import AccessRecorder
    from holdfast.service.act import ActRules
    from holdfast.service.add import Intake
    from holdfast.service.briefs import Briefs, BriefSettings
    from holdfast.service.change import MemoryEditor
    from holdfast.service.daily_log import DailyLog
    from holdfast.service.forget import Copies, Forgetter, ForgetWindow
    from holdfast.service.inbox import Review
    from holdfast.service.read import MemoryReader
    from holdfast.service.rules import RuleBook
    from holdfast.service.scopes import Scopes
    from holdfast.service.search import Searcher
    from holdfast.service.sessions import SessionRecorder
    from holdfast.service.upkeep import UpkeepRunner
    from holdfast.service.user_words import UserWords
    from holdfast.upkeep.embed import Embeddings


def _usual_ranking() -> Ranking:
    from holdfast.recall.ranking import Ranking

    return Ranking()


def _best_judge() -> Judge:
    from holdfast import judge

    return judge.best()


class Settings(Struct, frozen=True, kw_only=True):
    """The configuration as the verbs need it."""

    actor: Actor = PYTHON
    ranking: Callable[[], Ranking] = _usual_ranking
    embed_on_add: bool = True
    root: Path | None = None
    cleaner: Cleaner = field(default_factory=Cleaner)
    habits: CaptureOptions = field(default_factory=CaptureOptions)
    ignored_settings: tuple[str, ...] = ()
    limits: StoreLimits = field(default_factory=StoreLimits)
    log_directory: Path | None = None
    """Where the daily log lies, if there is one. What was written while it was on is forgotten also later."""
    writes_log: bool = False
    copies: Callable[[], Copies] | None = None
    """Opens the backups; None where they are not ours."""
    reranker: Reranker | None = None
    """Orders what is recalled, where one is set."""
    judge: Callable[[], Judge] = _best_judge
    """Opens the judge of talk."""
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
        self.scopes = scopes
        self.clock = clock
        self.origin = origin
        self.settings = settings
        self.embeddings = embeddings
        self.brief = brief
        self._has_written = False

    def on(self) -> ServiceParts:
        """Return the parts for a verb that writes; refuse while memory is switched off."""
        reason = self.settings.off()
        if reason:
            raise SwitchedOff(reason=reason)
        self._has_written = True
        return self

    def refresh_rules(self, *, always: bool = False) -> None:
        """Compile the rules for hooks where something was written since; a failure costs that, not the write."""
        if not (self._has_written or always) or self.settings.root is None:
            return
        self._has_written = False
        try:
            self.rules.refresh()
        except (OSError, HoldfastError) as error:
            failures.leave("rules", str(self.settings.root), error)

    def write_context(self) -> WriteContext:
        """Return where drafts come in, now."""
        from holdfast.capture.prepare import WriteContext

        settings = self.settings
        return WriteContext(
            origin=self.origin(),
            now=self.clock.now(),
            actor=settings.actor,
            root=settings.root,
            cleaner=settings.cleaner,
        )

    @cached_property
    def accesses(self) -> AccessRecorder:
        """The log of searches and reads."""
        from holdfast.service.access_log import AccessRecorder

        return AccessRecorder(self.scopes.project, self.settings.off)

    def write_accesses(self) -> None:
        """Write what waits in the log of accesses, if anything was shown."""
        if "accesses" in self.__dict__:
            self.accesses.write()

    @cached_property
    def daily_log(self) -> DailyLog:
        """The files that repeat new memories for people."""
        from holdfast.service.daily_log import DailyLog

        return DailyLog(self.settings.log_directory)

    def log_new(self, new: Sequence[Memory], now: int) -> None:
        """Put new memories of the project into the daily log, where one is kept."""
        if new and self.settings.writes_log:
            self.daily_log.write(new, now)

    @cached_property
    def judge(self) -> Judge:
        """The judge of talk."""
        return self.settings.judge()

    @cached_property
    def intake(self) -> Intake:
        """The write path."""
        from holdfast.service.add import Intake

        return Intake(self.scopes, self.embeddings, self.log_new, embed=self.settings.embed_on_add)

    @cached_property
    def searcher(self) -> Searcher:
        """Search; its hits are noted among the accesses."""
        from holdfast.service.search import Searcher

        return Searcher(self)

    @cached_property
    def forgetter(self) -> Forgetter:
        """The reverse of remembering."""
        from holdfast.service.forget import Forgetter

        settings, log = self.settings, self.daily_log
        return Forgetter(self.scopes, settings.cleaner, log.erase, settings.root, settings.copies)

    @cached_property
    def forget_window(self) -> ForgetWindow:
        """Forgetting that can be taken back for a moment."""
        from holdfast.service.forget import ForgetWindow

        return ForgetWindow(self)

    @cached_property
    def editor(self) -> MemoryEditor:
        """Memories changed, pinned, confirmed, superseded."""
        from holdfast.service.change import MemoryEditor

        return MemoryEditor(self.scopes, self.clock, self.settings.actor)

    @cached_property
    def rules(self) -> RuleBook:
        """The rules as they stand."""
        from holdfast.service.rules import RuleBook

        return RuleBook(self)

    @cached_property
    def acts(self) -> ActRules:
        """Rules at the act."""
        from holdfast.service.act import ActRules

        return ActRules(self)

    @cached_property
    def reader(self) -> MemoryReader:
        """Memories read by id, time and filters."""
        from holdfast.service.read import MemoryReader

        return MemoryReader(self.scopes, self.clock, self.settings.actor, self.settings.off)

    @cached_property
    def upkeep(self) -> UpkeepRunner:
        """Upkeep."""
        from holdfast.service.upkeep import UpkeepOptions, UpkeepRunner

        settings = self.settings
        care = UpkeepOptions(
            settings.limits,
            settings.actor.name,
            self.tend_sessions,
            settings.off,
            person=settings.actor.person,
            root=settings.root,
        )
        return UpkeepRunner(self.scopes, self.clock, care)

    @cached_property
    def user_words(self) -> UserWords:
        """The user's latest words."""
        from holdfast.service.user_words import UserWords

        return UserWords(self.scopes, self.clock, self.settings.root, self.settings.cleaner)

    @cached_property
    def review(self) -> Review:
        """The inbox."""
        from holdfast.service.inbox import Review

        return Review(self)

    @cached_property
    def briefs(self) -> Briefs:
        """Briefs."""
        from holdfast.service.briefs import Briefs, BriefSettings

        settings = self.brief() if self.brief else BriefSettings()
        return Briefs(self.scopes, self.clock, self.origin, settings)

    @cached_property
    def recorder(self) -> SessionRecorder:
        """Sessions."""
        from holdfast.service.sessions import SessionRecorder

        return SessionRecorder(self)

    def tend_sessions(self) -> None:
        """End sessions that fell silent, judge what was promoted a day ago, and forget what nobody took back."""
        self.recorder.tend()
        self.forget_window.carry_out()
