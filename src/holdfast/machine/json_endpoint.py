"""One request to a server that speaks JSON over HTTP: its address, its deadline, and what it said.

For servers that a user names: those that embed, those that read a session. Uses the standard library, one
connection a request, so there is no pool to leak into a short-lived process. Must not live here: retries, and what
an answer means.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from urllib.parse import urlsplit

from msgspec import Struct

from holdfast.errors import AnswerUnusable

_SHOWN_CHARS = 200


class Address(Struct, frozen=True):
    """Where to ask, with what key, and for how long; ValueError for what no request can be sent with.

    The URL ends before the path of a request, as OpenAI clients have it (`https://host/v1`).
    """

    url: str
    key: str | None = None
    timeout: float = 30.0
    """Seconds from the connection to the last byte of an answer."""

    def __post_init__(self) -> None:
        _check_url(self.url)
        if self.key is not None and not (self.key.isascii() and self.key.isprintable() and self.key.strip()):
            raise ValueError("the key holds something that no key does: a line end, or a letter beyond ASCII")

    def __repr__(self) -> str:
        return f"Address(url={self.url!r})"


class Reply(Struct, frozen=True):
    """What a server answered."""

    status: int
    body: bytes
    retry_after: float | None
    location: str | None


def _check_url(url: str) -> None:
    """Raise ValueError for what is no address that a request can be sent to; never show a password in it."""
    if "@" in url:
        raise ValueError("the address holds an @: a name or password belongs into the key")
    try:
        parts = urlsplit(url)
        host, _ = (parts.hostname or "").encode("idna"), parts.port
    except ValueError as error:
        raise ValueError(f"{url} is no http(s) address ({error})") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(f"{url} is no http(s) address")
    if not parts.path.isascii() or not parts.path.isprintable() or " " in parts.path:
        raise ValueError(f"{url} is no http(s) address: write blanks and letters beyond ASCII as %XX")


def post(address: Address, path: str, body: bytes, most: int) -> Reply:
    """Send JSON and return the answer, which has at most so many bytes; raise OSError or HTTPException."""
    parts = urlsplit(address.url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=address.timeout)
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if address.key:
        headers["Authorization"] = f"Bearer {address.key}"
    try:
        connection.connect()
        with _deadline(connection.sock, address.timeout):
            connection.request("POST", parts.path.rstrip("/") + path, body, headers)
            answer = connection.getresponse()
            raw = answer.read(most + 1)
            if answer.length and len(raw) <= most:
                raise IncompleteRead(raw, answer.length)
    finally:
        connection.close()
    if len(raw) > most:
        raise AnswerUnusable(problem=f"it is longer than {most:,} bytes")
    return Reply(answer.status, raw, _retry_after(answer), answer.getheader("Location"))


@contextmanager
def _deadline(connection: socket.socket, seconds: float) -> Iterator[None]:
    """Let everything inside end in time: a socket's own time-out starts anew with every byte that arrives."""
    expiry = threading.Event()

    def cut() -> None:
        expiry.set()
        with suppress(OSError):
            socket.socket.shutdown(connection, socket.SHUT_RDWR)  # not the TLS layer's, which is being read from

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, HTTPException, ValueError) as error:
        if expiry.is_set():
            raise TimeoutError("timed out") from error
        raise
    finally:
        timer.cancel()
    if expiry.is_set():
        raise TimeoutError("timed out")


def objection(reply: Reply, setting: str) -> str:
    """Say what a server said instead of an answer."""
    if reply.location and 300 <= reply.status < 400:
        return f"status {reply.status}: it has moved to {excerpt(reply.location.encode())}; set `{setting}`"
    return f"status {reply.status}: {excerpt(reply.body) or 'without a word'}"


def _retry_after(answer: HTTPResponse) -> float | None:
    try:
        return max(0.0, float(answer.getheader("Retry-After", "")))
    except ValueError:
        return None


def excerpt(body: bytes) -> str:
    """Return the beginning of an answer, for an error."""
    return " ".join(body[:_SHOWN_CHARS].decode("utf-8", "replace").split())
