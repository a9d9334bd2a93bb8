"""Notes with the user's own words: where the user said them they are the user's, and else the agent's."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.agents import spool
from holdfast.compose.open import open_service
from holdfast.errors import InvalidInput
from holdfast.model.actor import Actor
from holdfast.model.finding import NOTED
from holdfast.model.kinds import RELAYED
from holdfast.model.memory import Added, Memory
from holdfast.model.requests import Draft, Message
from holdfast.model.search import Filters
from holdfast.service.service import Service
from tests.conftest import FakeClock

SAID = "No, please use bun instead of npm for everything in this repo."
NOTE = "Use bun, never npm, for everything in this repo."
QUOTE = "use bun instead of npm"
AGENT = Actor("mcp", person=False, agent="claude-code")
HOUR = 3_600_000
DAY = 24 * HOUR


@pytest.fixture
def service(project: Path, clock: FakeClock) -> Iterator[Service]:
    with closing(open_service(project, actor="hooks", clock=clock)) as opened:
        yield opened


@pytest.fixture
def agent(service: Service) -> Service:
    """The same memory, as an agent reaches it."""
    return service.acting_as(AGENT)


def say(service: Service, text: str, role: str = "user", session: str = "s1", agent: str = "claude-code") -> str:
    """Let a session hold a turn; return the session's id."""
    started = service.start_session(agent, ref=f"claude:{session}")
    service.record(started.id, Message(role=role, text=text))
    return started.id


def spooled(project: Path, at: int, text: str = SAID, kind: str = "prompt", session: str = "s1") -> None:
    """Leave a turn where hooks do."""
    entry: dict[str, object] = {"kind": kind, "client": "claude", "agent": "claude-code", "session": session}
    said = {"role": "user", "text": text, "ref": f"user:{at}"} if kind == "prompt" else {}
    spool.append(spool.prepare(str(project)), f"claude-{session}", {**entry, "at": at, **said})


def note(service: Service, quote: str | None = QUOTE, content: str = NOTE, **more: object) -> tuple[Added, Memory]:
    """Note something; return what became of it, and the memory."""
    added = service.add(Draft(content=content, quote=quote, source="mcp", **more))  # type: ignore[arg-type]  # names
    memory = service.peek(added.id or "")
    assert memory is not None
    return added, memory


def current(service: Service) -> list[Memory]:
    """Return the memories that hold."""
    return service.list(Filters())


def standing(memory: Memory) -> tuple[str, str]:
    return memory.trust, memory.status


def test_what_the_user_said_is_the_users_word_and_confirmed(service: Service, agent: Service) -> None:
    session = say(service, SAID)
    added, memory = note(agent)
    assert (added.proven, added.unproven) == (True, None)
    assert standing(memory) == ("user", "confirmed")
    assert (memory.session, memory.metadata["quote"]) == (session, QUOTE)
    [finding] = service.findings(session)
    assert (finding.signals, finding.memory, finding.content) == ((NOTED,), memory.id, QUOTE)
    [place] = finding.evidence
    [turn] = service.turns(session)
    assert turn.text[place.start : place.end] == QUOTE


def test_a_turn_that_hooks_have_just_heard_counts_and_is_tied_when_it_arrives(
    service: Service, agent: Service, project: Path, clock: FakeClock
) -> None:
    spooled(project, clock.now())
    added, memory = note(agent)
    assert added.proven
    assert standing(memory) == ("user", "confirmed")
    session = say(service, SAID)
    assert memory.session == session
    service.checkpoint(session)
    assert [one.memory for one in service.findings(session) if NOTED in one.signals] == [memory.id]


@pytest.mark.parametrize("role", ["assistant", "tool", "system", "developer", RELAYED])
def test_what_anybody_else_said_buys_no_trust(service: Service, agent: Service, role: str) -> None:
    say(service, SAID, role)
    added, memory = note(agent)
    assert not added.proven
    assert "stands in nothing that the user said" in (added.unproven or "")
    assert standing(memory) == ("agent", "candidate")
    assert "quote" not in memory.metadata


def test_what_the_user_pasted_is_not_what_they_said(service: Service, agent: Service) -> None:
    say(service, f"what does this mean?\n```\n{SAID}\n```")
    assert standing(note(agent)[1]) == ("agent", "candidate")


def test_a_note_without_a_quote_is_the_agents(service: Service, agent: Service) -> None:
    say(service, SAID)
    for quote in (None, "", "  "):
        added, memory = note(agent, quote)
        assert (added.proven, added.unproven, standing(memory)) == (False, None, ("agent", "candidate"))


def test_a_quote_that_proves_too_little_says_why(service: Service, agent: Service) -> None:
    say(service, "yes please do it for me")
    added, memory = note(agent, "yes please do it")
    assert "too short" in (added.unproven or "")
    assert standing(memory) == ("agent", "candidate")


def test_only_sessions_that_run_are_asked(
    service: Service, agent: Service, project: Path, clock: FakeClock
) -> None:
    service.end_session(say(service, SAID))
    assert not note(agent)[0].proven
    spooled(project, clock.now(), session="s2")
    assert note(agent)[0].proven
    spooled(project, clock.now(), kind="end", session="s2")
    assert not note(agent, content=f"{NOTE} Always.")[0].proven


def test_of_one_running_session_all_counts_of_several_the_last_day(
    service: Service, agent: Service, clock: FakeClock
) -> None:
    say(service, SAID)
    clock.advance(20 * HOUR)
    say(service, "Go on with the next one.")
    clock.advance(20 * HOUR)
    say(service, "Go on with the last one.")
    assert note(agent)[0].proven
    say(service, "Something else altogether here.", session="s2")
    assert not note(agent, content=f"{NOTE} Always.")[0].proven


def test_the_session_of_the_same_client_is_asked_first(service: Service, agent: Service) -> None:
    say(service, SAID, session="s2", agent="codex")
    assert note(agent)[0].proven
    say(service, "Something else altogether here.")
    assert not note(agent, content=f"{NOTE} Always.")[0].proven


def test_what_a_helper_was_told_an_agent_told_it(service: Service, agent: Service) -> None:
    parent = say(service, "Something else altogether here.")
    helper = service.start_session("claude-code", ref="claude:helper", parent=parent)
    service.record(helper.id, Message(role="user", text=SAID))
    assert not note(agent)[0].proven


def test_a_proven_note_replaces_what_the_user_said_about_the_same(service: Service, agent: Service) -> None:
    old = service.add(Draft(content="Use npm for everything in this repo.", trust="user")).id or ""
    other = service.add(Draft(content="Deploys go out on Tuesdays.", trust="user")).id or ""
    say(service, SAID)
    added, memory = note(agent, supersedes=old)
    assert added.proposal is None
    kept = service.peek(old)
    assert kept is not None
    assert kept.superseded_by == memory.id
    added, _ = note(agent, content=f"{NOTE} Always.", supersedes=other)
    assert added.proposal is not None
    still = service.peek(other)
    assert still is not None
    assert not still.superseded


def test_an_unproven_note_replaces_nothing_of_the_users(service: Service, agent: Service) -> None:
    old = service.add(Draft(content="Use npm for everything in this repo.", trust="user")).id or ""
    added, _ = note(agent, supersedes=old)
    assert added.proposal is not None
    still = service.peek(old)
    assert still is not None
    assert not still.superseded


def test_what_was_noted_is_not_promoted_again(service: Service, agent: Service) -> None:
    session = say(service, "From now on use bun instead of npm for everything.")
    _, memory = note(agent, "From now on use bun instead of npm for everything")
    service.end_session(session)
    assert [one.id for one in current(service)] == [memory.id]


def test_what_the_user_takes_back_is_history(service: Service, agent: Service) -> None:
    session = say(service, "From now on use bun instead of npm for everything.")
    _, memory = note(agent, "use bun instead of npm for everything", kind="decision")
    say(service, "Scrap that, forget what I said about bun and npm.")
    service.end_session(session)
    gone = service.peek(memory.id)
    assert gone is not None
    assert gone.superseded


def test_forgetting_a_note_masks_the_words_it_rests_on(service: Service, agent: Service) -> None:
    session = say(service, SAID)
    _, memory = note(agent)
    service.forget(memory.id)
    [turn] = service.turns(session)
    assert QUOTE not in turn.text
    assert "[forgotten]" in turn.text


def test_a_quote_that_cannot_be_one_is_refused_by_name(agent: Service, subtests: pytest.Subtests) -> None:
    for quote in [7, ["use bun"], "x" * 10_000]:
        with subtests.test(quote=quote), pytest.raises(InvalidInput, match="quote"):
            note(agent, quote)  # type: ignore[arg-type]  # what a careless caller gives


def test_who_is_no_person_records_nobody_s_word(service: Service, agent: Service) -> None:
    """A write token can record turns: what it calls the user's proves nothing, and teaches nothing."""
    started = agent.start_session("claude-code", ref="claude:s1")
    turn = agent.record(
        started.id, Message(role="user", text="From now on use bun instead of npm for everything.")
    )
    assert turn.role == RELAYED
    assert not note(agent)[0].proven
    service.end_session(started.id)
    assert {standing(one) for one in current(service)} == {("agent", "candidate")}


def test_whoever_comes_by_when_a_session_fell_silent_does_not_change_whose_word_it_is(
    service: Service, agent: Service, clock: FakeClock
) -> None:
    say(service, "From now on use bun instead of npm for everything.")
    clock.advance(2 * DAY)
    agent.start_session("codex", ref="codex:s9")
    assert [standing(one) for one in current(service)] == [("user", "confirmed")]
