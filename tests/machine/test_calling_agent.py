"""The marks that agents leave in the environment of what they run."""

import pytest

from holdfast.machine.environment import MARKS, surrounding_agent


@pytest.mark.parametrize(("name", "agent"), MARKS)
def test_every_mark_names_its_agent(name: str, agent: str) -> None:
    assert surrounding_agent({"HOME": "/", name: "1"}) == agent


@pytest.mark.parametrize("value", ["", "0", "false"])
def test_a_mark_that_is_switched_off_is_none(value: str) -> None:
    assert surrounding_agent({"CLAUDECODE": value}) is None


def test_what_people_set_for_an_agent_is_no_mark() -> None:
    settings = {"CLAUDE_CODE_USE_BEDROCK": "1", "CODEX_HOME": "/x", "GEMINI_API_KEY": "x", "COPILOT_MODEL": "x"}
    assert surrounding_agent(settings) is None
