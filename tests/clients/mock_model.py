"""A scripted stand-in for a model, for end-to-end tests of coding clients.

One loopback HTTP server speaks Anthropic Messages, OpenAI Responses, OpenAI Chat Completions
and Gemini generateContent, streaming or not. What it answers comes from a script, a JSON list:

    [{"tool": "memory_search", "input": {"query": "colour"}}, {"text": "All done."}]

A tool step calls the offered tool of that exact name, or else one whose name ends with it, so
that ``memory_search`` finds ``mcp__holdfast__memory_search`` and ``holdfast-memory_search``. A
step whose tool is not (yet) offered is passed over. When no step is left to call, the last text
ends the turn. Requests that are not part of the conversation (no tools offered, or an answer
wanted by JSON schema: titles, routing) are answered without consuming the script.

Every request is recorded as one JSON line; see `record_of` for its fields.

    python mock_model.py SCRIPT REQUESTS [--port 0]

prints ``{"port": …, "url": …}`` and serves until it is killed. `MockModel` does the same
inside a test.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import itertools
import json
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.clients.model_apis import (
    CHAT,
    GEMINI,
    TOOL_SEARCH,
    Call,
    Json,
    Protocol,
    Reply,
    Tool,
    example_of,
    protocol_of,
    wanted_schema,
)

DEFAULT_TEXT = "Done."

# --------------------------------------------------------------------------- the script


@dataclass(frozen=True)
class Step:
    """One step of a script: a tool call when `tool` is set, otherwise a text."""

    tool: str = ""
    input: Any = field(default_factory=dict)
    text: str = ""


def parse_script(steps: Any) -> list[Step]:
    """Check a decoded script and return its steps."""
    if not isinstance(steps, list):
        raise ValueError("a script is a JSON list of steps")  # noqa: TRY004 - a file's content, not a caller's type
    return [_parse_step(index, step) for index, step in enumerate(steps)]


def _parse_step(index: int, step: Any) -> Step:
    if isinstance(step, dict) and isinstance(step.get("tool"), str):
        return Step(tool=step["tool"], input=step.get("input", {}))
    if isinstance(step, dict) and isinstance(step.get("text"), str):
        return Step(text=step["text"])
    raise ValueError(f'step {index} is neither {{"tool": …}} nor {{"text": …}}: {step!r}')


def find_tool(wanted: str, offered: list[Tool], *, deferred: bool = False) -> Tool | None:
    """Return the tool named `wanted`, or else the first whose name ends with it."""
    tools = [tool for tool in offered if tool.deferred == deferred]
    exact = (tool for tool in tools if wanted in (tool.name, tool.full_name))
    ending = (tool for tool in tools if tool.full_name.endswith(wanted))
    return next(itertools.chain(exact, ending), None)


class Script:
    """The steps and which of them were played; safe to ask from several threads."""

    def __init__(self, steps: list[Step]) -> None:
        self._steps = steps
        self._played: set[int] = set()
        self._searched: set[int] = set()
        self._lock = threading.Lock()

    def next_reply(self, offered: list[Tool]) -> Reply:
        """Play the first step whose tool can be called now; failing that, end the turn."""
        with self._lock:
            texts: list[int] = []
            for index, step in self._unplayed():
                if not step.tool:
                    texts.append(index)
                elif tool := find_tool(step.tool, offered):
                    self._played.update(texts, [index])
                    return Reply(self._join(texts), Call(tool, step.input))
                elif search := self._search_for(index, offered):
                    return Reply(call=search)
            return Reply(text=self.final_text)

    @property
    def final_text(self) -> str:
        """The text that ends the turn."""
        return next((step.text for step in reversed(self._steps) if not step.tool), DEFAULT_TEXT)

    def unplayed_tools(self) -> list[str]:
        """The tool steps that were never called."""
        with self._lock:
            return [step.tool for _, step in self._unplayed() if step.tool]

    def _unplayed(self) -> Iterator[tuple[int, Step]]:
        return ((i, step) for i, step in enumerate(self._steps) if i not in self._played)

    def _join(self, indexes: list[int]) -> str:
        return "\n".join(self._steps[index].text for index in indexes)

    def _search_for(self, index: int, offered: list[Tool]) -> Call | None:
        """Ask, once, for a tool that the client holds back until it is searched for."""
        search = find_tool(TOOL_SEARCH, offered)
        held_back = find_tool(self._steps[index].tool, offered, deferred=True)
        if search is None or held_back is None or index in self._searched:
            return None
        self._searched.add(index)
        return Call(search, {"query": f"select:{held_back.name}", "max_results": 5})


# ---------------------------------------------------------------------------- the records


def record_of(method: str, path: str, body: Any) -> Json:
    """Describe a request without a protocol; `describe` adds what a model request says.

    Fields of every record: seq, time, method, path, body, api (null when no model was asked).
    Further fields where api is set: side (true: not the conversation), system, tools,
    deferred_tools, tool_results and reply {text, tool, input}.
    """
    now = time.time()
    return {"seq": 0, "time": now, "method": method, "path": path, "api": None, "body": body}


def describe(protocol: Protocol, body: Json, offered: list[Tool], reply: Reply, side: bool) -> Json:
    """The part of a record that says what reached the model and what it answered."""
    call = reply.call
    return {
        "api": protocol.name,
        "side": side,
        "system": protocol.system(body),
        "tools": [tool.full_name for tool in offered if not tool.deferred],
        "deferred_tools": [tool.full_name for tool in offered if tool.deferred],
        "tool_results": protocol.tool_results(body),
        "reply": {
            "text": reply.text,
            "tool": call.tool.full_name if call else None,
            "input": call.input if call else None,
        },
    }


class Recorder:
    """Appends records to a JSONL file, numbering them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._count = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")

    def add(self, record: Json) -> None:
        """Write one record."""
        with self._lock:
            self._count += 1
            line = json.dumps({**record, "seq": self._count}, ensure_ascii=False)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")


def read_requests(path: Path | str) -> list[Json]:
    """Read the records back."""
    lines = Path(path).read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


# ----------------------------------------------------------------------------- the server


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    server: MockServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in http.server
        """Keep quiet."""

    def do_HEAD(self) -> None:
        """Answer a probe."""
        self._send(b"", "application/json")

    def do_GET(self) -> None:
        """Answer a list of models, or an empty object."""
        self.server.recorder.add(record_of("GET", self.path, None))
        models = {"object": "list", "data": [{"id": "mock", "object": "model"}]}
        self._send_json(models if self._route().endswith("/models") else {})

    def do_POST(self) -> None:
        """Answer a model request; anything else gets a harmless object."""
        body = self._body()
        record = record_of("POST", self.path, body)
        protocol = protocol_of(self._route())
        if protocol is None or not isinstance(body, dict):
            self.server.recorder.add(record)
            self._send_json({"input_tokens": 10, "totalTokens": 10})
            return
        offered = protocol.tools(body)
        reply, side = self.server.reply_to(body, offered)
        self.server.recorder.add(record | describe(protocol, body, offered, reply, side))
        self._respond(protocol, reply, body)

    def _respond(self, protocol: Protocol, reply: Reply, body: Json) -> None:
        gemini_stream = protocol is GEMINI and ":streamGenerateContent" in self.path
        if gemini_stream and "alt=sse" not in self.path:
            self._send_json(protocol.events(reply, body))
        elif gemini_stream or body.get("stream"):
            self._send_events(protocol, protocol.events(reply, body))
        else:
            self._send_json(protocol.answer(reply, body))

    def _route(self) -> str:
        return self.path.split("?")[0].rstrip("/")

    def _body(self) -> Any:
        raw = self._raw_body()
        encoding = self.headers.get("content-encoding", "")
        try:
            if encoding == "gzip":
                raw = gzip.decompress(raw)
            elif encoding == "deflate":
                raw = zlib.decompress(raw)
            return json.loads(raw) if raw else None
        except (ValueError, OSError, zlib.error):
            return {"undecodable": raw[:200].decode("latin-1"), "encoding": encoding}

    def _raw_body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0].strip() or b"0", 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _send_events(self, protocol: Protocol, events: list[Json]) -> None:
        lines = []
        for event in events:
            if "type" in event:
                lines.append(f"event: {event['type']}\n")
            lines.append(f"data: {json.dumps(event)}\n\n")
        if protocol is CHAT:
            lines.append("data: [DONE]\n\n")
        self._send("".join(lines).encode(), "text/event-stream")

    def _send_json(self, value: Any) -> None:
        self._send(json.dumps(value).encode(), "application/json")

    def _send(self, data: bytes, content_type: str) -> None:
        self.send_response(200)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class MockServer(ThreadingHTTPServer):
    """The HTTP server with its script and its recorder."""

    daemon_threads = True

    def __init__(self, port: int, script: Script, recorder: Recorder) -> None:
        self.script = script
        self.recorder = recorder
        super().__init__(("127.0.0.1", port), Handler)

    def reply_to(self, body: Json, offered: list[Tool]) -> tuple[Reply, bool]:
        """Return the reply, and whether the request stands beside the conversation."""
        schema = wanted_schema(body)
        if schema is not None:
            return Reply(text=json.dumps(example_of(schema))), True
        if not offered:
            return Reply(text=self.script.final_text), True
        return self.script.next_reply(offered), False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up early is no error of ours; anything else is shown."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class MockModel:
    """The mock as a context manager, served from a thread: `with MockModel(…) as model:`."""

    def __init__(self, script: Any, requests_file: Path | str, port: int = 0) -> None:
        self.requests_file = Path(requests_file)
        self._server = MockServer(port, Script(parse_script(script)), Recorder(self.requests_file))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        """The port in use."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The base address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def unplayed_tools(self) -> list[str]:
        """The tool steps that were never called."""
        return self._server.script.unplayed_tools()

    def serve_forever(self) -> None:
        """Serve in the calling thread."""
        self._server.serve_forever()

    def __enter__(self) -> MockModel:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def load_script(path: Path | str) -> Any:
    """Read a script file; `parse_script` checks it."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def main() -> None:
    """Serve a script from the command line."""
    parser = argparse.ArgumentParser(description="Serve a scripted model on 127.0.0.1.")
    parser.add_argument("script", help="JSON file: the list of steps")
    parser.add_argument("requests", help="JSONL file to record the requests in (overwritten)")
    parser.add_argument("--port", type=int, default=0, help="0, the default, picks a free one")
    options = parser.parse_args()
    model = MockModel(load_script(options.script), options.requests, options.port)
    print(json.dumps({"port": model.port, "url": model.url}), flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        model.serve_forever()


if __name__ == "__main__":
    main()
