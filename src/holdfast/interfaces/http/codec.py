"""From a request to the arguments of an operation, field by field, each mistake named; and from its result to the
bytes of an answer: JSON with the fields of a value; a memory names its first source."""

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from msgspec import DecodeError
from msgspec.json import Encoder, decode
from msgspec.structs import asdict, fields

from holdfast.capture.text.clean import echo
from holdfast.errors import InvalidInput
from holdfast.interfaces.arguments import read, takes_several
from holdfast.interfaces.http.arguments import Operation
from holdfast.interfaces.http.problems import refusal
from holdfast.model.memory import Memory

_MOST_PARAMETERS = 2_000
to_json = Encoder().encode
"""Writes any value as JSON."""


def from_json(body: bytes) -> Any:
    """Read a body of JSON; an empty one is an object without members."""
    try:
        return decode(body or b"{}")
    except (DecodeError, RecursionError) as error:
        raise refusal(400, f"the body is not JSON: {error}") from None


def read_arguments(operation: Operation[Any], path: Mapping[str, str], query: bytes, body: bytes) -> object:
    """Read what an operation takes, from wherever it stands."""
    parameters = _parameters(query)
    if not operation.in_body:
        arguments = _from_query(operation, parameters)
        return read({**arguments, **path}, operation.arguments, strict=False)
    for name in parameters:
        raise InvalidInput(field=str(echo(name)), problem="is unknown in the query. Arguments go into the body.")
    return read({**_from_body(operation, body), **path}, operation.arguments)


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
    arguments = from_json(body)
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
    return frozenset(field.name for field in fields(operation.arguments) if takes_several(field.type))


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
    return {**asdict(memory), "source": memory.source}
