"""Agents over HTTP: the tools of this machine, through the SDK's own client, with the token checked first."""

import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from holdfast.errors import ConfigError, EndpointUnreachable, StoreDamaged, StoreUnreachable
from holdfast.interfaces.mcp.tools import tools
from holdfast.service.service import Service
from holdfast.settings.schema import ServerConfig
from tests.hooking import HUNG_S
from tests.interfaces.http.served import Asking, a_token, served_here
from tests.interfaces.mcp.conftest import ERAS
from tests.interfaces.mcp.talk import call, greeting

T = TypeVar("T")
FITTING = {"memory_search": {"query": "x"}, "memory_add": {"content": "x"}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


def connected(ask: Asking, era: str, act: Callable[[Client], Awaitable[T]], token: str | None = None) -> T:
    """Do something as an agent that is connected over HTTP."""

    async def run() -> T:
        headers = {"Authorization": f"Bearer {token or ask.token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=HUNG_S, trust_env=False) as http:
            transport = streamable_http_client(f"{ask.url}/mcp", http_client=http)
            async with Client(transport, mode=era) as client:
                return await act(client)

    return anyio.run(run)


def test_an_agent_has_the_same_tools_as_on_this_machine(ask: Asking) -> None:
    for era in ERAS:
        listed = connected(ask, era, lambda client: client.list_tools())
        assert [tool.name for tool in listed.tools] == [tool.name for tool in tools()], era


def test_a_server_loads_the_sdk_when_the_first_agent_asks() -> None:
    """Most are asked over REST alone."""
    code = "import sys, holdfast.interfaces.http.serve; print('mcp' in sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=HUNG_S
    )
    assert loaded.stdout == "False\n"


def test_what_could_not_be_loaded_is_tried_again_by_the_next_who_asks(
    ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("holdfast.interfaces.http.mcp.Mount._made", lambda _: 1 / 0)
        assert ask("POST", "/mcp", json=greeting(), headers=ACCEPT).status_code == 500
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(ask, "POST", "/mcp", json=greeting(), headers=ACCEPT) for _ in range(4)]
    assert [one.result().status_code for one in asked] == [200] * 4


@pytest.mark.parametrize("era", ERAS)
def test_an_agent_remembers_and_finds(ask: Asking, era: str) -> None:
    async def act(client: Client) -> Any:
        added = await client.call_tool("memory_add", {"content": "Deploy on Tuesdays", "kind": "decision"})
        found = await client.call_tool("memory_search", {"query": "deploy"})
        return added.structured_content, found.structured_content

    added, found = connected(ask, era, act)
    assert [hit["id"] for hit in found["hits"]] == [added["id"]]
    [kept] = ask("GET", "/api/memories").json()
    assert kept["content"] == "Deploy on Tuesdays"
    assert kept["user"] == "tester"


@pytest.mark.parametrize("era", ERAS)
def test_tools_speak_for_nobody_even_with_an_administrators_token(ask: Asking, era: str) -> None:
    rule = ask("POST", "/api/memories", json={"content": "Deploy on Tuesdays", "trust": "user"}).json()["id"]
    deleted = connected(ask, era, lambda client: client.call_tool("memory_delete", {"id": rule}))
    assert not deleted.is_error
    assert deleted.structured_content
    [waits] = ask("GET", "/api/proposals").json()
    assert waits["id"].endswith(deleted.structured_content["proposal"])
    assert ask("POST", f"/api/proposals/{waits['id']}/accept").json()["outcome"] == "accepted"
    assert ask("GET", "/api/memories").json() == []


def test_a_mistake_is_told_as_it_is_on_this_machine(ask: Asking) -> None:
    async def act(client: Client) -> MCPError:
        with pytest.raises(MCPError) as told:
            await client.call_tool("memory_update", {"id": "deadbeef", "action": "pin"})
        return told.value

    assert [connected(ask, era, act).error.data for era in ERAS] == [{"error": "UnknownId"}] * len(ERAS)


def broken(what: Exception) -> Callable[..., Any]:
    """A verb that fails."""

    def verb(*_: object, **__: object) -> Any:
        raise what

    return verb


ERRORS = (
    (KeyError("/secret/place"), None),
    (StoreDamaged(path="/secret/place", problem="/secret/place is no database"), "StoreDamaged"),
    (StoreUnreachable(path="x", problem='connection to "/secret/place" failed'), "StoreUnreachable"),
    (ConfigError(key="store.path", problem="is /secret/place", origin="/secret/place"), "ConfigError"),
    (EndpointUnreachable(url="http:/secret/place", problem="x"), "EndpointUnreachable"),
)


def test_an_error_of_the_server_does_not_say_where_anything_lies(
    ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask("GET", "/api/stats").status_code == 200
    monkeypatch.setattr("holdfast.interfaces.http.projects.AWAY_S", 0.0)
    for what, name in ERRORS:
        monkeypatch.setattr(Service, "stats", broken(what))
        told = ask("POST", "/mcp", json=call(1, "memory_stats"), headers=ACCEPT).text
        assert '"error"' in told, what
        assert (name or "Unexpected KeyError") in told, what
        rest = ask("GET", "/api/stats")
        assert rest.json()["error"] == (name or "HoldfastError"), what
        assert "/secret" not in told + rest.text, what


def test_a_resource_is_read(ask: Asking) -> None:
    made = ask("POST", "/api/memories", json={"content": "Deploy on Tuesdays"}).json()["id"]

    read: Any = connected(ask, "legacy", lambda client: client.read_resource(f"memory://{made}"))
    assert "Deploy on Tuesdays" in read.contents[0].text


def test_prompts_are_for_administrators_of_this_machine(ask: Asking) -> None:
    """They act as a person there does."""

    async def act(client: Client) -> Any:
        listed = await client.list_prompts()
        assert [one.name for one in listed.prompts] == ["remember", "forget", "pin", "memory", "learn"]
        return await client.get_prompt("remember", {"text": "Deploy on Tuesdays"})

    async def refused(client: Client) -> MCPError:
        with pytest.raises(MCPError) as told:
            await act(client)
        return told.value

    here = ask("GET", "/api/stats").json()["project"]["project"]
    for lacking in (a_token("write"), a_token(project=here)):
        told = connected(ask, "legacy", refused, lacking)
        assert told.error.data == {"error": "ScopeMissing"}
    assert ask("GET", "/api/memories").json() == []
    connected(ask, "legacy", act)
    assert ask("GET", "/api/memories").json()[0]["trust"] == "user"


SCOPES = {
    ("read", "memory_search"): 200,
    ("read", "memory_add"): 403,
    ("read", "memory_update"): 403,
    ("read", "memory_delete"): 403,
    ("read", "memory_prune"): 403,
    ("write", "memory_prune"): 403,
    ("write", "memory_add"): 200,
    ("admin", "memory_prune"): 200,
}


def test_a_tool_needs_its_scope(ask: Asking) -> None:
    answers = {}
    for scope, tool in SCOPES:
        asked = call(1, tool, **FITTING.get(tool, {}))  # type: ignore[arg-type]  # a table of arguments
        answer = answers[scope, tool] = ask("POST", "/mcp", token=a_token(scope), json=asked, headers=ACCEPT)
        if answer.status_code == 403:
            assert 'error="insufficient_scope"' in answer.headers["www-authenticate"], (scope, tool)
            assert ask("GET", "/api/memories").json() == [], (scope, tool)
        else:
            assert '"result"' in answer.text, (scope, tool)
    assert {row: answer.status_code for row, answer in answers.items()} == SCOPES


def test_a_batch_does_not_hide_a_call(ask: Asking) -> None:
    batch = [call(1, "memory_search", query="x"), call(2, "memory_add", content="x")]
    assert ask("POST", "/mcp", token=a_token("read"), json=batch, headers=ACCEPT).status_code == 403


def test_what_is_no_message_is_refused_in_the_words_of_the_protocol(ask: Asking) -> None:
    headers = {**ACCEPT, "Content-Type": "application/json"}
    assert ask("POST", "/mcp", content=b"{", headers=headers).status_code == 400
    assert ask("POST", "/mcp", content=b"x", headers={**ACCEPT, "Content-Type": "text/plain"}).status_code == 415
    assert ask("GET", "/mcp", headers=ACCEPT).status_code == 405
    assert ask("POST", "/mcp", json=greeting(), headers=ACCEPT).status_code == 200


def test_a_call_past_its_time_is_a_503_not_half_an_answer(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(Service, "search", lambda *_, **__: go_on.wait(HUNG_S))
    with served_here(project, ServerConfig(request_s=0.3)) as ask:
        answered = ask("POST", "/mcp", json=call(1, "memory_search", query="x"), headers=ACCEPT)
        go_on.set()
        assert (answered.status_code, answered.json()["error"]) == (503, "ServerBusy")
        assert "retry-after" in answered.headers
        assert ask("POST", "/mcp", json=greeting(), headers=ACCEPT).json()["result"]


def test_a_token_has_its_share_of_threads_at_both_addresses_together(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much is asked with one, and however long that hangs, others are served."""
    go_on, begun = threading.Event(), threading.Semaphore(0)

    def hang(*_: object, **__: object) -> list[object]:
        begun.release()
        go_on.wait(HUNG_S)
        return []

    monkeypatch.setattr(Service, "search", hang)
    greedy = a_token(name="greedy")
    limits = ServerConfig(threads=4, request_s=HUNG_S)
    with served_here(project, limits) as ask, ThreadPoolExecutor(9) as crowd:
        said = {"json": call(1, "memory_search", query="x"), "headers": ACCEPT}
        asked = [crowd.submit(ask, "POST", "/mcp", token=greedy, **said) for _ in range(5)]
        asked += [crowd.submit(ask, "GET", "/api/search?q=x", token=greedy) for _ in range(4)]
        for _ in range(3):
            assert begun.acquire(timeout=HUNG_S)
        assert ask("GET", "/api/memories").status_code == 200
        assert not begun.acquire(blocking=False), "a fourth thread is for others"
        go_on.set()
        assert {one.result().status_code for one in asked} == {200}
