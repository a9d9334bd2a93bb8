"""Whose word a memory is: told by the turns it was read from, not by who reads them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.interfaces.python import SessionHandle
from holdfast.model.actor import Actor
from holdfast.model.limits import DAY_MS
from holdfast.model.requests import Draft, Message
from holdfast.model.search import Filters
from holdfast.storage.open import open_service
from tests.conftest import FakeClock

pytestmark = pytest.mark.usefixtures("keyword_judge")

ASKED = "From now on uploads are capped at 25 MB after decompression."
AN_AGENT = Actor("mcp", person=False, agent="codex")
RECAP = "Settled: uploads are capped to 25 MB decompressed."


@pytest.fixture
def memory(project: Path, clock: FakeClock) -> Iterator[Holdfast]:
    with Holdfast(open_service(project, actor="python", clock=clock)) as opened:
        yield opened


def chat(session: SessionHandle, *texts: str) -> SessionHandle:
    for place, text in enumerate(texts):
        session.record(("user", "assistant")[place % 2], text)
    return session


def test_who_ends_a_silent_session_does_not_change_whose_word_it_holds(project: Path, clock: FakeClock) -> None:
    """Hooks recorded what the user said; a day later an agent's process was the first to look."""
    with closing(open_service(project, actor="hooks", clock=clock)) as service:
        service.record(service.start_session("claude-code").id, Message(role="user", text=ASKED))
        clock.advance(DAY_MS + 1)
        service.acting_as(AN_AGENT).start_session("codex")
        [rule] = service.list(Filters(), 10)
    assert (rule.trust, rule.status, rule.agent) == ("user", "confirmed", "claude-code")


def test_what_an_agent_says_the_user_said_is_relayed_whoever_ends_the_session(
    project: Path, clock: FakeClock
) -> None:
    with closing(open_service(project, actor="cli", clock=clock)) as service:
        rule = service.add(Draft(content="Uploads are capped at 10 MB after decompression.", trust="user")).id
        agent = service.acting_as(AN_AGENT)
        session = agent.start_session("codex")
        assert agent.record(session.id, Message(role="User", text=ASKED)).role == "relayed"
        service.end_session(session.id)
        found = {one.content: one for one in service.list(Filters(), 10)}
        assert service.user_words.turns(DAY_MS) == []
        conflicts = service.conflicts()
    assert (found[ASKED].trust, found[ASKED].status) == ("agent", "candidate")
    assert found["Uploads are capped at 10 MB after decompression."].id == rule
    assert [one.first for one in conflicts] == [rule]


def test_a_proposal_that_an_agent_says_the_user_took_over_is_not_confirmed(
    project: Path, clock: FakeClock
) -> None:
    with closing(open_service(project, actor="cli", clock=clock)) as service:
        agent = service.acting_as(AN_AGENT)
        session = agent.start_session("codex")
        agent.record(
            session.id, Message(role="assistant", text="The client is limited to 3 requests a second, never more.")
        )
        agent.record(session.id, Message(role="user", text="Yes, keep it that way."))
        agent.end_session(session.id)
        [taken] = service.list(Filters(), 10)
    assert (taken.trust, taken.status) == ("agent", "candidate")


def test_an_agents_recap_of_what_a_person_said_in_passing_is_no_demand_of_theirs(memory: Holdfast) -> None:
    passing = "change the cap of uploads to 25 MB decompressed"
    chat(memory.start_session(), "Look at it.", "I looked at it.", passing).end()
    chat(memory.start_session(), "Uploads must not exceed 25 MB after decompression.", RECAP).end()
    found = {one.content: (one.trust, one.status) for one in memory.list()}
    assert found == {"Uploads must not exceed 25 MB after decompression.": ("user", "candidate")}


def test_a_rule_is_the_persons_also_where_it_ends_in_words_that_settle(memory: Holdfast) -> None:
    rule = "Never deploy the invoices service on Fridays, that is the rule."
    chat(memory.start_session(), "Look at the invoices.", "Understood, noted.", rule).end()
    assert [(one.content, one.trust, one.status) for one in memory.list()] == [(rule, "user", "candidate")]


def test_an_agents_acknowledgement_is_nothing_to_settle(memory: Holdfast) -> None:
    chat(memory.start_session(), "Look at the invoices.", "Understood, noted.", "Keep it that way.").end()
    assert memory.list() == []
