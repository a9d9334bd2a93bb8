"""Every operation by its address, and in the OpenAPI document, which is made of the same declarations."""

from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any
from urllib.parse import unquote

from msgspec import Struct
from msgspec.json import schema_components

import holdfast
from holdfast.interfaces.http import operations
from holdfast.interfaces.http.arguments import Operation
from holdfast.interfaces.http.problems import MEDIA_TYPE, refusal
from holdfast.model.inbox import VERBS

PREFIXES = ("api", "v1")
"""Where operations are: `/api/…`, and the same under the version that this interface has."""


def operations_of(module: ModuleType) -> dict[str, Operation[Any]]:
    """Return the operations that a module declares, by name."""
    return {value.name: value for value in vars(module).values() if isinstance(value, Operation)}


OPERATIONS = operations_of(operations)
"""Every operation of the REST interface, by its name."""


class RouteMatch(Struct, frozen=True):
    """An operation, and what stands in the gaps of its path."""

    operation: Operation[Any]
    path: dict[str, str]


class Routes:
    """The operations by their paths."""

    def __init__(self, operations: Iterable[Operation[Any]]) -> None:
        self._by_length: dict[int, list[tuple[tuple[str, ...], Operation[Any]]]] = {}
        for operation in operations:
            parts = tuple(operation.path.strip("/").split("/"))
            self._by_length.setdefault(len(parts), []).append((parts, operation))
        for candidates in self._by_length.values():
            candidates.sort(key=lambda pair: [part.startswith("{") for part in pair[0]])

    def find(self, method: str, parts: list[str]) -> RouteMatch:
        """Return the operation at an address; refuse what is none, or has no such method."""
        candidates = self._by_length.get(len(parts), ())
        best = next((template for template, _ in candidates if _fits(template, parts)), None)
        fitting = [(template, operation) for template, operation in candidates if template == best]
        for template, operation in fitting:
            if operation.method == method:
                gaps = zip(template, parts, strict=True)
                return RouteMatch(
                    operation, {name[1:-1]: _text(part) for name, part in gaps if name.startswith("{")}
                )
        if fitting:
            methods = ", ".join(dict.fromkeys(operation.method for _, operation in fitting))
            raise refusal(405, f"there is no {method} at this address, but {methods}.", [("allow", methods)])
        raise refusal(404, "there is nothing at this address. /openapi.json lists what there is.")


def parts_of(raw_path: bytes) -> list[str]:
    """Return the parts of an address as they were sent."""
    return raw_path.decode("ascii", "replace").strip("/").split("/")


def _fits(template: tuple[str, ...], parts: list[str]) -> bool:
    pairs = zip(template, parts, strict=True)
    return all(part == segment or (segment.startswith("{") and part) for segment, part in pairs)


def _text(part: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        raise refusal(400, "the address is not UTF-8.") from None


Schema = dict[str, Any]
_REF = "#/components/schemas/{name}"

PROBLEMS = {
    400: "The request is not what HTTP or JSON asks for.",
    401: "The token is missing, unknown, revoked or expired.",
    403: "The token is not for this, or the Origin names another site.",
    404: "There is no such entry or project.",
    408: "The body did not arrive in time.",
    409: "It does not fit what is there: the pin limit, the same content, memory switched off.",
    413: "The body is too long.",
    415: "The body is not application/json.",
    421: "The Host header does not name this server.",
    422: "A value cannot be used; the document names the field.",
    429: "Too many requests of this token; Retry-After says when to come again.",
    503: "Too many requests, or the store cannot be used; Retry-After says when to come again.",
}
_OF_BODIES = (408, 413, 415)
_PROJECT = {
    "name": "Holdfast-Project",
    "in": "header",
    "required": False,
    "description": "The project's id; without it, the one that the token or the server is for.",
    "schema": {"type": "string"},
}


@cache
def document() -> Schema:
    """Return the whole document."""
    shapes = [shape for operation in OPERATIONS.values() for shape in (operation.arguments, operation.result)]
    schemas, components = schema_components(shapes, ref_template=_REF)
    schema_of = dict(zip(shapes, schemas, strict=True))
    components["Problem"] = _problem()
    if "Memory" in components:
        components["Memory"]["properties"]["source"] = {"type": "string"}
    paths: dict[str, Schema] = {}
    for operation in OPERATIONS.values():
        input_schema = components[schema_of[operation.arguments]["$ref"].rpartition("/")[2]]
        shape = _operation(operation, input_schema, schema_of[operation.result])
        paths.setdefault(operation.path, {})[operation.method.lower()] = shape
    paths["/events"] = {"get": _events()}
    paths["/whoami"] = {"get": _whoami()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "holdfast",
            "version": holdfast.__version__,
            "description": "Persistent memory for AI coding agents.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": f"/{prefix}"} for prefix in PREFIXES],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation[Any], input_schema: Schema, output_schema: Schema) -> Schema:
    properties, required_names = input_schema.get("properties", {}), input_schema.get("required", [])
    shape: Schema = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"Needs the scope `{operation.scope}`.",
        "parameters": [
            _PROJECT,
            *({**_parameter(name, properties[name]), "in": "path"} for name in operation.in_path),
        ],
    }
    if operation.in_body:
        fields = {public_name: properties[own_name] for public_name, own_name in operation.shown.items()}
        body: Schema = {"type": "object", "properties": fields, "additionalProperties": False}
        required_fields = [name for name in required_names if name in operation.shown]
        if required_fields:
            body["required"] = required_fields
        shape["requestBody"] = {
            "required": bool(required_fields),
            "content": {"application/json": {"schema": body}},
        }
    else:
        shape["parameters"] += [
            _query(public_name, properties[own_name], own_name in required_names)
            for public_name, own_name in operation.shown.items()
        ]
    shape["responses"] = _responses(operation, output_schema)
    return shape


def _parameter(name: str, schema: Schema) -> Schema:
    return {"name": name, "required": True, "schema": {**schema, "minLength": 1}}


def _query(name: str, schema: Schema, is_required: bool) -> Schema:
    return {"name": name, "in": "query", "required": is_required, "schema": _plain(schema)}


def _plain(schema: Schema) -> Schema:
    """Return the schema of an optional value as that of the value: in a query it is there, or it is not."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if "anyOf" not in schema:
        return schema
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    return {**rest, **choices[0]} if len(choices) == 1 else {**rest, "anyOf": choices}


def _responses(operation: Operation[Any], output_schema: Schema) -> Schema:
    content = {operation.media_type: {"schema": output_schema}}
    answers: Schema = {"200": {"description": "Done.", "content": content}}
    if operation.name in VERBS:
        answers["202"] = _problem_response("Nothing was changed: it waits for a person as a proposal.")
    for status, meaning in PROBLEMS.items():
        if operation.in_body or status not in _OF_BODIES:
            answers[str(status)] = _problem_response(meaning)
    return answers


def _problem_response(meaning: str) -> Schema:
    schema = {"$ref": _REF.format(name="Problem")}
    return {"description": meaning, "content": {MEDIA_TYPE: {"schema": schema}}}


def _without_bodies() -> Schema:
    return {str(status): _problem_response(text) for status, text in PROBLEMS.items() if status not in _OF_BODIES}


def _events() -> Schema:
    last_event_header = {
        "name": "Last-Event-ID",
        "in": "header",
        "required": False,
        "schema": {"type": "integer", "minimum": 0},
    }
    stream = {
        "description": "A stream of changes.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
    return {
        "operationId": "events",
        "summary": "Changes as they happen: ids and what was done to them.",
        "description": "Needs the scope `read`.",
        "parameters": [_PROJECT, last_event_header],
        "responses": {"200": stream, **_without_bodies()},
    }


def _whoami() -> Schema:
    names = ("id", "name", "tenant", "scope")
    schema = {
        "type": "object",
        "properties": {
            **{name: {"type": "string"} for name in names},
            "project": {"type": ["string", "null"]},
            "expires": {"type": ["integer", "null"]},
        },
        "required": [*names, "project", "expires"],
    }
    return {
        "operationId": "whoami",
        "summary": "What the token is good for.",
        "description": "Needs the scope `read`.",
        "responses": {
            "200": {"description": "Done.", "content": {"application/json": {"schema": schema}}},
            **_without_bodies(),
        },
    }


def _problem() -> Schema:
    return {
        "type": "object",
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "error": {"type": "string", "description": "The class of the error in the Python API."},
            "field": {"type": "string", "description": "The value that cannot be used."},
            "facts": {"type": "object", "description": "What the error is made of."},
        },
        "required": ["type", "title", "status", "detail", "error"],
    }
