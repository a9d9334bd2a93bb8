"""Bodies in and answers out, over ASGI: never more than is allowed, never longer than is waited for."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

from holdfast.errors import RequestRefused
from holdfast.interfaces.http.access import Headers
from holdfast.interfaces.http.problems import MEDIA_TYPE, Problem, refusal

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

JSON = "application/json"
_CLOSE = ("connection", "close")
PIECE = 65_536
"""How much is handed on at once: the rest waits until the client has taken what is before it."""
NOT_MODIFIED = 304


class ClientGone(Exception):
    """The client left before it had said everything."""


async def read_body(receive: Receive, headers: Headers, most: int, seconds: float) -> bytes:
    """Return a body of JSON. One that says itself that it is too long is not waited for; that one says it is not,
    counts for nothing."""
    content_types = [value for name, value in headers if name == b"content-type"]
    if content_types and not _is_json(content_types):
        raise refusal(415, f"the body must be {JSON}.", [_CLOSE])
    if _announced_length(headers) > most:
        raise _too_long(most)
    try:
        async with asyncio.timeout(seconds):
            body = await _receive_body(receive, most)
    except TimeoutError:
        raise refusal(408, f"the body did not arrive within {seconds:g} s.", [_CLOSE]) from None
    if body and not content_types:
        raise refusal(415, f"the body must be {JSON}: send a Content-Type header.", [_CLOSE])
    return body


async def _receive_body(receive: Receive, most: int) -> bytes:
    pieces, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientGone
        piece = message.get("body", b"")
        size += len(piece)
        if size > most:
            raise _too_long(most)
        pieces.append(piece)
        if not message.get("more_body"):
            return b"".join(pieces)


def _announced_length(headers: Headers) -> int:
    """Return how long a body says it is; whether that is a number, whoever read the headers has seen to."""
    return max((int(value) for name, value in headers if name == b"content-length"), default=0)


def _too_long(most: int) -> RequestRefused:
    return refusal(413, f"the body is longer than {most:,} bytes.", [_CLOSE])


def _is_json(content_types: Sequence[bytes]) -> bool:
    media_type, _, parameters = content_types[0].decode("latin-1").lower().partition(";")
    charset = parameters.strip().replace('"', "")
    return len(content_types) == 1 and media_type.strip() == JSON and charset in ("", "charset=utf-8")


async def answer(
    send: Send,
    status: int,
    body: bytes,
    media_type: str = JSON,
    headers: Sequence[tuple[bytes, bytes]] = (),
    cache: bytes = b"no-store",
) -> None:
    """Send a whole answer, no faster than the client takes it."""
    head = [(b"content-type", media_type.encode()), (b"content-length", str(len(body)).encode())]
    common = [(b"cache-control", cache), (b"x-content-type-options", b"nosniff")]
    if status == NOT_MODIFIED:  # its length would be taken for that of what was not sent
        head = []
    start = {"type": "http.response.start", "status": status, "headers": [*head, *common, *headers]}
    await send(start)
    for first in range(0, len(body) or 1, PIECE):
        more = first + PIECE < len(body)
        await send({"type": "http.response.body", "body": body[first : first + PIECE], "more_body": more})


async def tell(send: Send, problem: Problem) -> None:
    """Send a problem document."""
    await answer(send, problem.status, problem.body(), MEDIA_TYPE, problem.headers)
