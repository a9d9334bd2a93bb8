"""Clients that ask for much and take nothing: they hold little, and not for ever."""

import contextlib
import socket
from pathlib import Path

import anyio
import pytest

from holdfast.interfaces.http.asgi import PIECE, Message, answer
from holdfast.settings.schema import ServerConfig
from tests.background import wait_until
from tests.hooking import HUNG_S
from tests.interfaces.http.served import served_here


def test_a_long_answer_goes_out_in_pieces() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    for size in (0, 1, PIECE, PIECE + 1, 3 * PIECE):
        sent.clear()
        anyio.run(answer, send, 200, b"x" * size)
        pieces = sent[1:]
        assert sum(len(one["body"]) for one in pieces) == size
        assert max(len(one["body"]) for one in pieces) <= PIECE
        assert [one["more_body"] for one in pieces] == [True] * (len(pieces) - 1) + [False]


def test_who_takes_nothing_is_left(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.interfaces.http.app.document", lambda: "x" * 30_000_000)
    limits = ServerConfig(patience_s=0.3)
    with (
        served_here(project, limits) as ask,
        socket.create_connection(("127.0.0.1", ask.port), timeout=HUNG_S) as reader,
    ):
        asked = (b"GET /openapi.json HTTP/1.1", f"Host: 127.0.0.1:{ask.port}".encode())
        reader.sendall(b"\r\n".join([*asked, f"Authorization: Bearer {ask.token}".encode(), b"", b""]))
        assert reader.recv(1)
        wait_until(lambda: "in_flight 1" in ask("GET", "/metrics").text, "the answer is still held for it")
        assert _taken(reader) < 30_000_000


def _taken(reader: socket.socket) -> int:
    """Take what is left until the connection ends."""
    taken = 0
    with contextlib.suppress(ConnectionResetError):
        while piece := reader.recv(1_000_000):
            taken += len(piece)
    return taken
