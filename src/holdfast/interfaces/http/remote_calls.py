"""One call of a server: from an operation and its arguments to the answer, or the error that it raises here.

On this machine any program may take a port that a server has left; without encryption nothing else tells it apart.
There, who listens proves on each connection that they know the token, before it is sent. The name that was called
is part of the proof: one that passes the question on to the server answers with another.
"""

import json
import secrets
from collections.abc import Mapping
from datetime import date
from typing import Any, TypeVar, cast
from urllib.parse import quote

import httpcore2
import httpx2
from pydantic import ValidationError

from holdfast import errors
from holdfast.interfaces.http.codec import adapter
from holdfast.interfaces.http.operations.operation import Operation
from holdfast.storage.tokens import digest_of, is_same_text, proof_of

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
_CONNECT_EVENT = "connection.connect_tcp.complete"


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


class ConnectionProof:
    """A hook for requests: each connection that is opened for one is asked for the proof first."""

    def __init__(self, token: str, url: str) -> None:
        self._id, _, secret = token.partition("_")[2].partition("_")
        if not self._id:
            raise errors.TokenRejected
        self._digest = digest_of(secret)
        self._url = url.rstrip("/")

    def __call__(self, request: httpx2.Request) -> None:
        """Look at what happens to a request."""

        def happened(event: str, facts: Mapping[str, object]) -> None:
            if event == _CONNECT_EVENT:
                self._prove(cast("httpcore2.NetworkStream", facts["return_value"]), request)

        request.extensions = {**request.extensions, "trace": happened}

    def _prove(self, stream: httpcore2.NetworkStream, request: httpx2.Request) -> None:
        host, nonce = request.headers["host"], secrets.token_hex(16)
        url = httpcore2.URL(
            f"{self._url}/healthz?token={quote(self._id, safe='', errors='replace')}&nonce={nonce}"
        )
        try:
            response = httpcore2.HTTP11Connection(url.origin, stream).request(
                "GET", url, headers={"Host": host}, extensions={"timeout": request.extensions.get("timeout", {})}
            )
            if not is_same_text(self._proof_in(response.content), proof_of(self._digest, host, nonce)):
                raise errors.TokenRejected
        except BaseException:
            stream.close()
            raise

    def _proof_in(self, content: bytes) -> str:
        try:
            return str(json.loads(content)["proof"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise errors.ServerUnreachable(url=self._url, problem="what answers there is no holdfast") from None
