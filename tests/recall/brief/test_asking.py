"""Agents are asked to note what lasts: in one line, that is no entry, and within the budget."""

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.errors import ModelUnusable
from holdfast.judge import Judge
from holdfast.model.requests import BriefRequest
from holdfast.recall.brief.budget import estimate
from holdfast.recall.brief.render import AT_START, ON_PROMPT
from holdfast.service.briefs import nudge_alone
from tests.conftest import close_judges
from tests.embedded import service_behind
from tests.judges import ScriptedJudge, lasting

LASTING = "No, we never use jest here, use vitest instead for every test."
PASSING = "please fix the login page and run the tests"
STYLES = ("claude-code", "gemini", "codex")


@pytest.fixture
def memory(project: Path) -> Holdfast:
    return Holdfast.open(project)


@pytest.mark.parametrize("agent", STYLES)
def test_a_prompt_that_sounds_lasting_is_asked_about_even_where_nothing_is_told(
    memory: Holdfast, agent: str
) -> None:
    brief = memory.context(LASTING, agent=agent)
    assert (brief.text.count("If it does, note it now"), brief.items) == (1, ())
    assert brief.tokens == estimate(brief.text) <= 100
    assert memory.context(PASSING, agent=agent).text == ""


def test_the_request_stands_at_the_end_of_what_is_told(memory: Holdfast) -> None:
    memory.add("Tests of the basket use jest with snapshots", kind="decision", trust="user")
    brief = memory.context(LASTING, agent="claude-code")
    assert len(brief.items) == 1
    assert brief.text.endswith(f"<note>{ON_PROMPT}</note>\n</project_memory>\n")


def test_the_start_says_how_to_note_where_anything_is_told(memory: Holdfast) -> None:
    assert memory.context(agent="claude-code").text == ""
    memory.add("Prices are stored in integer cents", kind="decision", trust="user")
    brief = memory.context(agent="claude-code")
    assert brief.text.endswith(f"<note>{AT_START}</note>\n</project_memory>\n")
    assert [one.kind for one in brief.items] == ["decision"]


@pytest.mark.parametrize("budget", [0, 20, 60, 90, 120, 200, 400])
def test_the_budget_holds_with_it(memory: Holdfast, budget: int) -> None:
    for number in range(8):
        memory.add(f"Tests of part {number} use jest and snapshots, never mocks", kind="decision", trust="user")
    for prompt in (LASTING, None):
        brief = memory.context(prompt, budget=budget, agent="claude-code")
        assert estimate(brief.text) == brief.tokens <= budget


def test_one_setting_turns_it_off(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_BRIEF_NUDGE", "false")
    with Holdfast.open(project) as memory:
        memory.add("Prices are stored in integer cents", kind="decision", trust="user")
        assert AT_START not in memory.context(agent="claude-code").text
        assert memory.context(LASTING, agent="claude-code").text == ""


def test_what_the_agent_said_before_counts(memory: Holdfast, project: Path) -> None:
    with memory.start_session(agent="claude-code") as session:
        session.record("user", "Write a test for the basket.")
        session.record("assistant", "I wrote one with jest and a snapshot of the basket.")
        assert service_behind(memory).briefs._last_reply(BriefRequest(prompt=LASTING, session=session.id)) == (
            "I wrote one with jest and a snapshot of the basket."
        )
    assert nudge_alone(LASTING, str(project), "claude:s1", "claude-code", None)


def test_without_a_usable_judge_briefs_come_without_the_request(
    memory: Holdfast, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise ModelUnusable(problem="light.bin is cut short")

    memory.add("Tests of the basket use jest with snapshots", kind="decision", trust="user")
    monkeypatch.setattr("holdfast.judge.open_light", broken)
    close_judges()
    brief = memory.context(LASTING, agent="claude-code")
    assert (len(brief.items), ON_PROMPT in brief.text) == (1, False)
    assert nudge_alone(LASTING, str(project), "claude:s1", "claude-code", None) == ""
    close_judges()


def test_of_a_long_prompt_only_its_ends_are_judged(memory: Holdfast, use_judge: Callable[[Judge], None]) -> None:
    pasted = ["The build is red."] * 40
    use_judge(ScriptedJudge({"vitest": lasting()}))
    asked = []
    for place in (0, 15, 20, 25, 40):
        prompt = " ".join([*pasted[:place], LASTING, *pasted[place:]])
        asked.append(ON_PROMPT in memory.context(prompt, agent="claude-code").text)
    assert asked == [True, True, False, True, True]
