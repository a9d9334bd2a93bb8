"""The OpenAPI document, made of the declarations that the routes are made of."""

from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter

import holdfast
from holdfast.interfaces.http.decode import adapter
from holdfast.interfaces.http.operations.operation import Operation
from holdfast.interfaces.http.operations.table import OPERATIONS
from holdfast.interfaces.http.problems import MEDIA_TYPE
from holdfast.interfaces.http.routes import PREFIXES
from holdfast.model.proposal import VERBS

Schema = dict[str, Any]
_Wanted = tuple[str, Literal["validation", "serialization"], TypeAdapter[Any]]
_REF = "#/components/schemas/{model}"

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
    inputs: list[_Wanted] = [(one.name, "validation", adapter(one.arguments)) for one in OPERATIONS.values()]
    returning = [one for one in OPERATIONS.values() if one.result]
    outputs: list[_Wanted] = [(one.name, "serialization", adapter(one.result)) for one in returning]
    schemas, parts = TypeAdapter.json_schemas([*inputs, *outputs], ref_template=_REF)
    components = parts.get("$defs", {})
    components["Problem"] = _problem()
    if "Memory" in components:
        components["Memory"]["properties"]["source"] = {"type": "string", "title": "Source"}
    paths: dict[str, Schema] = {}
    for one in OPERATIONS.values():
        taken = _resolved(schemas[(one.name, "validation")], components)
        returned = schemas.get((one.name, "serialization"))
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, taken, returned)
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


def _resolved(schema: Schema, components: dict[str, Schema]) -> Schema:
    return components[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _operation(one: Operation, taken: Schema, returned: Schema | None) -> Schema:
    properties, required = taken.get("properties", {}), taken.get("required", [])
    shape: Schema = {
        "operationId": one.name,
        "summary": one.summary,
        "description": f"Needs the scope `{one.scope}`.",
        "parameters": [_PROJECT, *({**_parameter(name, properties[name]), "in": "path"} for name in one.in_path)],
    }
    if one.in_body:
        fields = {written: properties[ours] for written, ours in one.shown.items()}
        body: Schema = {"type": "object", "properties": fields, "additionalProperties": False}
        needed = [name for name in required if name in one.shown]
        if needed:
            body["required"] = needed
        shape["requestBody"] = {"required": bool(needed), "content": {"application/json": {"schema": body}}}
    else:
        shape["parameters"] += [
            _query(written, properties[ours], ours in required) for written, ours in one.shown.items()
        ]
    shape["responses"] = _responses(one, returned)
    return shape


def _parameter(name: str, schema: Schema) -> Schema:
    return {"name": name, "required": True, "schema": {**schema, "minLength": 1}}


def _query(name: str, schema: Schema, required: bool) -> Schema:
    return {"name": name, "in": "query", "required": required, "schema": _plain(schema)}


def _plain(schema: Schema) -> Schema:
    """Return the schema of an optional value as that of the value: in a query it is there, or it is not."""
    choices = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if "anyOf" not in schema:
        return schema
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    return {**rest, **choices[0]} if len(choices) == 1 else {**rest, "anyOf": choices}


def _responses(one: Operation, returned: Schema | None) -> Schema:
    content = {one.media_type: {"schema": returned if returned is not None else {"type": "null"}}}
    answers: Schema = {"200": {"description": "Done.", "content": content}}
    if one.name in VERBS:
        answers["202"] = _told("Nothing was changed: it waits for a person as a proposal.")
    for status, meaning in PROBLEMS.items():
        if one.in_body or status not in _OF_BODIES:
            answers[str(status)] = _told(meaning)
    return answers


def _told(meaning: str) -> Schema:
    schema = {"$ref": _REF.format(model="Problem")}
    return {"description": meaning, "content": {MEDIA_TYPE: {"schema": schema}}}


def _without_bodies() -> Schema:
    return {str(status): _told(text) for status, text in PROBLEMS.items() if status not in _OF_BODIES}


def _events() -> Schema:
    seen = {
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
        "parameters": [_PROJECT, seen],
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
