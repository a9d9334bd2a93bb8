"""A client that speaks the protocol by hand, to the program or to a front in this process."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from holdfast.interfaces.mcp.front import Front
from holdfast.interfaces.mcp.roots import ProjectPlace
from holdfast.interfaces.mcp.snapshot import CAPABILITIES_KEY, CLIENT_KEY, VERSION_KEY
from tests.hooking import HUNG_S

PROGRAM = Path(sys.executable).with_name("holdfast")
CLIENT = {"name": "tester", "version": "1"}
LATEST, MODERN = "2025-11-25", "2026-07-28"
ENVELOPE = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}, CLIENT_KEY: CLIENT}

Message = dict[str, Any]


def request(number: object, method: str, params: Message | None = None, *, modern: bool = False) -> Message:
    """Return a request; a modern one in its envelope."""
    message: Message = {"jsonrpc": "2.0", "id": number, "method": method}
    if modern:
        params = {**(params or {}), "_meta": ENVELOPE}
    return message if params is None else {**message, "params": params}


def greeting(number: object = 0, version: str = LATEST, **more: object) -> Message:
    """Return the request that opens a connection of the older era."""
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT, **more}
    return request(number, "initialize", params)


def call(number: object, tool: str, *, modern: bool = False, **arguments: object) -> Message:
    """Return a call of a tool."""
    return request(number, "tools/call", {"name": tool, "arguments": arguments}, modern=modern)


INITIALIZED: Message = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Program:
    """The real server, as a client starts it."""

    def __init__(self, project: Path, **environment: str) -> None:
        self.process = subprocess.Popen(
            [PROGRAM, "mcp", "--project", str(project)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self._in, self._out, self._err = self.process.stdin, self.process.stdout, self.process.stderr

    def send(self, *messages: Message | bytes) -> None:
        """Send messages in one piece."""
        lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in messages]
        self._in.write(b"\n".join(lines) + b"\n")
        self._in.flush()

    def receive(self) -> Message:
        """Return the next message; whatever is not one fails."""
        message: Message = json.loads(self._out.readline())
        return message

    def ask(self, message: Message) -> Message:
        """Send a request and return its answer."""
        self.send(message)
        return self.receive()

    def hang_up(self) -> tuple[bytes, bytes, int]:
        """Close the server's input; return what it still said, what it complained about, and its exit code."""
        self._in.close()
        return self._out.read(), self._err.read(), self.process.wait(HUNG_S)

    def end(self) -> None:
        """See that nothing is left of it."""
        self.process.kill()
        for pipe in (self._in, self._out, self._err):
            pipe.close()
        self.process.wait()


@contextmanager
def started(project: Path, **environment: str) -> Iterator[Program]:
    """Start the program, and see that it ends."""
    program = Program(project, **environment)
    try:
        yield program
    finally:
        program.end()


class Pipes:
    """`Wire` in memory."""

    def __init__(self) -> None:
        self.gone = False
        self.incoming: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.outgoing: queue.SimpleQueue[str] = queue.SimpleQueue()

    def line(self, patience: float | None = None) -> bytes | None:
        try:
            return self.incoming.get(timeout=patience)
        except queue.Empty:
            return b""

    def send(self, text: str) -> None:
        self.outgoing.put(text)


class Inside:
    """A real front with the real SDK behind it, in this process; only the pipes are queues."""

    def __init__(self, place: ProjectPlace) -> None:
        self._pipes = Pipes()
        self.front = Front(self._pipes, place)  # type: ignore[arg-type]  # all that a front uses of it
        self._thread = threading.Thread(target=self.front.run)
        self._thread.start()

    def send(self, *messages: Message | bytes) -> None:
        """Send messages."""
        for one in messages:
            self._pipes.incoming.put(one if isinstance(one, bytes) else json.dumps(one).encode())

    def receive(self) -> Message:
        """Return the next message."""
        message: Message = json.loads(self._pipes.outgoing.get(timeout=HUNG_S))
        return message

    def raw(self, message: Message) -> str:
        """Send a request and return the very text of its answer."""
        self.send(message)
        return self._pipes.outgoing.get(timeout=HUNG_S)

    def ask(self, message: Message) -> Message:
        """Send a request and return its answer."""
        self.send(message)
        return self.receive()

    def leave(self) -> list[Message]:
        """Close the front's input; return what it still said."""
        self._pipes.incoming.put(None)
        self._thread.join(30)
        assert not self._thread.is_alive()
        rest = []
        while not self._pipes.outgoing.empty():
            rest.append(json.loads(self._pipes.outgoing.get()))
        return rest


@contextmanager
def inside(
    project: Path,
    off: frozenset[str] = frozenset(),
    wait: Callable[[threading.Event], bool] = lambda answered: answered.wait(HUNG_S),
) -> Iterator[Inside]:
    """Run a front here, and see that it ends; for a client's answer it waits as it is told to."""
    front = Inside(ProjectPlace(str(project), off, wait))
    try:
        yield front
    finally:
        front.leave()
