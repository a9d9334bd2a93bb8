"""The pages of the viewer: one value a page, made of what the stores and the other parts of a service know.

Looking changes nothing and counts as no read. Nothing here decides about memories.
"""

from msgspec import Struct
from msgspec.structs import replace

from holdfast.model.kinds import KINDS, STATUSES, TARGETS, TRUSTS
from holdfast.model.requests import BriefRequest, SearchRequest
from holdfast.model.search import Filters
from holdfast.model.times import iso
from holdfast.recall.brief.render import AGENTS
from holdfast.service.forget import WINDOW_MS, deadlines
from holdfast.service.parts import ServiceParts
from holdfast.service.views.explained import BriefPreview, SearchPage, preview_page, search_page
from holdfast.service.views.health import HealthPage, health_page
from holdfast.service.views.lines import Lines
from holdfast.service.views.memory import MemoryPage, memory_page
from holdfast.service.views.session import BriefPage, SessionPage, SessionPages, TurnsPage, TurnsPlace
from holdfast.service.views.timeline import TimelinePage, TimelineRequest, timeline_page
from holdfast.service.views.today import InboxPage, Today, inbox_page, today_page

LATEST = 200
"""The latest sessions and memories whose agents and branches are offered as filters."""


class ViewFacts(Struct, frozen=True, kw_only=True):
    """The choices that the pages offer, and whose memory it is."""

    project: str
    person: bool
    read_only: str | None
    off: str | None
    undo_s: int
    kinds: tuple[str, ...]
    statuses: tuple[str, ...]
    trusts: tuple[str, ...]
    targets: tuple[str, ...]
    agents: tuple[str, ...]
    seen_agents: tuple[str, ...]
    branches: tuple[str, ...]
    prompt_budget: int
    start_budget: int


class Views:
    """The pages of one service."""

    def __init__(self, parts: ServiceParts) -> None:
        self._parts = parts

    @property
    def for_person(self) -> bool:
        """Whether a person looks, who may take back what they do."""
        return self._parts.settings.actor.person

    def facts(self) -> ViewFacts:
        """Say whose memory it is, and what there is to choose from."""
        project = self._parts.scopes.project
        with project.reading():
            sessions = project.sessions.newest(None, LATEST)
            memories = project.memories.newest(Filters(), LATEST)
            state = project.state()
        return ViewFacts(
            project=state.project,
            person=self.for_person,
            read_only=state.read_only,
            off=self._parts.settings.off(),
            undo_s=WINDOW_MS // 1000,
            kinds=KINDS,
            statuses=STATUSES,
            trusts=TRUSTS,
            targets=TARGETS,
            agents=AGENTS,
            seen_agents=_names([*(session.agent for session in sessions), *(memory.agent for memory in memories)]),
            branches=_names([memory.branch for memory in memories]),
            prompt_budget=self._parts.briefs.prompt_budget,
            start_budget=self._parts.briefs.start_budget,
        )

    def today(self, sessions: int) -> Today:
        """Return what happened lately."""
        rules = self._parts.rules.totals(iso(self._parts.clock.now())[:10])
        return today_page(self._lines(), self._parts.review.waits(), rules, sessions)

    def timeline(self, request: TimelineRequest) -> TimelinePage:
        """Return a page of the past."""
        stored_request = replace(request, filters=self._parts.searcher.stored_filters(request.filters, None))
        return timeline_page(self._lines(), stored_request)

    def search(self, request: SearchRequest) -> SearchPage:
        """Search, and say why what was found stands where it does."""
        return search_page(self._parts.searcher, request)

    def memory(self, memory_id: str) -> MemoryPage:
        """Return everything about a memory."""
        return memory_page(self._lines(), self._parts.settings.root, memory_id)

    def session(self, session_id: str) -> SessionPage:
        """Return everything about a session but its turns."""
        return self._session_pages.page(session_id)

    def turns(self, session_id: str, place: TurnsPlace, limit: int) -> TurnsPage:
        """Return what was said, a page at a time."""
        return self._session_pages.turns(session_id, place, limit)

    def brief(self, receipt_id: str) -> BriefPage:
        """Return a brief word for word."""
        return self._session_pages.brief(receipt_id)

    def preview(self, request: BriefRequest) -> BriefPreview:
        """Return what an agent would be told, and why."""
        return preview_page(self._parts.briefs.preview(request), self._parts.scopes)

    def health(self) -> HealthPage:
        """Return how memory is doing."""
        return health_page(self._lines(), self._parts)

    def inbox(self, limit: int, sort: str | None, *, imported: bool) -> InboxPage:
        """Return what waits for a person, and what can be taken back."""
        inbox = self._parts.review.inbox(limit, (sort,) if sort else (), imported=imported)
        return inbox_page(inbox, self._parts.scopes)

    @property
    def _session_pages(self) -> SessionPages:
        return SessionPages(self._lines())

    def _lines(self) -> Lines:
        scopes = self._parts.scopes
        return Lines(scopes, self._parts.clock.now(), deadlines(scopes.present))


def _names(names: list[str | None]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}))
