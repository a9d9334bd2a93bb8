"""The verbs over HTTP, for Python: what `Holdfast` calls when it was opened with the address of a server.

The declarations that the server is made of say where each verb is and what comes back, so both sides agree. An
error of the server is raised here as the embedded API raises it.

On this machine any program may take a port that a server has left; without encryption nothing else tells it apart.
There, the listener proves on each connection that it knows the token, before that is sent. The name that was
called is part of the proof: a listener that passes the question on to the server answers with another.
"""

import json
import os
import secrets
import socket
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from http.client import HTTPException, HTTPResponse
from typing import Any, ClassVar, TypeVar
from urllib.parse import SplitResult, quote, urlsplit

import httpx2
from msgspec import MsgspecError, Struct
from msgspec.json import decode
from msgspec.structs import fields

from holdfast import errors
from holdfast.interfaces.http import operations
from holdfast.interfaces.http.arguments import Operation
from holdfast.model.inbox import Inbox
from holdfast.model.memory import Added, Conflict, Memory
from holdfast.model.requests import (
    Draft,
    SearchRequest,
)
from holdfast.model.search import Filters, Hit
from holdfast.ports import Progress
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
_MOST_PROOF = 65_536
"""Bytes that are read of what should be a proof."""
VARIABLE = "HOLDFAST_TOKEN"
TIMEOUT_S = 60.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def connect(url: str, token: str | None, project: str | None, *, insecure: bool = False) -> "Remote":
    """Return the verbs of a server. A token goes over an unencrypted connection to this machine only.

    There each connection is proven first: a stranger may have taken the port, at any time.
    """
    bearer_token = token or os.environ.get(VARIABLE, "").strip()
    if not bearer_token:
        raise errors.InvalidInput(field="token", problem=f"is needed for a server; give it, or set {VARIABLE}.")
    parts = _parts(url)
    local = parts.hostname in _LOOPBACK
    if parts.scheme == "http" and not local and not insecure:
        raise errors.InvalidInput(
            field="target", problem="would send the token unencrypted. Use https://, or say insecure=True."
        )
    headers = {"Authorization": f"Bearer {bearer_token}"} | (
        {"Holdfast-Project": quote(project, errors="replace")} if project else {}
    )
    hooks: list[Callable[..., Any]] = (
        [ConnectionProof(bearer_token, url)] if local and parts.scheme == "http" else []
    )
    client = httpx2.Client(
        base_url=url.rstrip("/"),
        headers=headers,
        timeout=TIMEOUT_S,
        trust_env=not local,
        event_hooks={"request": hooks},
    )
    call = RemoteCalls(client, url)
    try:
        call.greet()
    except BaseException:
        call.close()
        raise
    return Remote(call)


def _parts(url: str) -> SplitResult:
    """Read the address of a server; refuse what is none."""
    try:
        parts = urlsplit(url)
        fits = parts.hostname and parts.port != 0 and httpx2.URL(url).host
    except (ValueError, httpx2.InvalidURL):
        fits = None
    if not fits or parts.query or parts.fragment or parts.username is not None or "#" in url or "?" in url:
        raise errors.InvalidInput(field="target", problem="must be an address such as https://memory.example.")
    return parts


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
            result: R = decode(content, type=shape)
        except MsgspecError:
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

        def happened(event: str, facts: Mapping[str, Any]) -> None:
            if event == _CONNECT_EVENT:
                self._prove(facts["return_value"].get_extra_info("socket"), request)

        request.extensions = {**request.extensions, "trace": happened}

    def _prove(self, connection: socket.socket, request: httpx2.Request) -> None:
        host, nonce = request.headers["host"], secrets.token_hex(16)
        token_id = quote(self._id, safe="", errors="replace")
        target = httpx2.URL(f"{self._url}/healthz?token={token_id}&nonce={nonce}").raw_path
        try:
            connection.settimeout(TIMEOUT_S)
            connection.sendall(b"GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (target, host.encode()))
            response = HTTPResponse(connection, method="GET")
            response.begin()
            if not is_same_text(self._proof_in(response.read(_MOST_PROOF)), proof_of(self._digest, host, nonce)):
                raise errors.TokenRejected
        except BaseException as error:
            connection.close()
            if isinstance(error, OSError | HTTPException):
                problem = str(error) or type(error).__name__
                raise errors.ServerUnreachable(url=self._url, problem=problem) from error
            raise

    def _proof_in(self, content: bytes) -> str:
        try:
            return str(json.loads(content)["proof"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise errors.ServerUnreachable(url=self._url, problem="what answers there is no holdfast") from None


class Verbs:
    """Operations of a server as methods; what one is given are the arguments of its operation, in their order."""

    _called: ClassVar[Mapping[str, str]] = {}
    """Verbs that are called otherwise than their operation."""

    def __init__(self, call: RemoteCalls) -> None:
        self._call = call

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        return partial(self._do, getattr(operations, self._called.get(verb, verb)))

    def _do(self, operation: Operation[R], *values: object, **named: object) -> R:
        return self._call(operation, **_named(operation, values), **named)


class Remote(Verbs):
    """The verbs of a service that runs elsewhere. Safe to share between threads."""

    def __init__(self, call: RemoteCalls) -> None:
        super().__init__(call)
        self.review = RemoteReview(call)

    def close(self) -> None:
        """Let go of the connections."""
        self._call.close()

    def add_many(self, drafts: Sequence[Draft]) -> list[Added]:
        items = [{key: sendable(value) for key, value in _explicit_values(draft).items()} for draft in drafts]
        return self._call(operations.add_many, items=items)

    def resolve(self, conflict: Conflict | str, keep: str) -> Conflict:
        conflict_id = conflict.id if isinstance(conflict, Conflict) else conflict
        return self._call(operations.resolve, id=conflict_id, keep=keep)

    def recall(self, request: SearchRequest) -> list[Hit]:
        explicit_values = _explicit_values(request) | {"limit": request.limit}  # a recall's default is another
        return self._call(operations.recall, **explicit_values)

    def peek(self, memory_id: str) -> Memory | None:
        known_memories = self._call(operations.peek, ids=[memory_id])
        return known_memories[0] if known_memories else None

    def flush(self, progress: Progress | None = None) -> None:
        """Finish everything pending over there; how far it is, is not told."""
        self._call(operations.flush)

    def reindex(self, progress: Progress | None = None, scope: str = "project") -> None:
        """The same with every vector made anew."""
        self._call(operations.reindex, scope=scope)

    def list(self, filters: Filters, limit: int) -> "Sequence[Memory]":
        kind = filters.kinds[0] if filters.kinds else None
        return self._call(operations.list_memories, limit=limit, kind=kind)


class RemoteReview(Verbs):
    """What waits for a person over there."""

    _called: ClassVar[Mapping[str, str]] = {"item": "review_item", "waiting": "proposals", "undo": "undo_review"}

    def inbox(self, limit: int = 50, sorts: Sequence[str] = (), *, imported: bool = False) -> Inbox:
        return self._call(operations.review, limit=limit, sort=sorts[0] if sorts else None, imported=imported)


def _named(operation: Operation[R], values: Sequence[object]) -> dict[str, object]:
    """Return arguments by name: of a request what was said in it, of the rest the next of the operation."""
    names = iter(operation.arguments.__struct_fields__)
    arguments: dict[str, object] = {}
    for value in values:
        arguments |= _explicit_values(value) if isinstance(value, Struct) else {next(names): value}
    return arguments


def _explicit_values(value: Struct) -> dict[str, object]:
    """Return what a caller said: what is not as it is by itself, and so may be more than an older server knows."""
    return {
        field.name: content for field in fields(value) if (content := getattr(value, field.name)) != field.default
    }
