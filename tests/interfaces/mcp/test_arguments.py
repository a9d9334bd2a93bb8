"""A wrong argument is named as the tool calls it."""

from pathlib import Path

import pytest

from holdfast.errors import InvalidInput
from holdfast.interfaces.mcp.errors import mistake
from holdfast.interfaces.mcp.tool import answer_of
from holdfast.interfaces.mcp.tools import tools
from holdfast.interfaces.mcp.verbs import ProjectRunner

TOOLS = {tool.name: tool for tool in tools()}


@pytest.fixture
def ids(verbs: ProjectRunner) -> dict[str, str]:
    """Three memories, the first of which is history."""
    texts = {"OLD": "The queue is Redis", "NEW": "Deploys go out on Tuesdays", "OTHER": "Prices are in cents"}
    added = {
        name: str(answer_of(TOOLS["memory_add"], verbs, {"content": text}, None).data["id"])
        for name, text in texts.items()
    }
    supersede = {"id": added["OLD"], "action": "supersede", "by": added["NEW"]}
    answer_of(TOOLS["memory_update"], verbs, supersede, None)
    return added


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("memory_recall", {"query": "x", "k": 0}, "k"),
        ("memory_search", {"query": "x", "limit": 0}, "limit"),
        ("memory_search", {"query": "x", "kinds": ["facts"]}, "kinds"),
        ("memory_search", {"query": "x", "since": "soonish"}, "since"),
        ("memory_timeline", {"id": "OTHER", "window": -1}, "window"),
        ("memory_add", {"content": " "}, "content"),
        ("memory_add", {"content": "x", "kind": "facts"}, "kind"),
        ("memory_add", {"content": "x", "expires": "soon"}, "expires"),
        ("memory_update", {"id": "OTHER"}, "action"),
        ("memory_update", {"id": "OTHER", "action": "supersede"}, "by"),
        ("memory_update", {"id": "OTHER", "action": "supersede", "by": "OTHER"}, "id"),
        ("memory_update", {"id": "OLD", "action": "supersede", "by": "OTHER"}, "id"),
        ("memory_update", {"id": "OTHER", "action": "supersede", "by": "OLD"}, "by"),
        ("memory_update", {"id": "OTHER", "content": "Deploys go out on Tuesdays"}, "content"),
        ("memory_prune", {"days": -1}, "days"),
        ("memory_prune", {"max_score": 9}, "max_score"),
        ("memory_stats", {"nothing": 1}, "nothing"),
    ],
)
def test_a_wrong_argument_is_named(
    verbs: ProjectRunner, ids: dict[str, str], name: str, arguments: dict[str, object], field: str
) -> None:
    given = {key: ids.get(str(value), value) for key, value in arguments.items()}
    with pytest.raises(InvalidInput) as caught:
        answer_of(TOOLS[name], verbs, given, None)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")


def test_what_took_the_place_of_history_is_named(verbs: ProjectRunner, ids: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match=rf"is history already; \S*{ids['NEW']} took its place\.$"):
        answer_of(
            TOOLS["memory_update"], verbs, {"id": ids["OLD"], "action": "supersede", "by": ids["OTHER"]}, None
        )


def test_a_home_is_no_project_and_the_cure_makes_no_memory_of_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    runner = ProjectRunner(lambda: tmp_path)
    with pytest.raises(InvalidInput, match="is no project: ") as caught:
        answer_of(TOOLS["memory_add"], runner, {"content": "x"}, None)
    message = mistake(caught.value).message
    assert "`mcp --project DIR`" in message
    assert "holdfast init" not in message
