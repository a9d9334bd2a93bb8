"""The marks that agents leave in the environment of what they run."""

from holdfast.machine.environment import MARKS, surrounding_agent


def test_every_mark_names_its_agent() -> None:
    named = {name: surrounding_agent({"HOME": "/", name: "1"}) for name, _ in MARKS}
    assert named == dict(MARKS)


def test_a_mark_that_is_switched_off_is_none() -> None:
    assert [value for value in ("", "0", "false") if surrounding_agent({"CLAUDECODE": value})] == []


def test_what_people_set_for_an_agent_is_no_mark() -> None:
    settings = {"CLAUDE_CODE_USE_BEDROCK": "1", "CODEX_HOME": "/x", "GEMINI_API_KEY": "x", "COPILOT_MODEL": "x"}
    assert surrounding_agent(settings) is None
