"""What is really said to a server: a relay in front of it that reads the protocol and keeps every statement.

A text may hold several statements (the simple protocol), or be one with parameters (the extended one, also in a
pipeline); each statement counts once. Those that only begin, set up or end a transaction are told apart from those
that ask or write something. A turn is a change of who speaks: what is sent together is waited for once.
"""

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator

from psycopg.conninfo import conninfo_to_dict

_CONTROL = ("BEGIN", "SET", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")
_QUERY, _PARSE = b"Q", b"P"


class Wire:
    """What clients said to a server since it was last cleared."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.turns = 0
        self._server_spoke = True

    @property
    def work(self) -> list[str]:
        """Statements that ask or write something."""
        return [text for text in self.statements if not text.upper().startswith(_CONTROL)]

    @property
    def transactions(self) -> int:
        """How often a transaction began."""
        return sum(text.upper().startswith("BEGIN") for text in self.statements)

    def clear(self) -> None:
        """Forget what was said so far."""
        self.statements, self.turns, self._server_spoke = [], 0, True

    def heard(self, kind: bytes, body: bytes) -> None:
        """Take in one message of a client."""
        if self._server_spoke:
            self.turns += 1
            self._server_spoke = False
        if kind == _QUERY:
            texts = body.rstrip(b"\0").decode().split(";")
            self.statements += [text.strip() for text in texts if text.strip()]
        elif kind == _PARSE:
            self.statements.append(body.split(b"\0")[1].decode().strip())

    def answered(self) -> None:
        """Note that the server said something."""
        self._server_spoke = True


@contextlib.contextmanager
def tapped(dsn: str) -> Iterator[tuple[str, Wire]]:
    """Give an address that leads to a server, and what is said to it there."""
    parts, wire = conninfo_to_dict(dsn), Wire()
    server = (str(parts["host"]), int(str(parts["port"])))
    threads: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        threads.append(threading.Thread(target=_accept, args=(listener, server, wire, threads)))
        threads[0].start()
        address = f"postgresql://{parts['user']}@127.0.0.1:{port}/{parts['dbname']}"
        yield f"{address}?sslmode=disable&gssencmode=disable", wire
        listener.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()


def _accept(listener: socket.socket, server: tuple[str, int], wire: Wire, threads: list[threading.Thread]) -> None:
    with contextlib.suppress(OSError):
        while True:
            client, _ = listener.accept()
            threads.append(threading.Thread(target=_relay, args=(client, server, wire)))
            threads[-1].start()


def _relay(client: socket.socket, server: tuple[str, int], wire: Wire) -> None:
    """Pass on what both say until either has nothing more to say."""
    with client, socket.create_connection(server) as upstream:
        for side in (client, upstream):  # a message that waits for the one before it waits 40 ms for its receipt
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        answers = threading.Thread(target=_relay_answers, args=(upstream, client, wire))
        answers.start()
        with contextlib.suppress(OSError, EOFError), client.makefile("rb") as stream:
            upstream.sendall(_message(stream.read, b""))  # the first one has no kind
            while kind := stream.read(1):
                message = _message(stream.read, kind)
                wire.heard(kind, message[5:])
                upstream.sendall(message)
        with contextlib.suppress(OSError):
            upstream.shutdown(socket.SHUT_RDWR)
        answers.join()


def _message(read: Callable[[int], bytes], kind: bytes) -> bytes:
    length = read(4)
    if len(length) < 4:
        raise EOFError
    return kind + length + read(struct.unpack("!I", length)[0] - 4)


def _relay_answers(upstream: socket.socket, client: socket.socket, wire: Wire) -> None:
    with contextlib.suppress(OSError):
        while part := upstream.recv(65_536):
            wire.answered()
            client.sendall(part)
    with contextlib.suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)
