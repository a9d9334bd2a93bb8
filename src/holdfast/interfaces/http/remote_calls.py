"""One call of a server: from an operation and its arguments to the answer, or the error that it raises here."""

import json
from datetime import date
from typing import Any, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import ValidationError

from holdfast import errors
from holdfast.interfaces.http.decode import adapter
from holdfast.interfaces.http.operations.operation import Operation

R = TypeVar("R")
_NOUNS = {
    "sessions": "session",
    "conflicts": "conflict",
    "proposals": "proposal",
    "review": "item of the inbox",
}
_WAITS = 202
"""The status of what was not done, but waits for a person as a proposal."""
_JSON = {"Content-Type": "application/json"}


class RemoteCalls:
    """The connection to a server. Safe to share between threads."""

    def __init__(self, client: httpx2.Client, url: str) -> None:
        self._client = client
        self._url = url

    def greet(self) -> None:
        """Make sure that the token is good."""
        self._content_of(self._send("GET", "/api/whoami"))

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def __call__(self, operation: Operation[R], **arguments: object) -> R:
        """Do one operation; what is None is left out."""
        path = _filled_path(operation, arguments)
        rest = {
            key: sendable(value)
            for key, value in arguments.items()
            if key not in operation.in_path and value is not None
        }
        options = {"content": _json(rest), "headers": _JSON} if operation.in_body else {"params": rest}
        content = self._content_of(self._send(operation.method, f"/api{path}", **options))
        shape: Any = operation.result
        try:
            result: R = adapter(shape).validate_json(content)
        except ValidationError:
            problem = f"its answer to {operation.name} is none that this version understands"
            raise errors.ServerError(problem=problem) from None
        return result

    def _send(self, method: str, path: str, **options: Any) -> httpx2.Response:
        try:
            return self._client.request(method, path, **options)
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            problem = str(error) or type(error).__name__
            raise errors.ServerUnreachable(url=self._url, problem=problem) from error

    def _content_of(self, response: httpx2.Response) -> bytes:
        if response.is_success and response.status_code != _WAITS:
            return response.content
        try:
            problem = response.json()
            kind, detail = problem["error"], problem["detail"]
        except (ValueError, KeyError, TypeError):
            mismatch = f"status {response.status_code}, which is not an answer of holdfast"
            raise errors.ServerUnreachable(url=self._url, problem=mismatch) from None
        raise _error(str(kind), str(detail), problem.get("facts", {}), response.status_code)


def _filled_path(operation: Operation[R], arguments: dict[str, object]) -> str:
    """Return an operation's path with its gaps filled."""
    path = operation.path
    for name in operation.in_path:
        value = arguments[name]
        if not isinstance(value, str):
            raise errors.InvalidInput(field=name, problem=f"must be an id as text, not {type(value).__name__}.")
        if not value.strip("."):
            raise errors.UnknownId(noun=_NOUNS.get(path.split("/")[1], "memory"), id=value)
        path = path.replace(f"{{{name}}}", quote(value, safe="", errors="replace"))
    return path


def sendable(value: object) -> object:
    """Return a value as JSON can have it."""
    return value.isoformat() if isinstance(value, date) else value


def _json(values: dict[str, object]) -> bytes:
    for name, value in values.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            raise errors.InvalidInput(field=name, problem="cannot be sent: it is not JSON.") from None
    return json.dumps(values, ensure_ascii=False).encode(errors="replace")


def _error(kind: str, detail: str, facts: object, status: int) -> errors.HoldfastError:
    """Return a server's error as the class that it is here; its message is the server's."""
    error_class = getattr(errors, kind, None)
    cls = (
        error_class
        if isinstance(error_class, type) and issubclass(error_class, errors.HoldfastError)
        else errors.HoldfastError
    )
    error = cls.__new__(cls)
    Exception.__init__(error, detail)
    error.facts = {**(facts if isinstance(facts, dict) else {}), "status": status}
    return error
