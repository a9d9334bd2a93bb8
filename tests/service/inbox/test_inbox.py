"""The inbox: everything that waits, once each, what matters first, with the words it comes from."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.errors import InvalidInput, Proposed, UnknownId
from holdfast.model.actor import Actor
from holdfast.model.requests import Changes, Draft, Message
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from tests.conftest import FakeClock


@pytest.fixture
def person(project: Path, clock: FakeClock) -> Iterator[Service]:
    with closing(open_service(project, actor="cli", clock=clock)) as opened:
        yield opened


@pytest.fixture
def agent(person: Service) -> Service:
    """The same memory in the hands of an agent."""
    return person.acting_as(Actor("mcp", person=False, agent="codex"))


def noted(service: Service, content: str, **fields: object) -> str:
    """Remember something as an agent does; return its id."""
    return service.add(Draft(content=content, **fields)).id or ""  # type: ignore[arg-type]  # names of a draft


def disagreeing(service: Service) -> tuple[str, str]:
    """Remember two rules of a person that cannot both hold."""
    older = noted(service, "Always use Redis for the job queue", kind="decision", trust="user")
    return older, noted(service, "Never use Redis for the job queue", kind="decision", trust="user")


def test_conflicts_come_first_then_proposals_then_candidates_by_weight(
    person: Service, agent: Service, clock: FakeClock
) -> None:
    light = noted(agent, "The build server sits in Frankfurt", importance=0.3)
    heavy = noted(agent, "Integration tests need the emulator", importance=0.9)
    rule = noted(person, "Never push to main", trust="user")
    with pytest.raises(Proposed):
        agent.update(rule, Changes(content="Push to main"))
    clock.advance(1)
    older, newer = disagreeing(person)
    inbox = person.review.inbox()
    assert [one.sort for one in inbox.items] == ["conflict", "proposal", "candidate", "candidate"]
    conflict, proposal, *candidates = inbox.items
    assert [(side.id, side.newer) for side in conflict.sides] == [(older, False), (newer, True)]
    assert [side.id for side in proposal.sides] == [rule]
    assert (proposal.verb, proposal.by, dict(proposal.arguments)) == (
        "update",
        "codex",
        {"content": "Push to main"},
    )
    assert [one.id for one in candidates] == [heavy, light]
    assert inbox.total == 4
    assert person.review.waits().total == 4


def test_a_persons_conflict_comes_before_one_of_agents(person: Service, agent: Service, clock: FakeClock) -> None:
    older, _ = disagreeing(person)
    clock.advance(1)
    for content in ("Always squash commits before merging", "Never squash commits before merging"):
        noted(agent, content, kind="decision")
    first, second = person.review.inbox(sorts=("conflict",)).items
    assert older in {side.id for side in first.sides}
    assert {side.trust for side in second.sides} == {"agent"}
    assert second.at > first.at


def test_what_is_part_of_a_conflict_or_a_proposal_is_not_a_candidate_too(person: Service, agent: Service) -> None:
    for content in ("Always squash commits before merging", "Never squash commits before merging"):
        noted(agent, content, kind="decision")
    wish = noted(agent, "The build server sits in Frankfurt")
    with pytest.raises(Proposed):
        agent.pin(wish)
    assert [one.sort for one in person.review.inbox().items] == ["conflict", "proposal"]


def test_what_was_taken_in_is_counted_and_listed_only_when_asked_for(person: Service, agent: Service) -> None:
    taken_in = noted(person, "Widgets are blue", trust="imported", source="git")
    note = noted(agent, "Gadgets are red")
    inbox = person.review.inbox()
    assert [one.id for one in inbox.items] == [note]
    assert (inbox.total, inbox.imported) == (1, 1)
    everything = person.review.inbox(imported=True)
    assert {one.id for one in everything.items} == {taken_in, note}
    assert person.review.waits().total == 1


def test_what_a_candidate_was_read_from_is_shown_with_session_and_date(person: Service, clock: FakeClock) -> None:
    session = person.start_session("claude-code")
    person.record(session.id, Message(role="user", text="The tests fail with ECONNREFUSED on port 5432."))
    person.record(
        session.id,
        Message(role="assistant", text="The database was not up. Starting it with `make db` fixed ECONNREFUSED."),
    )
    person.record(
        session.id,
        Message(role="user", text="Great, that fixed it. Remember that `make db` comes before the tests."),
    )
    person.end_session(session.id)
    [memory] = [one for one in person._scopes.project.memories.walk(None, 10) if "make db" in one.content]
    side = person.review._listing._side(memory)
    assert side.quotations
    quotation = side.quotations[0]
    assert "make db" in quotation.text
    assert (quotation.role, quotation.agent, quotation.session) == ("user", "claude-code", session.id)
    assert quotation.session_short == session.id[-8:]
    assert quotation.at == clock.now()


def test_only_so_many_are_listed_and_the_total_says_how_many_there_are(person: Service, agent: Service) -> None:
    for number in range(5):
        noted(agent, f"Fact {number} of the matter")
    inbox = person.review.inbox(limit=2)
    assert (len(inbox.items), inbox.total) == (2, 5)


def test_an_unknown_sort_or_limit_is_refused_by_name(person: Service) -> None:
    with pytest.raises(InvalidInput, match="sort"):
        person.review.inbox(sorts=("worries",))
    with pytest.raises(InvalidInput, match="limit"):
        person.review.inbox(limit=0)


def test_an_id_that_nothing_waits_under_says_so(person: Service, agent: Service) -> None:
    with pytest.raises(UnknownId, match="inbox"):
        person.review.item("ffffffff")
    rule = noted(person, "Never push to main", trust="user")
    with pytest.raises(InvalidInput, match="confirmed already"):
        person.review.item(rule)
    short = noted(agent, "The build server sits in Frankfurt")[-8:]
    assert person.review.item(f"#{short}").sort == "candidate"


def test_faded_and_superseded_candidates_do_not_wait(person: Service, agent: Service, clock: FakeClock) -> None:
    note = noted(agent, "Still looking into the flaky login test", kind="task_progress")
    assert [one.id for one in person.review.inbox().items] == [note]
    clock.advance(40 * 86_400_000)
    assert not person.review.inbox().items
