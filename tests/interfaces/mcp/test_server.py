"""The server itself: long calls say that they go on, and what waits for its verb comes on offer with it."""

import threading
from pathlib import Path

import pytest
from mcp import Client
from mcp_types import TextResourceContents

from holdfast import Holdfast
from holdfast.interfaces.mcp import server
from holdfast.interfaces.mcp.catalogue import PRUNE, TOOLS
from holdfast.interfaces.mcp.resources import BRIEF, INBOX
from holdfast.interfaces.mcp.server import RequestHandler, build
from holdfast.interfaces.mcp.tools import tools
from holdfast.interfaces.mcp.verbs import ProjectRunner
from holdfast.machine import failures
from holdfast.model.actor import Actor
from holdfast.model.search import Filters
from holdfast.service.service import Service
from tests.faults.processes import database
from tests.interfaces.mcp.conftest import ERAS, Agent


def test_a_long_call_says_that_it_goes_on(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call ends when its progress was heard; a server that kept silent would wait for ever."""
    monkeypatch.setattr(server, "BEAT_S", 0.01)
    heard = threading.Event()
    told: list[tuple[float, str | None]] = []
    stats = Service.stats

    def slow(service: Service) -> object:
        assert heard.wait(30)
        return stats(service)

    monkeypatch.setattr(Service, "stats", slow)

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))
        if len(told) == 2:
            heard.set()

    async def call(client: Client) -> object:
        return await client.call_tool("memory_stats", {}, progress_callback=hear)

    agent.do(call)
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert (told[0][1] or "").startswith("memory_stats: ")


def test_what_nobody_foresaw_is_an_error_object_and_the_server_goes_on(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Service) -> object:
        raise ZeroDivisionError("oh")

    with monkeypatch.context() as patch:
        patch.setattr(Service, "stats", broken)
        told = agent.mistake(lambda client: client.call_tool("memory_stats", {}))
    assert told.code == -32603
    assert "ZeroDivisionError" in told.message
    assert agent.call("memory_stats")["memories"] == 0


@pytest.mark.parametrize("era", ERAS)
def test_prune_shows_what_is_old_and_deletes_only_when_told_to(
    era: str, verbs: ProjectRunner, project: Path
) -> None:
    assert [tool.name for tool in tools()] == list(TOOLS)
    agent = Agent(build(RequestHandler(verbs, lambda: project)), era)
    memory_id = agent.add("The walrus queue drains", kind="fact")
    assert agent.call(PRUNE) == {"deleted": False, "count": 0, "ids": []}
    assert agent.call(PRUNE, days=0) == {"deleted": False, "count": 1, "ids": [memory_id]}
    assert "Nothing was deleted" in agent.text(PRUNE, days=0)
    assert agent.call(PRUNE, days=0, source="web", confirm=True)["count"] == 0
    assert agent.call(PRUNE, days=0, max_score=0.5, confirm=True) == {
        "deleted": True,
        "count": 1,
        "ids": [memory_id],
    }
    assert agent.call("memory_stats")["memories"] == 0


def test_an_agent_cannot_prune_what_a_person_asked_to_remember(agent: Agent, project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.add("Prefer small commits", kind="fact", trust="user")
    assert agent.call(PRUNE, days=0, confirm=True)["count"] == 0
    assert agent.call("memory_stats")["memories"] == 1


def resource_of(agent: Agent, uri: str) -> str:
    """Return a resource as a client gets it."""
    [contents] = agent.do(lambda client: client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


def brief_of(agent: Agent) -> str:
    """Return the brief as a client gets it."""
    return resource_of(agent, BRIEF)


def test_the_brief_is_a_resource(agent: Agent, verbs: ProjectRunner) -> None:
    assert [str(one.uri) for one in agent.do(lambda client: client.list_resources()).resources] == [BRIEF, INBOX]
    assert brief_of(agent) == ""
    agent.call("memory_add", content="Deploys go out on Tuesdays.")
    [found] = verbs.run(lambda service: service.list(Filters()))
    verbs.run(lambda service: service.acting_as(Actor("cli")).pin(found.id))
    assert "Deploys go out on Tuesdays." in brief_of(agent)
    [receipt] = verbs.run(lambda service: service.briefs.receipts(5))
    assert (receipt.agent, receipt.prompted, [one.id for one in receipt.items]) == ("mcp", False, [found.id])


def test_what_waits_for_the_user_is_a_resource_that_settles_nothing(agent: Agent, verbs: ProjectRunner) -> None:
    assert resource_of(agent, INBOX) == "Nothing waits for the user."
    agent.call("memory_add", content="Integration tests need the emulator")
    assert "Integration tests need the emulator" in resource_of(agent, INBOX)
    assert "The user settles these" in resource_of(agent, INBOX)
    assert verbs.run(lambda service: service.review.waits().total) == 1


def test_a_brief_from_a_store_that_cannot_be_opened_is_empty(agent: Agent, project: Path) -> None:
    agent.call("memory_add", content="Deploys go out on Tuesdays.")
    database(project).unlink()
    database(project).write_bytes(b"no store" * 1_000)
    assert brief_of(agent) == ""
    left = failures.last(str(project))
    assert left
    assert left[1] == "brief"
