"""What counts as learnt: what sessions, agents and the extractor added in a span of time, as far as it holds."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from holdfast.model.kinds import EXTRACTOR_ACTOR, HOOKS_ACTOR, LEARNERS, MCP_ACTOR
from holdfast.model.requests import Draft
from holdfast.service.audit import EVENTS_READ, MEMORIES_READ, LearntCount
from holdfast.storage.open import open_service
from tests.conftest import FakeClock

pytestmark = pytest.mark.usefixtures("keyword_judge")


def add(
    project: Path, clock: FakeClock, actor: str, *texts: str, trust: str = "agent", apart: bool = True
) -> None:
    """Remember texts as somebody, each by itself or all at once."""
    service = open_service(project, actor=actor, clock=clock, embed_on_add=False)
    drafts = [Draft(content=text, kind="decision", trust=trust) for text in texts]
    for batch in [[draft] for draft in drafts] if apart else [drafts]:
        service.add_many(batch)
    service.close()


def learnt(project: Path, clock: FakeClock, since: int, until: int) -> LearntCount:
    """Ask as a hook does."""
    service = open_service(project, actor="cli", clock=clock)
    try:
        return service.briefs.learnt(since, until)
    finally:
        service.close()


def counted(project: Path, clock: FakeClock, since: int, until: int) -> LearntCount:
    """Ask, and leave out the names."""
    return replace(learnt(project, clock, since, until), named=())


def test_only_who_learns_from_sessions_is_counted(project: Path, clock: FakeClock) -> None:
    begun = clock.now()
    assert LEARNERS == (HOOKS_ACTOR, MCP_ACTOR, EXTRACTOR_ACTOR)
    for number, actor in enumerate((*LEARNERS, "cli", "python", "http:ada")):
        add(project, clock, actor, f"Crew {number} owns the depot number {number + 20}")
    add(project, clock, MCP_ACTOR, "The readme speaks of yarn", trust="imported")
    assert counted(project, clock, begun, clock.now() + 1) == LearntCount(3)


def test_a_span_has_its_beginning_and_not_its_end(project: Path, clock: FakeClock) -> None:
    """What one sign counted the next one does not, and nothing falls between them."""
    begun = clock.now()
    add(project, clock, MCP_ACTOR, "Tickets are closed by the release bot")
    assert counted(project, clock, begun, begun) == LearntCount(0)
    assert counted(project, clock, begun, begun + 1) == LearntCount(1)
    assert counted(project, clock, begun + 1, begun + 2) == LearntCount(0)


@pytest.mark.parametrize(("count", "apart", "expected"), [
    (EVENTS_READ - 1, True, LearntCount(EVENTS_READ - 1)),
    (EVENTS_READ + 5, True, LearntCount(EVENTS_READ, at_least=True)),
    (MEMORIES_READ, False, LearntCount(MEMORIES_READ)),
    (MEMORIES_READ + 5, False, LearntCount(MEMORIES_READ, at_least=True)),
])  # fmt: skip
def test_of_very_much_it_is_said_that_there_may_be_more(
    project: Path, clock: FakeClock, count: int, apart: bool, expected: LearntCount
) -> None:
    begun = clock.now()
    add(project, clock, MCP_ACTOR, *(f"Depot {n} is owned by crew {n * 7}" for n in range(count)), apart=apart)
    assert counted(project, clock, begun, clock.now() + 1) == expected


def test_the_newest_two_are_named_and_what_holds_before_what_waits(project: Path, clock: FakeClock) -> None:
    begun = clock.now()
    for number, trust in enumerate(("user", "agent", "user", "user", "agent")):
        add(project, clock, MCP_ACTOR, f"Crew {number} owns the depot number {number + 20}", trust=trust)
        clock.advance(1_000)
    named = learnt(project, clock, begun, clock.now()).named
    assert [(one.title[:6], one.waits) for one in named] == [("Crew 3", False), ("Crew 2", False)]
    assert all(len(one.short) == 8 for one in named)
    waiting = learnt(project, clock, begun + 4_000, clock.now()).named
    assert [(one.title[:6], one.waits) for one in waiting] == [("Crew 4", True)]
