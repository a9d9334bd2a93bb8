"""A tool: what it takes and returns, its schemas, and a call of it for a client.

Its schemas are in few bytes: what msgspec makes of a value, without titles, nulls and references. Every agent is
sent all of them with every request, so what says nothing is left out. A null is accepted anyway.

The front calls tools without the SDK, so nothing here imports that.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from inspect import get_annotations
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.json import schema
from msgspec.structs import fields

from holdfast.capture.text.clean import echo
from holdfast.errors import InvalidInput
from holdfast.interfaces.arguments import read, takes_several
from holdfast.interfaces.mcp.catalogue import PREFIX, RECALL, SEARCH, UPDATE
from holdfast.interfaces.mcp.verbs import ServiceRunner
from holdfast.model.plain import Plain, plain
from holdfast.service.service import Service

Act = Callable[[Service, Any], Any]
Schema = dict[str, Any]
"""A JSON schema: as free as JSON is."""
EMPTY: tuple[object, ...] = (None, [], ())
"""Defaults that a model takes for granted."""


class Tool(Struct, frozen=True, kw_only=True):
    """One tool. Its function takes the service and the arguments; the text is a property of its result."""

    name: str
    description: str
    scope: str
    """What the token of a server must be good for; a tool with the scope to read changes nothing."""
    creates: bool
    """Whether it makes a store where there is none; every other tool that writes may destroy something."""
    act: Act
    arguments: type[Struct]
    result: type


def tool(description: str, scope: str, *, creates: bool = False) -> Callable[[Act], Tool]:
    """Declare a function as a tool: its name and its annotations say the rest."""

    def declare(act: Act) -> Tool:
        _, arguments, result = get_annotations(act).values()
        return Tool(
            name=PREFIX + act.__name__,
            description=description,
            scope=scope,
            creates=creates,
            act=act,
            arguments=arguments,
            result=result,
        )

    return declare


def to_structured(result: object) -> dict[str, Plain]:
    """Return a result as JSON has it; what is not known is left out."""
    whole = plain(result)
    if not isinstance(whole, dict):
        raise TypeError(f"{type(result).__name__} is not a tool's result")
    return {name: _without_none(value) for name, value in whole.items() if value is not None}


def _without_none(value: Plain) -> Plain:
    match value:
        case dict():
            return {name: _without_none(child) for name, child in value.items() if child is not None}
        case list():
            return [_without_none(child) for child in value]
        case _:
            return value


@cache
def schema_of(shape: type) -> Schema:
    """Return the schema of what a tool takes or returns."""
    return _compact(schema(shape))


def _compact(schema: Schema) -> Schema:
    parts = schema.get("$defs", {})
    whole = {key: value for key, value in schema.items() if key != "$defs"}
    compact: Schema = _reduce(whole, parts)
    compact.pop("description", None)
    return compact


def _reduce(node: Any, parts: Schema) -> Any:
    if isinstance(node, list):
        return [_reduce(item, parts) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        part = _reduce(parts[node["$ref"].rpartition("/")[2]], parts)
        return {key: value for key, value in part.items() if key != "description"}
    node = _without_null(node)
    return {
        key: {name: _reduce(child, parts) for name, child in value.items()}
        if key == "properties"
        else _reduce(value, parts)
        for key, value in node.items()
        if not _says_nothing(key, value)
    }


def _says_nothing(key: str, value: object) -> bool:
    if key == "default":
        return value in EMPTY
    return key == "title" or (key == "additionalProperties" and value is True)


def _without_null(node: Schema) -> Schema:
    """Return the schema of `X | None` as that of X: what is optional may be left out."""
    choices = [choice for choice in node.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) != 1:
        return node
    return {**choices[0], **{key: value for key, value in node.items() if key != "anyOf"}}


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


def answer_of(
    tool: Tool, verbs: ServiceRunner, raw_arguments: Mapping[str, object], client: str | None
) -> ToolAnswer:
    """Call a tool for a client."""
    arguments = _arguments(tool, raw_arguments)
    agent = agent_named(client)
    try:
        result = verbs.run(lambda service: tool.act(service, arguments), agent=agent, create=tool.creates)
    except InvalidInput as error:
        raise _about_argument(tool, error) from error
    return ToolAnswer(result.text, to_structured(result))


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
    kinds = {field.name: field.type for field in fields(tool.arguments)}
    for name in raw_arguments:
        if name not in kinds:
            raise InvalidInput(
                field=str(echo(name)),
                problem=f"is unknown. {tool.name} takes: {', '.join(kinds) or 'nothing'}.",
            )
    values = {
        name: _as_list(value) if takes_several(kinds[name]) else value
        for name, value in raw_arguments.items()
        if value is not None
    }
    return read(values, tool.arguments, strict=False)


def _as_list(value: object) -> object:
    """Take one text for a list of one; some agents send a list as JSON inside a string, or without brackets."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return [value]
