"""The process behind `holdfast mcp`: answers what a client asks first, at once, and passes on the rest. Light.

A client asks its servers `initialize` and `tools/list`, and goes without the tools when the answers are late. The
SDK takes about a second to import. So this answers from the snapshot, calls tools itself (`calls`), imports the
SDK when something needs it, and keeps standard input and output to the end: every request is answered once, and
the process ends when its client does. Whatever else the process prints goes to standard error, so that nothing but
messages reaches the client.
"""

import contextlib
import gc
import json
import os
import queue
import select
import sys
import threading
from typing import Any

from holdfast.interfaces.mcp.calls import INTERNAL_ERROR, Calls, described, encode
from holdfast.interfaces.mcp.catalogue import switched_off
from holdfast.interfaces.mcp.roots import ProjectPlace
from holdfast.interfaces.mcp.snapshot import Answers, Message
from holdfast.machine.disk import open_handle

LULL_S = 0.03
"""So long without a message, and the client has asked what it asks first."""
LAST_ANSWERS_S = 10.0
"""How long requests under way may take after the client has closed its side."""
CLOSING_S = 5.0
PARSE_ERROR, INVALID_REQUEST = -32700, -32600
LONGEST = 4 * 1024 * 1024
"""Bytes of one message; a memory has 64 KiB at most."""
PORTION = 65_536
CAN_WAIT = sys.platform != "win32"
"""Whether one can wait for a pipe; Windows' `select` knows sockets alone."""
WATCH_S = 2.0
"""How often to look whether the client is still there: a killed one may leave the pipe open in another child."""


class TooLong(Exception):
    """A message of more bytes than any there should be; it was read to its end and dropped."""


class Wire:
    """Standard input and output, taken over."""

    def __init__(self) -> None:
        self._parent = os.getppid()
        self._source, self._sink = os.dup(0), os.dup(1)
        nothing = open_handle(os.devnull)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self._write_lock = threading.Lock()
        self._rest = b""
        self._skipping = False
        self.gone = False
        """Whether the client takes no more answers."""

    def line(self, patience: float | None = None) -> bytes | None:
        """Return the next line; empty when none came in time, None when no more will."""
        while b"\n" not in self._rest:
            if len(self._rest) > LONGEST:
                self._rest, self._skipping = b"", True
            if not self._readable(patience):
                return None if self.gone else b""
            portion = os.read(self._source, PORTION)
            if not portion:
                return self._last()
            self._rest += portion
        line, _, self._rest = self._rest.partition(b"\n")
        if self._skipping or len(line) > LONGEST:
            self._skipping = False
            raise TooLong
        return line

    def send(self, text: str) -> None:
        """Write one message, whole; that the client is gone is no error."""
        line = text.encode("utf-8", errors="replace") + b"\n"
        with self._write_lock:
            try:
                while line and not self.gone:
                    line = line[os.write(self._sink, line) :]
            except OSError:
                self.gone = True

    def _readable(self, patience: float | None) -> bool:
        """Wait until there is something to read; False when it takes too long or the client has died."""
        if sys.platform == "win32":  # reading it waits
            return True
        while not select.select([self._source], [], [], WATCH_S if patience is None else patience)[0]:
            self.gone = os.getppid() != self._parent
            if self.gone or patience is not None:
                return False
        return True

    def _last(self) -> bytes | None:
        """Return what stands after the last line end, if anything does."""
        line, self._rest = self._rest, b""
        return line if line.strip() and not self._skipping else None


class Front:
    """The client on one side, the SDK's server on the other."""

    def __init__(self, wire: Wire, place: ProjectPlace) -> None:
        self._wire = wire
        self._place = place
        self._answers = Answers(place.off)
        self._behind: threading.Thread | None = None
        self._failure: str | None = None
        self._open: list[object] = []
        self._condition = threading.Condition()
        self.calls = Calls(self, place)
        self.serving = False
        """Whether the SDK's server runs, and may have a store to close."""
        self.inbox: queue.SimpleQueue[tuple[Message, bool] | None] = queue.SimpleQueue()
        """What the SDK is to hear: each message, and whether its answer was given already. None: no more comes."""

    def run(self) -> None:
        """Serve until the client is gone."""
        while (line := self._next()) is not None:
            if line.strip():
                self._take(line)
        self._finish()

    def refuse(self, request_id: object, code: int, problem: str) -> None:
        """Answer a message with an error."""
        error = {"code": code, "message": problem}
        self.deliver(encode({"jsonrpc": "2.0", "id": request_id, "error": error}), request_id)

    def deliver(self, text: str, request_id: object = None) -> None:
        """Pass on what the SDK says; an answer settles its request."""
        self._wire.send(text)
        if request_id is not None:
            self._settle(request_id)

    def awaits(self, request_id: object) -> bool:
        """Say whether a request still waits for its answer."""
        with self._condition:
            return request_id in self._open

    def fail(self, problem: str) -> None:
        """Answer everything that waits, and all that comes, with what went wrong: the SDK cannot."""
        with self._condition:
            self._failure = problem
            request_ids, self._open = self._open, []
            self._condition.notify_all()
        for request_id in request_ids:
            self.refuse(request_id, INTERNAL_ERROR, problem)

    # ── one line ─────────────────────────────────────────────────────────────────────────────────────────

    def _next(self) -> bytes | None:
        """Return the next line; when there is a lull, let what calls of tools need be imported meanwhile."""
        try:
            if not self.calls.prepared and self._answers.asked:
                line = self._wire.line(LULL_S) if CAN_WAIT else b""
                if line != b"":
                    return line
                self.calls.prepare()
            return self._wire.line()
        except TooLong:
            self.refuse(None, INVALID_REQUEST, "the message is too long")
            return b""

    def _take(self, line: bytes) -> None:
        try:
            message = _parse_line(line)
        except (ValueError, RecursionError):
            self.refuse(None, PARSE_ERROR, "this is not JSON")
            return
        problem = _wrong(message)
        if problem:
            self.refuse(_id(message), INVALID_REQUEST, problem)
        elif "method" in message and "id" in message:
            self._answer(message)
        elif self._place.take(message):
            self._answers.offer_without(self._place.off)
        else:
            self._pass_on(message, answered=False)
            self._ask_for_project(message)

    def _answer(self, request: Message) -> None:
        result, must_hear = self._answers.to(request)
        if result is None:
            self._call_or_relay(request)
            return
        if request["method"] == "initialize":
            self._place.greet(request.get("params"))
        self._wire.send(encode({"jsonrpc": "2.0", "id": request["id"], "result": result}))
        if must_hear:
            self._pass_on(request, answered=True)

    def _ask_for_project(self, message: Message) -> None:
        question = self._place.question() if message.get("method") == "notifications/initialized" else None
        if question:
            self._wire.send(encode(question))

    def _call_or_relay(self, request: Message) -> None:
        call = self._answers.call(request)
        with self._condition:
            self._open.append(request["id"])
        if call is None:
            self._relay(request)
            return
        self.calls.take(call)

    def _relay(self, request: Message) -> None:
        self._pass_on(request, answered=False)
        self._start()
        if self._failure:
            self.fail(self._failure)

    def _pass_on(self, message: Message, *, answered: bool) -> None:
        self.inbox.put((message, answered))
        if message.get("method") == "notifications/cancelled":
            self._settle((message.get("params") or {}).get("requestId"))

    # ── the SDK ──────────────────────────────────────────────────────────────────────────────────────────

    def _start(self) -> None:
        if self._behind is None:
            self._behind = threading.Thread(target=self._serve, name="sdk", daemon=True)
            self._behind.start()

    def _serve(self) -> None:
        try:
            gc.disable()  # there is nothing to collect among what is being defined; this saves a tenth
            from holdfast.interfaces.mcp.server import serve

            gc.freeze()
            gc.enable()
            serve(self, self._place)
        except BaseException as error:  # whatever it is, nobody may be left waiting
            while isinstance(error, BaseExceptionGroup):
                error = error.exceptions[0]
            sys.stderr.write(f"holdfast: the MCP server cannot run: {described(error)}\n")
            self.fail(f"the server cannot run: {described(error)}")

    def _settle(self, request_id: object) -> None:
        with self._condition:
            if request_id in self._open:
                self._open.remove(request_id)
            self._condition.notify_all()

    def _finish(self) -> None:
        """Let requests under way be answered, if anybody still listens; then close the store and end."""
        with self._condition:
            self._condition.wait_for(lambda: not self._open or self._wire.gone, LAST_ANSWERS_S)
            busy = bool(self._open)
        self.inbox.put(None)
        if self._behind and (self.serving or busy):
            self._behind.join(CLOSING_S)
        self.calls.close(CLOSING_S)


def main(directory: str) -> int:
    """Serve the project of a directory to the client at the other end of standard input and output."""
    try:
        wire = Wire()
    except OSError:
        sys.stderr.write("holdfast: mcp talks to an agent over standard input and output, and one is closed.\n")
        return 1
    with contextlib.suppress(KeyboardInterrupt):
        Front(wire, ProjectPlace(directory, switched_off(directory))).run()
    sys.stderr.flush()
    os._exit(0)  # the store is closed; what is being imported, or hangs, must not keep the process


def _parse_line(line: bytes) -> Any:
    """Return what a line says, in Unicode that can be written again: half a surrogate pair cannot."""
    message = json.loads(line)
    if b"\\ud" in line.lower():
        message = json.loads(json.dumps(message, ensure_ascii=False).encode(errors="replace"))
    return message


def _wrong(message: object) -> str | None:
    """Say what keeps a message from being one; None when nothing does."""
    if not isinstance(message, dict):
        return "a message is an object; batches are not part of MCP"
    if message.get("jsonrpc") != "2.0":
        return "jsonrpc must be '2.0'"
    if "id" in message and _id(message) is None:
        return "id must be a text or a whole number"
    if "method" in message:
        if not isinstance(message["method"], str):
            return "method must be a text"
        if not isinstance(message.get("params", {}), dict | None):
            return "params must be an object"
        return None
    return None if "result" in message or "error" in message else "it has neither a method nor a result"


def _id(message: object) -> object:
    message_id = message.get("id") if isinstance(message, dict) else None
    return message_id if isinstance(message_id, str | int) and not isinstance(message_id, bool) else None
