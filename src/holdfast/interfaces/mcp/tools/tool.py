"""What a tool is: a name, what it takes and returns, what it does to the world, and the verb behind it.

Its schemas are in few bytes: what pydantic makes of a value, without titles, nulls and references. Every agent is
sent all of them with every request, so what says nothing is left out. A null is accepted anyway.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from holdfast.model.actor import WRITE
from holdfast.model.plain import Plain, plain
from holdfast.service.service import Service

Schema = dict[str, Any]
"""A JSON schema: as free as JSON is."""
EMPTY: tuple[object, ...] = (None, [], ())
"""Defaults that a model takes for granted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What a client may tell its user before the tool is called."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


READS = Hints(read_only=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool. Its function takes the service and the arguments; the text is made from its result."""

    name: str
    verb: str
    """The service's verb that it calls: a service without it does not offer the tool."""
    description: str
    arguments: type
    result: type
    hints: Hints
    act: Callable[[Service, Any], Any]
    text: Callable[[Any], str]
    scope: str = WRITE
    """What the token of a server must be good for."""

    @property
    def writes(self) -> bool:
        """Whether it may make a store where there is none."""
        return self.verb == "add"


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
def adapter(shape: type) -> TypeAdapter[Any]:
    """Return what reads values of a type."""
    return TypeAdapter(shape)


@cache
def input_schema(arguments: type) -> Schema:
    """Return the schema of what a tool takes."""
    return _compact(adapter(arguments).json_schema())


@cache
def output_schema(result: type) -> Schema:
    """Return the schema of what a tool returns."""
    return _compact(adapter(result).json_schema(mode="serialization"))


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
