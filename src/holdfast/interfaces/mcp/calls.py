"""Calls of tools, answered by the front itself, one after another, in a thread of their own. Light until asked.

The SDK takes about a second to import and adds nothing to a plain call of a tool: it is left to what only it can
answer. What a call needs is imported as soon as the client is silent, to be there when the first call comes.
"""

import contextlib
import gc
import json
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.ingest.watch import AutoIndex
    from holdfast.interfaces.mcp.front import Front
    from holdfast.interfaces.mcp.roots import ProjectPlace
    from holdfast.interfaces.mcp.snapshot import PlainCall
    from holdfast.interfaces.mcp.tool import Tool
    from holdfast.interfaces.mcp.verbs import ProjectRunner

INTERNAL_ERROR = -32603
"""JSON-RPC's own."""


class Calls:
    """The calls of one connection, and the project's memory that they are about."""

    def __init__(self, front: "Front", place: "ProjectPlace") -> None:
        self._front = front
        self._place = place
        self._waiting: queue.SimpleQueue[PlainCall | None] = queue.SimpleQueue()
        self._worker: threading.Thread | None = None
        self._verbs: ProjectRunner | None = None
        self._making = threading.Lock()

    @property
    def prepared(self) -> bool:
        """Whether what calls need is there, or on its way."""
        return self._worker is not None

    def prepare(self) -> None:
        """Import what calls need, and begin to answer them."""
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, name="calls", daemon=True)
            self._worker.start()

    def take(self, call: "PlainCall") -> None:
        """Answer a call when its turn comes."""
        self._waiting.put(call)
        self.prepare()

    def verbs(self) -> "ProjectRunner":
        """Return the project's memory: one for all calls, and for the SDK's server."""
        from pathlib import Path

        from holdfast.interfaces.mcp.verbs import ProjectRunner

        with self._making:
            self._verbs = self._verbs or ProjectRunner(lambda: Path(self._place.directory))
            return self._verbs

    def close(self, seconds: float) -> None:
        """Take no more calls, and let go of the store."""
        self._waiting.put(None)
        if self._worker and self._verbs:
            self._worker.join(seconds)

    # ── within the thread ────────────────────────────────────────────────────────────────────────────────

    def _work(self) -> None:
        try:
            tools_by_name, verbs = self._import()
            with contextlib.closing(verbs), contextlib.closing(Indexing()) as indexing:
                indexing.follow(self._place.directory)
                self._answer_all(tools_by_name, verbs, indexing)
        except BaseException as error:  # whatever it is, nobody may be left waiting
            self._refuse_all(f"tools cannot be called: {described(error)}")

    def _import(self) -> "tuple[dict[str, Tool], ProjectRunner]":
        gc.disable()  # there is nothing to collect among what is being defined
        try:
            from holdfast.interfaces.mcp.tools import tools

            return {tool.name: tool for tool in tools()}, self.verbs()
        finally:
            gc.freeze()
            gc.enable()

    def _answer_all(self, tools_by_name: "dict[str, Tool]", verbs: "ProjectRunner", indexing: "Indexing") -> None:
        while (call := self._waiting.get()) is not None:
            if self._front.awaits(call.id):
                try:
                    indexing.follow(self._place.directory)
                    self._answer(call, tools_by_name, verbs)
                except BaseException as error:  # an answer that cannot be written is no reason to give none
                    self._front.refuse(call.id, INTERNAL_ERROR, f"the call cannot be answered: {described(error)}")
        self._waiting.put(None)  # nobody waits for more, whatever goes wrong from here on

    def _refuse_all(self, problem: str) -> None:
        sys.stderr.write(f"holdfast: {problem}\n")
        while (call := self._waiting.get()) is not None:
            self._front.refuse(call.id, INTERNAL_ERROR, problem)

    def _answer(self, call: "PlainCall", tools_by_name: "dict[str, Tool]", verbs: "ProjectRunner") -> None:
        outcome = self._outcome(call, tools_by_name, verbs)
        if self._front.awaits(call.id):  # who cancelled a call wants to hear no more of it
            self._front.deliver(encode({"jsonrpc": "2.0", "id": call.id, **outcome}), call.id)

    def _outcome(
        self, call: "PlainCall", tools_by_name: "dict[str, Tool]", verbs: "ProjectRunner"
    ) -> dict[str, Any]:
        """Call a tool, if it is on offer where the project turned out to be."""
        from holdfast.interfaces.mcp import errors
        from holdfast.interfaces.mcp.tool import answer_of

        off = self._place.off
        if call.name in off:
            names = tuple(name for name in tools_by_name if name not in off)
            return {"error": errors.unknown_name("tool", call.name, names).wire}
        try:
            with self._beating(call):
                answer = answer_of(tools_by_name[call.name], verbs, call.arguments, call.client)
        except Exception as error:
            return {"error": errors.mistake(error).wire}
        content = [{"text": answer.text, "type": "text"}]
        result = {"content": content, "isError": False, **call.marks, "structuredContent": answer.data}
        return {"result": {**result, **call.closing}}

    @contextlib.contextmanager
    def _beating(self, call: "PlainCall") -> Iterator[None]:
        """Tell a client that asked for progress that its call is not lost."""
        if call.token is None:
            yield
            return
        finish = threading.Event()
        beats = threading.Thread(target=self._beat, args=(call, finish.wait), name="beats", daemon=True)
        beats.start()
        try:
            yield
        finally:
            finish.set()
            beats.join()

    def _beat(self, call: "PlainCall", done_within: Callable[[float], bool]) -> None:
        from holdfast.interfaces.mcp.tool import BEAT_S, beat_text

        seconds = 0.0
        while not done_within(BEAT_S):
            seconds += BEAT_S
            params = {"progressToken": call.token, "progress": seconds, "message": beat_text(call.name, seconds)}
            self._front.deliver(encode({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))


class Indexing:
    """Keeps memory in step with the project's documents meanwhile, where the user asked for it."""

    def __init__(self) -> None:
        self._directory: str | None = None
        self._watching: AutoIndex | None = None

    def follow(self, directory: str) -> None:
        """Watch the documents of a directory, and those of no other."""
        if directory == self._directory:
            return
        from pathlib import Path

        from holdfast.errors import HoldfastError
        from holdfast.storage.ingest import auto_index

        self.close()
        self._directory = directory
        with contextlib.suppress(HoldfastError, OSError):  # what is wrong here, the first call tells
            self._watching = auto_index(Path(directory), actor="mcp")
        if self._watching:
            self._watching.start()

    def close(self) -> None:
        """Watch nothing any more."""
        watching, self._watching = self._watching, None
        if watching:
            watching.stop()


def described(error: BaseException) -> str:
    """Return an error's class and message on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def encode(message: dict[str, Any]) -> str:
    """Return a message as it goes over the wire."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
