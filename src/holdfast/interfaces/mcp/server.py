"""The server of the official SDK, built from the tables: what it lists, and what it does when it is called.

Lives here: the crossing from the SDK's event loop to a thread, and from our errors to the protocol's. What a tool
does lives in `tools`; which process this is, and how it starts, in `front`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import anyio
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp_types import TextContent

import holdfast
from holdfast.errors import HoldfastError
from holdfast.interfaces.mcp import errors, prompts, resources
from holdfast.interfaces.mcp.calling import BEAT_S, agent_named, answer_of, beat_text
from holdfast.interfaces.mcp.calling import tools as tools
from holdfast.interfaces.mcp.catalogue import instructions
from holdfast.interfaces.mcp.tools.tool import Tool, input_schema, output_schema
from holdfast.interfaces.mcp.verbs import ServiceRunner

Context = ServerRequestContext[Any, Any]
T = TypeVar("T")

NAME = "holdfast"
PERSON = "person"
"""The scope of prompts: they act as a person at this machine does, settings included."""


class InThread(Protocol):
    """Runs what blocks off the event loop, in the context of whoever asks."""

    async def __call__(self, act: Callable[[], T]) -> T: ...


async def in_any_thread(act: Callable[[], T]) -> T:
    """`InThread` where one client has the whole process."""
    return await anyio.to_thread.run_sync(act)


def build(
    verbs: ServiceRunner,
    directory: Path,
    off: frozenset[str] = frozenset(),
    allow: Callable[[str], None] = lambda scope: None,
    outwards: errors.Outwards = lambda error: error,
    in_thread: InThread = in_any_thread,
) -> Server[Any]:
    """Build the server. A scope that is not allowed is refused before anything is done.

    Clients elsewhere are told of errors as `outwards` has them; what blocks is run by `in_thread`.
    """
    desk = RequestHandler(verbs, directory, tools(off), allow, outwards, in_thread)
    server: Server[Any] = Server(
        NAME,
        version=holdfast.__version__,
        title="holdfast project memory",
        instructions=instructions(tuple(desk.tools)),
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
        on_list_prompts=desk.list_prompts,
        on_get_prompt=desk.get_prompt,
        on_list_resources=desk.list_resources,
        on_list_resource_templates=desk.list_templates,
        on_read_resource=desk.read_resource,
    )
    server.middleware.clear()  # telemetry: there is nobody to send it to
    return server


class RequestHandler:
    """What the server does for each request."""

    def __init__(
        self,
        verbs: ServiceRunner,
        directory: Path,
        offered_tools: tuple[Tool, ...],
        allow: Callable[[str], None] = lambda scope: None,
        outwards: errors.Outwards = lambda error: error,
        in_thread: InThread = in_any_thread,
    ) -> None:
        self._verbs = verbs
        self._directory = directory
        self._allow = allow
        self._outwards = outwards
        self._run = in_thread
        self.tools = {tool.name: tool for tool in offered_tools}

    async def list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[protocol_tool(tool) for tool in self.tools.values()])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self.tools.get(params.name)
        if tool is None:
            raise errors.unknown("tool", params.name, tuple(self.tools))
        self._check(tool.scope)

        def act() -> types.CallToolResult:
            answer = answer_of(tool, self._verbs, params.arguments or {}, _client(context))
            text = TextContent(type="text", text=answer.text)
            return types.CallToolResult(content=[text], structured_content=answer.data)

        return await self._in_thread(context, params.name, act)

    def _check(self, scope: str) -> None:
        try:
            self._allow(scope)
        except HoldfastError as error:
            raise errors.told(error, self._outwards) from error

    async def _in_thread(self, context: Context, name: str, act: Callable[[], T]) -> T:
        """Run what blocks in a thread, and say that it goes on while it does."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_beat, context, name)
                result = await self._run(act)
                tasks.cancel_scope.cancel()
        except* Exception as group:
            raise errors.told(group.exceptions[0], self._outwards) from group.exceptions[0]
        return result

    async def list_prompts(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=prompts.protocol_prompts())

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompts_by_name = {prompt.name: prompt for prompt in prompts.PROMPTS}
        if params.name not in prompts_by_name:
            raise errors.unknown("prompt", params.name, tuple(prompts_by_name))
        self._check(PERSON)

        def act() -> types.GetPromptResult:
            arguments = params.arguments or {}
            return prompts.answer(
                prompts_by_name[params.name], arguments, self._verbs, self._directory, _agent(context)
            )

        return await self._in_thread(context, params.name, act)

    async def list_resources(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=resources.fixed_resources())

    async def list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=resources.templates())

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)

        def act() -> types.ReadResourceResult:
            text = resources.read_resource(self._verbs, uri, _agent(context))
            contents = types.TextResourceContents(uri=uri, mime_type=resources.PLAIN, text=text)
            return types.ReadResourceResult(contents=[contents])

        return await self._in_thread(context, uri, act)


def protocol_tool(tool: Tool) -> types.Tool:
    """Return a tool as the protocol lists it."""
    hints = tool.hints
    annotations = types.ToolAnnotations(read_only_hint=hints.read_only, open_world_hint=False)
    if not hints.read_only:
        annotations.destructive_hint, annotations.idempotent_hint = hints.destructive, hints.idempotent
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=input_schema(tool.arguments),
        output_schema=output_schema(tool.result),
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
    while True:
        await anyio.sleep(BEAT_S)
        seconds += BEAT_S
        await context.session.report_progress(seconds, message=beat_text(name, seconds))
