"""The server of the official SDK, built from the tables: what it lists, and what it does when it is called.

Lives here: the crossing from the SDK's event loop to a thread, from our errors to the protocol's, and between the
front and the SDK's streams, in a thread of their own. What a tool does lives in `tools`; which process this is,
and how it starts, in `front`.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.shared.memory import MessageStream, create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, JSONRPCError, JSONRPCResponse, TextContent, jsonrpc_message_adapter
from msgspec import Struct

import holdfast
from holdfast.errors import HoldfastError
from holdfast.interfaces.mcp import errors, prompts, resources
from holdfast.interfaces.mcp.catalogue import PERSON, instructions
from holdfast.interfaces.mcp.tool import (
    BEAT_S,
    Tool,
    agent_named,
    answer_of,
    beat_text,
    schema_of,
)
from holdfast.interfaces.mcp.tools import tools
from holdfast.interfaces.mcp.verbs import ServiceRunner
from holdfast.model.actor import READ

if TYPE_CHECKING:
    from holdfast.interfaces.mcp.front import Front
    from holdfast.interfaces.mcp.roots import ProjectPlace
    from holdfast.interfaces.mcp.snapshot import Message


Context = ServerRequestContext[Any, Any]
T = TypeVar("T")

NAME = "holdfast"
REPLAYED = "holdfast/replayed"
"""The id under which the SDK hears a request that was answered already; its answer goes no further."""


class InThread(Protocol):
    """Runs what blocks off the event loop, in the context of whoever asks."""

    def __call__(self, act: Callable[[], T], /) -> Coroutine[Any, Any, T]: ...


class RequestHandler(Struct, frozen=True):
    """The server's work for each request."""

    verbs: ServiceRunner
    directory: Callable[[], Path]
    """The project's directory, asked for each time: a client may name it late."""
    off: Callable[[], frozenset[str]] = frozenset
    """The tools that are switched off there."""
    allow: Callable[[str], None] = lambda scope: None
    """Refuses a scope before anything is done."""
    outwards: errors.Outwards = lambda error: error
    """Turns an error into the one that clients elsewhere are told of."""
    in_thread: InThread = asyncio.to_thread

    @property
    def tools(self) -> dict[str, Tool]:
        """The tools on offer, by name."""
        return {tool.name: tool for tool in tools(self.off())}

    async def list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[protocol_tool(tool) for tool in self.tools.values()])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        offered_tools = self.tools
        tool = offered_tools.get(params.name)
        if tool is None:
            raise errors.unknown_name("tool", params.name, tuple(offered_tools)).raised
        self._check(tool.scope)

        def act() -> types.CallToolResult:
            answer = answer_of(tool, self.verbs, params.arguments or {}, _client(context))
            text = TextContent(type="text", text=answer.text)
            return types.CallToolResult(content=[text], structured_content=answer.data)

        return await self._in_thread(context, params.name, act)

    def _check(self, scope: str) -> None:
        try:
            self.allow(scope)
        except HoldfastError as error:
            raise errors.mistake(self.outwards(error)).raised from error

    async def _in_thread(self, context: Context, name: str, act: Callable[[], T]) -> T:
        """Run what blocks in a thread, and say that it goes on while it does."""
        beat = asyncio.create_task(_beat(context, name))
        try:
            return await self.in_thread(act)
        except Exception as error:
            raise errors.mistake(self.outwards(error)).raised from error
        finally:
            beat.cancel()

    async def list_prompts(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=prompts.PROMPTS)

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompts_by_name = {prompt.name: prompt for prompt in prompts.PROMPTS}
        if params.name not in prompts_by_name:
            raise errors.unknown_name("prompt", params.name, tuple(prompts_by_name)).raised
        self._check(PERSON)

        def act() -> types.GetPromptResult:
            arguments = params.arguments or {}
            return prompts.answer(
                prompts_by_name[params.name], arguments, self.verbs, self.directory(), _agent(context)
            )

        return await self._in_thread(context, params.name, act)

    async def list_resources(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=resources.RESOURCES)

    async def list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)

        def act() -> types.ReadResourceResult:
            text = resources.read_resource(self.verbs, uri, _agent(context))
            contents = types.TextResourceContents(uri=uri, mime_type=resources.PLAIN, text=text)
            return types.ReadResourceResult(contents=[contents])

        return await self._in_thread(context, uri, act)


def build(handler: RequestHandler) -> Server[Any]:
    """Build the server."""
    server: Server[Any] = Server(
        NAME,
        version=holdfast.__version__,
        title="holdfast project memory",
        instructions=instructions(tuple(handler.tools)),
        on_list_tools=handler.list_tools,
        on_call_tool=handler.call_tool,
        on_list_prompts=handler.list_prompts,
        on_get_prompt=handler.get_prompt,
        on_list_resources=handler.list_resources,
        on_list_resource_templates=handler.list_templates,
        on_read_resource=handler.read_resource,
    )
    server.middleware.clear()  # telemetry: there is nobody to send it to
    return server


def protocol_tool(tool: Tool) -> types.Tool:
    """Return a tool as the protocol lists it."""
    reads = tool.scope == READ
    annotations = types.ToolAnnotations(read_only_hint=reads, open_world_hint=False)
    if not reads:
        annotations.destructive_hint = annotations.idempotent_hint = not tool.creates
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=schema_of(tool.arguments),
        output_schema=schema_of(tool.result),
        annotations=annotations,
    )


def _client(context: Context) -> str | None:
    """Return what the client calls itself."""
    params = context.session.client_params
    return params.client_info.name if params else None


def _agent(context: Context) -> str | None:
    return agent_named(_client(context))


async def _beat(context: Context, name: str) -> None:
    """Tell a client that asked for progress that a call is not lost: the first search loads a model."""
    seconds = 0.0
    with contextlib.suppress(Exception):  # a client that is gone: the call itself goes on
        while True:
            await asyncio.sleep(BEAT_S)
            seconds += BEAT_S
            await context.session.report_progress(seconds, message=beat_text(name, seconds))


def serve(front: "Front", place: "ProjectPlace") -> None:
    """Run the SDK's server until the front says that no more comes.

    Building it asks for what is switched off, so that the client's answer is waited for here and not in the loop.
    """
    server = build(RequestHandler(front.calls.verbs(), lambda: Path(place.directory), lambda: place.off))
    asyncio.run(Bridge(front, server).run())


class Bridge:
    """The streams of one connection."""

    def __init__(self, front: "Front", server: Server[Any]) -> None:
        self._front = front
        self._server = server
        self._replay_event = asyncio.Event()
        self._is_accepted = False

    async def run(self) -> None:
        """Feed the server and carry off what it says, until the front has no more."""
        async with (
            create_client_server_memory_streams() as (client, (from_client, to_client)),
            asyncio.TaskGroup() as tasks,
        ):
            tasks.create_task(self._feed(client))
            tasks.create_task(self._carry(client))
            self._front.serving = True
            await self._server.run(from_client, to_client, self._server.create_initialization_options())

    async def _feed(self, client: MessageStream) -> None:
        items: asyncio.Queue[tuple[Message, bool] | None] = asyncio.Queue()
        threading.Thread(target=self._listen, args=(asyncio.get_running_loop(), items), daemon=True).start()
        async with client[1]:
            while (item := await items.get()) is not None:
                message, is_answered = item
                if is_answered:
                    await self._replay(client, message)
                else:
                    await self._pass(client, message)

    def _listen(
        self, loop: asyncio.AbstractEventLoop, items: "asyncio.Queue[tuple[Message, bool] | None]"
    ) -> None:
        """Hand on what the front has, from a thread that nothing waits for."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            while True:
                item = self._front.inbox.get()
                loop.call_soon_threadsafe(items.put_nowait, item)
                if item is None:
                    return

    async def _pass(self, client: MessageStream, message: "Message") -> None:
        try:
            await client[1].send(SessionMessage(jsonrpc_message_adapter.validate_python(message, by_name=False)))
        except ValueError:
            self._front.refuse(message.get("id"), INVALID_REQUEST, "this is not a message of the protocol")

    async def _replay(self, client: MessageStream, message: "Message") -> None:
        """Let the SDK hear what was answered already.

        Should it refuse an introduction that the front took, the essentials of it are said again: the client has
        been told that it is connected.
        """
        await self._say(client, message)
        if message["method"] == "initialize" and not self._is_accepted:
            params = message["params"]
            bare = {"protocolVersion": params["protocolVersion"], "capabilities": {}, "clientInfo": _name(params)}
            await self._say(client, {**message, "params": bare})

    async def _say(self, client: MessageStream, message: "Message") -> None:
        self._replay_event = asyncio.Event()
        await self._pass(client, {**message, "id": REPLAYED})
        await self._replay_event.wait()

    async def _carry(self, client: MessageStream) -> None:
        async with client[0]:
            async for item in client[0]:
                if isinstance(item, Exception):
                    raise item
                message = item.message
                settles = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
                if settles == REPLAYED:
                    self._is_accepted = isinstance(message, JSONRPCResponse)
                    self._replay_event.set()
                else:
                    self._front.deliver(message.model_dump_json(by_alias=True, exclude_unset=True), settles)


def _name(params: "Message") -> dict[str, str]:
    return {name: params["clientInfo"][name] for name in ("name", "version")}
