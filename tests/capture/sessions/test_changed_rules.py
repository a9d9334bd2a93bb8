"""Rules written by hand that a person's later word changes while nothing is learnt."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.capture.sessions.threads import cut_session
from holdfast.ports import Store
from tests.contract.builders import NOW
from tests.embedded import service_behind
from tests.judges import KeywordJudge
from tests.recall.brief.chats import DAY, record

RULE = "A capture is attempted seven times at most at the acquirer."
CHANGE = "Captures at the acquirer are attempted twelve times from now on, no longer seven."
PROMPT = "how many times is a capture attempted at the acquirer?"


@pytest.fixture
def memory(project: Path, keyword_judge: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Holdfast]:
    """A project memory that learns nothing from talk."""
    monkeypatch.setenv("HOLDFAST_CAPTURE_AUTO", "false")
    with Holdfast.open(project) as opened:
        yield opened


@pytest.fixture
def store(memory: Holdfast) -> Store:
    """The store behind it."""
    return service_behind(memory)._scopes.project


def test_a_changed_rule_is_noted_where_the_later_word_stands_and_cutting_again_changes_nothing(
    memory: Holdfast, store: Store
) -> None:
    rule = memory.add(RULE, trust="user", at=NOW - 40 * DAY)
    session = store.sessions.get(record(memory, ("u", CHANGE), days_ago=1))
    assert session is not None
    [thread] = store.threads.of(session.id)
    assert [(one.memory, one.replaced_by) for one in thread.statements] == [(None, None), (rule.id, thread.id)]
    cut_session(store, session, KeywordJudge())
    assert list(store.threads.of(session.id)) == [thread]


def test_a_rule_that_joined_a_thread_is_marked_there(memory: Holdfast, store: Store) -> None:
    first = record(memory, ("u", "The acquirer must never see a capture without its key."), days_ago=50)
    [thread] = store.threads.of(first)
    rule = memory.add(f"{RULE[:-1]}, says {thread.title}.", trust="user", at=NOW - 40 * DAY)
    assert store.threads.of_memories([str(rule.id)]) == {rule.id: thread.id}
    later = record(memory, ("u", CHANGE), days_ago=1)
    [joined] = [one for one in store.threads.of(first)[0].statements if one.memory == rule.id]
    assert joined.replaced_by == store.threads.of(later)[0].id
    text = memory.context(PROMPT).text
    assert "twelve times" in text
    assert "seven times" not in text


def test_a_changed_rule_is_not_told_at_a_session_s_start_until_it_is_pinned(memory: Holdfast) -> None:
    rule = memory.add(RULE, trust="user", at=NOW - 40 * DAY)
    record(memory, ("u", CHANGE), days_ago=1)
    assert RULE not in memory.context().text
    memory.pin(rule.id or "")
    assert RULE in memory.context().text
