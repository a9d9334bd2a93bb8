"""Between the front and the server of the SDK: messages in and out of its streams, in a thread of their own."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server import Server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

from holdfast.interfaces.mcp.server import build

if TYPE_CHECKING:
    from holdfast.interfaces.mcp.front import Front
    from holdfast.interfaces.mcp.snapshot import Message

REPLAYED = "holdfast/replayed"
"""The id under which the SDK hears a request that was answered already; its answer goes no further."""


def serve(front: "Front", directory: str, off: frozenset[str]) -> None:
    """Run the SDK's server until the front says that no more comes."""
    anyio.run(Bridge(front, build(front.calls.verbs(), Path(directory), off)).run)


class Bridge:
    """The streams of one connection."""

    def __init__(self, front: "Front", server: Server[Any]) -> None:
        self._front = front
        self._server = server
        self._replay_event = anyio.Event()
        self._is_accepted = False

    async def run(self) -> None:
        """Feed the server and carry off what it says, until the front has no more."""
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception]()
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage]()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._feed, to_server)
            tasks.start_soon(self._carry, from_server)
            self._front.serving = True
            await self._server.run(from_client, to_client, self._server.create_initialization_options())

    async def _feed(self, server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        async with server:
            while (
                item := await anyio.to_thread.run_sync(self._front.inbox.get, abandon_on_cancel=True)
            ) is not None:
                message, is_answered = item
                if is_answered:
                    await self._replay(server, message)
                else:
                    await self._pass(server, message)

    async def _pass(self, server: MemoryObjectSendStream[SessionMessage | Exception], message: "Message") -> None:
        try:
            await server.send(SessionMessage(jsonrpc_message_adapter.validate_python(message, by_name=False)))
        except ValidationError:
            self._front.refuse(message.get("id"), INVALID_REQUEST, "this is not a message of the protocol")

    async def _replay(
        self, server: MemoryObjectSendStream[SessionMessage | Exception], message: "Message"
    ) -> None:
        """Let the SDK hear what was answered already.

        Should it refuse an introduction that the front took, the essentials of it are said again: the client has
        been told that it is connected.
        """
        await self._say(server, message)
        if message["method"] == "initialize" and not self._is_accepted:
            params = message["params"]
            bare = {"protocolVersion": params["protocolVersion"], "capabilities": {}, "clientInfo": _name(params)}
            await self._say(server, {**message, "params": bare})

    async def _say(self, server: MemoryObjectSendStream[SessionMessage | Exception], message: "Message") -> None:
        self._replay_event = anyio.Event()
        await self._pass(server, {**message, "id": REPLAYED})
        await self._replay_event.wait()

    async def _carry(self, server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with server:
            async for item in server:
                message = item.message
                settles = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
                if settles == REPLAYED:
                    self._is_accepted = isinstance(message, JSONRPCResponse)
                    self._replay_event.set()
                else:
                    self._front.deliver(message.model_dump_json(by_alias=True, exclude_unset=True), settles)


def _name(params: "Message") -> dict[str, str]:
    return {name: params["clientInfo"][name] for name in ("name", "version")}
