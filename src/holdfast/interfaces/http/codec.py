"""From a request to the arguments of an operation, field by field, each mistake named; and from its result to the
bytes of an answer: JSON with the fields of a value; a memory names its first source."""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from pydantic import ConfigDict, TypeAdapter, ValidationError

from holdfast.capture.text.clean import echo
from holdfast.errors import InvalidInput
from holdfast.interfaces.http.arguments import Operation
from holdfast.interfaces.http.problems import refusal
from holdfast.model.memory import Memory
from holdfast.model.upkeep import UpkeepState

_MOST_PARAMETERS = 2_000
JSON = TypeAdapter[Any](Any, config=ConfigDict(ser_json_inf_nan="constants"))
"""Reads JSON, and writes any value as JSON."""

to_json = JSON.dump_json
_FIELDS = tuple(field.name for field in fields(Memory))


@cache
def adapter(shape: Any) -> TypeAdapter[Any]:
    """Return what reads and writes values of a type."""
    type_adapter = TypeAdapter(shape)
    type_adapter.rebuild(
        _types_namespace={"UpkeepState": UpkeepState}
    )  # the one name that a field of `Stats` has late
    return type_adapter


def read_arguments(operation: Operation[Any], path: Mapping[str, str], query: bytes, body: bytes) -> object:
    """Read what an operation takes, from wherever it stands."""
    parameters = _parameters(query)
    if not operation.in_body:
        arguments = _from_query(operation, parameters)
        return adapter(operation.arguments).validate_python({**arguments, **path}, strict=False)
    for name in parameters:
        raise InvalidInput(field=str(echo(name)), problem="is unknown in the query. Arguments go into the body.")
    whole = to_json({**_from_body(operation, body), **path})  # as JSON again: a list is as good as a tuple there
    return adapter(operation.arguments).validate_json(whole, strict=True)


def _from_query(operation: Operation[Any], parameters: Mapping[str, list[str]]) -> dict[str, object]:
    arguments: dict[str, object] = {}
    for name, values in parameters.items():
        if name not in operation.shown:
            raise _unknown(name, operation)
        own_name = operation.shown[name]
        is_list = own_name in _lists(operation)
        if not is_list and len(values) > 1:
            raise InvalidInput(field=name, problem="is given more than once.")
        arguments[own_name] = values if is_list else values[0]
    return arguments


def _from_body(operation: Operation[Any], body: bytes) -> dict[str, object]:
    try:
        arguments = JSON.validate_json(body or b"{}")
    except ValidationError as error:
        raise refusal(400, f"the body is not JSON: {error.errors()[0]['msg']}") from None
    if not isinstance(arguments, dict):
        raise InvalidInput(field="body", problem="must be a JSON object.")
    for name in arguments:
        if name not in operation.shown:
            raise _unknown(name, operation)
    return arguments


def _unknown(name: str, operation: Operation[Any]) -> InvalidInput:
    names = ", ".join(operation.shown) or "nothing"
    return InvalidInput(field=str(echo(name)), problem=f"is unknown. {operation.name} takes: {names}.")


def _parameters(query: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(
            query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_PARAMETERS
        )
    except ValueError as error:
        raise refusal(400, f"the query cannot be read: {type(error).__name__}") from None


@cache
def _lists(operation: Operation[Any]) -> frozenset[str]:
    """Return the arguments that take several values."""
    properties = adapter(operation.arguments).json_schema()["properties"]
    return frozenset(name for name, schema in properties.items() if _is_list(schema))


def _is_list(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "array" or any(
        choice.get("type") == "array" for choice in schema.get("anyOf", ())
    )


def encode_result(result: object) -> bytes:
    """Return a result as JSON."""
    match result:
        case str():
            return result.encode(errors="replace")
        case Memory():
            return to_json(_memory(result))
        case list() | tuple() if result and isinstance(result[0], Memory):
            return to_json([_memory(memory) for memory in result])
        case _:
            return to_json(result)


def _memory(memory: Memory) -> dict[str, object]:
    shape = {name: getattr(memory, name) for name in _FIELDS}
    shape["source"] = memory.source
    return shape
