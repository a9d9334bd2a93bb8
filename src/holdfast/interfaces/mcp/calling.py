"""What calling a tool is, whoever carries the call: arguments read, the verb done, an answer in words and data.

Lives here, and not in `server`, because the front calls tools without the SDK.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from holdfast.capture.text.clean import echo
from holdfast.errors import InvalidInput
from holdfast.interfaces.mcp.catalogue import RECALL, SEARCH, TOOLS, UPDATE
from holdfast.interfaces.mcp.tools import keep, look, tend
from holdfast.interfaces.mcp.tools.tool import Tool, adapter, to_structured
from holdfast.interfaces.mcp.verbs import has

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.interfaces.mcp.verbs import ServiceRunner
    from holdfast.model.plain import Plain

AGENTS = {
    "claude-code": "claude-code",
    "codex": "codex",
    "gemini-cli": "gemini",
    "opencode": "opencode",
    "copilot": "copilot",
    "cursor": "cursor",
    "windsurf": "windsurf",
    "@cline/": "cline",
    "Cline": "cline",
    "Roo Code": "roo",
    "Zed": "zed",
    "Visual Studio Code": "vscode",
    "code-server": "vscode",
}
"""How clients' names begin, and what the agent is called elsewhere in memory: one agent, one name."""

ARGUMENTS = {
    (RECALL, "limit"): "k",
    (SEARCH, "kind"): "kinds",
    (UPDATE, "supersedes"): "id",
    (UPDATE, "new"): "by",
}
"""What a tool calls the field of its verb, where that is another word."""

BEAT_S = 1.0
"""How often a call that takes long says that it goes on."""


class ToolAnswer(NamedTuple):
    """What a tool says: to a model, and to a program."""

    text: str
    data: dict[str, Plain]


def tools(off: frozenset[str] = frozenset()) -> tuple[Tool, ...]:
    """Return the tools on offer, in the order of the list: their verb is there, and they are not switched off."""
    every = {tool.name: tool for tool in (*look.TOOLS, *keep.TOOLS, *tend.TOOLS)}
    return tuple(every[name] for name in TOOLS if has(every[name].verb) and name not in off)


def answer_of(
    tool: Tool, verbs: ServiceRunner, raw_arguments: Mapping[str, object], client: str | None
) -> ToolAnswer:
    """Call a tool for a client."""
    arguments = _arguments(tool, raw_arguments)
    agent = agent_named(client)
    try:
        result = verbs.run(lambda service: tool.act(service, arguments), agent=agent, create=tool.writes)
    except InvalidInput as error:
        raise _about_argument(tool, error) from error
    return ToolAnswer(tool.text(result), to_structured(result))


def agent_named(client: str | None) -> str | None:
    """Return the agent's name, which is stamped on what it adds; a client that we do not know keeps its own."""
    return next((agent for start, agent in AGENTS.items() if (client or "").startswith(start)), client)


def _about_argument(tool: Tool, error: InvalidInput) -> InvalidInput:
    """Return an error about a verb's field as one about the argument of the tool that it came from."""
    argument = ARGUMENTS.get((tool.name, error.field))
    if argument is None:
        return error
    return InvalidInput(field=argument, problem=str(error).removeprefix(f"{error.field}: "))


def beat_text(name: str, seconds: float) -> str:
    """Say that a call goes on."""
    return f"{name}: {seconds:.0f} s"


def _arguments(tool: Tool, raw_arguments: Mapping[str, object]) -> object:
    """Read a tool's arguments; a null is as good as nothing, a name that is not known is a mistake."""
    field_names = [field.name for field in fields(tool.arguments)]
    for name in raw_arguments:
        if name not in field_names:
            raise InvalidInput(
                field=str(echo(name)),
                problem=f"is unknown. {tool.name} takes: {', '.join(field_names) or 'nothing'}.",
            )
    return adapter(tool.arguments).validate_python(
        {name: value for name, value in raw_arguments.items() if value is not None}
    )
