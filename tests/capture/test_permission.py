"""What an agent may do to an entry, and what it may only propose."""

import pytest

from holdfast.capture.permission import IS_PINNED, SAID_BY_PERSON, VOUCHES, believed_trust, check_person, objection
from holdfast.errors import PersonNeeded
from holdfast.model.actor import Actor
from holdfast.model.inbox import CONFIRM, FORGET, PIN, SUPERSEDE, UPDATE, VERBS
from holdfast.model.kinds import STATUSES, TRUSTS
from tests.contract.builders import a_memory
from tests.table import table

PERSON, AGENT = Actor("cli"), Actor("mcp", person=False)


@table("verb", VERBS)
@table("trust", TRUSTS)
@table("status", STATUSES)
def test_a_person_may_do_everything(verb: str, trust: str, status: str) -> None:
    assert objection(PERSON, verb, a_memory(trust=trust, status=status)) is None


@table("verb", VERBS)
@table("status", STATUSES)
def test_an_agent_changes_nothing_that_a_person_said(verb: str, status: str) -> None:
    assert objection(AGENT, verb, a_memory(trust="user", status=status)) is not None


@table("verb", VERBS)
@table("trust", TRUSTS)
def test_an_agent_changes_nothing_that_is_pinned(verb: str, trust: str) -> None:
    assert objection(AGENT, verb, a_memory(trust=trust, status="pinned")) is not None


@table("trust", ["agent", "tool", "imported"])
def test_an_agent_changes_what_no_person_said_but_vouches_for_none_of_it(trust: str) -> None:
    memory = a_memory(trust=trust)
    granted = [verb for verb in VERBS if objection(AGENT, verb, memory) is None]
    assert sorted(set(VERBS) - set(granted)) == sorted([PIN, CONFIRM, "guard"])
    assert objection(AGENT, PIN, memory) == VOUCHES


def test_the_reason_names_what_stands_in_the_way() -> None:
    noted = a_memory()
    assert objection(AGENT, FORGET, a_memory(trust="user", status="pinned")) == SAID_BY_PERSON
    assert objection(AGENT, UPDATE, a_memory(status="pinned")) == IS_PINNED
    assert objection(AGENT, SUPERSEDE, noted, a_memory(trust="user")) == SAID_BY_PERSON, "either side counts"


def test_only_a_person_speaks_for_one() -> None:
    assert [believed_trust(AGENT, trust) for trust in TRUSTS] == ["agent", "agent", "tool", "imported"]
    assert [believed_trust(PERSON, trust) for trust in TRUSTS] == list(TRUSTS)
    check_person(PERSON, "cleanup")
    with pytest.raises(PersonNeeded, match="cleanup cannot be done from inside an agent"):
        check_person(AGENT, "cleanup")
