"""From a request to the arguments of an operation: field by field, each mistake named."""

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

from holdfast.capture.text.clean import echo
from holdfast.errors import InvalidInput
from holdfast.interfaces.http.operations.operation import Operation
from holdfast.interfaces.http.problems import refused
from holdfast.model.upkeep import UpkeepState

_MOST_PARAMETERS = 2_000


@cache
def adapter(shape: Any) -> TypeAdapter[Any]:
    """Return what reads and writes values of a type."""
    made = TypeAdapter(shape)
    made.rebuild(_types_namespace={"UpkeepState": UpkeepState})  # the one name that a field of `Stats` has late
    return made


def read_arguments(operation: Operation, path: Mapping[str, str], query: bytes, body: bytes) -> object:
    """Read what an operation takes, from wherever it stands."""
    written = _parameters(query)
    if not operation.in_body:
        given = _from_query(operation, written)
        return adapter(operation.arguments).validate_python({**given, **path}, strict=False)
    for name in written:
        raise InvalidInput(field=str(echo(name)), problem="is unknown in the query. Arguments go into the body.")
    whole = to_json({**_from_body(operation, body), **path})  # as JSON again: a list is as good as a tuple there
    return adapter(operation.arguments).validate_json(whole, strict=True)


def _from_query(operation: Operation, written: Mapping[str, list[str]]) -> dict[str, object]:
    given: dict[str, object] = {}
    for name, values in written.items():
        if name not in operation.shown:
            raise _unknown(name, operation)
        ours = operation.shown[name]
        listed = ours in _lists(operation)
        if not listed and len(values) > 1:
            raise InvalidInput(field=name, problem="is given more than once.")
        given[ours] = values if listed else values[0]
    return given


def _from_body(operation: Operation, body: bytes) -> dict[str, object]:
    if not body:
        return {}
    try:
        found = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise refused(400, f"the body is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InvalidInput(field="body", problem="must be a JSON object.")
    for name in found:
        if name not in operation.shown:
            raise _unknown(name, operation)
    return found


def _unknown(name: str, operation: Operation) -> InvalidInput:
    known = ", ".join(operation.shown) or "nothing"
    return InvalidInput(field=str(echo(name)), problem=f"is unknown. {operation.name} takes: {known}.")


def _parameters(query: bytes) -> dict[str, list[str]]:
    try:
        pairs = parse_qsl(
            query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_PARAMETERS
        )
    except ValueError as error:
        raise refused(400, f"the query cannot be read: {type(error).__name__}") from None
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


@cache
def _lists(operation: Operation) -> frozenset[str]:
    """Return the arguments that take several values."""
    properties = adapter(operation.arguments).json_schema()["properties"]
    return frozenset(name for name, one in properties.items() if _is_list(one))


def _is_list(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "array" or any(one.get("type") == "array" for one in schema.get("anyOf", ()))
