"""A server on an empty project, and a way to call it as the SDK's client does, in either era."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from mcp import Client, MCPError
from mcp.server import Server

from holdfast.interfaces.mcp.server import RequestHandler, build
from holdfast.interfaces.mcp.verbs import ProjectRunner
from holdfast.service.service import Service
from holdfast.storage.open import open_service

T = TypeVar("T")
ERAS = ("legacy", "2026-07-28")


class Agent:
    """Calls a server through the SDK's client, a connection each time."""

    def __init__(self, server: Server[Any], era: str) -> None:
        self._server = server
        self._era = era

    def do(self, act: Callable[[Client], Awaitable[T]]) -> T:
        """Do something while connected."""

        async def connected() -> T:
            async with Client(self._server, mode=self._era) as client:
                return await act(client)

        return anyio.run(connected)

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool; return its structured result."""
        result = self.do(lambda client: client.call_tool(tool, arguments))
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def text(self, tool: str, **arguments: object) -> str:
        """Call a tool; return its text."""
        result = self.do(lambda client: client.call_tool(tool, arguments))
        [content] = result.content
        assert content.type == "text"
        return content.text

    def mistake(self, act: Callable[[Client], Awaitable[object]]) -> MCPError:
        """Do something wrong; return what the server says to that."""

        async def wrong(client: Client) -> MCPError:
            with pytest.raises(MCPError) as told:
                await act(client)
            return told.value

        return self.do(wrong)

    def add(self, content: str, **arguments: object) -> str:
        """Remember something; return its id."""
        return str(self.call("memory_add", content=content, **arguments)["id"])


@pytest.fixture
def verbs(project: Path) -> Iterator[ProjectRunner]:
    """The service of an empty project, as the server calls it."""
    opened = ProjectRunner(lambda: project)
    yield opened
    opened.close()


@pytest.fixture
def person(project: Path) -> Iterator[Service]:
    """The same memory, in the hands of the user."""
    opened = open_service(project, actor="cli")
    yield opened
    opened.close()


@pytest.fixture(params=ERAS)
def agent(verbs: ProjectRunner, project: Path, request: pytest.FixtureRequest) -> Agent:
    """An agent, in each protocol era."""
    return Agent(build(RequestHandler(verbs, lambda: project)), request.param)
