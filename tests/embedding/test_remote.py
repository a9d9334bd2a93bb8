"""The remote embedder against a real HTTP server on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from holdfast.embedding.remote import RemoteEmbedder, vectors_in
from holdfast.errors import AnswerUnusable, EndpointRefused, EndpointUnreachable
from holdfast.machine.json_endpoint import Address
from tests.hooking import HUNG_S
from tests.table import table

Answer = Callable[[dict[str, Any]], tuple[int, dict[str, str], bytes]]


def vectors_for(request: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    """Answer as the protocol has it; the first component is the text's length. Out of order on purpose."""
    data = [{"index": at, "embedding": [len(text), 1, 0]} for at, text in enumerate(request["input"])]
    return 200, {}, json.dumps({"data": data[::-1]}).encode()


@dataclass
class Server:
    """Answers from a script, then properly; remembers what it was asked."""

    script: list[Answer] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    drip: list[float] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def server() -> Iterator[Server]:
    record = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            record.asked.append(request)
            record.headers.append(dict(self.headers))
            record.paths.append(self.path)
            status, headers, body = (record.script.pop(0) if record.script else vectors_for)(request)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if "Content-Length" not in headers:
                self.send_header("Content-Length", str(len(body)))
            with suppress(ConnectionError):  # a client that timed out has gone
                self.end_headers()
                for pause in record.drip:
                    self.wfile.write(b" ")
                    record.released.wait(pause)
                self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    record.url = f"http://127.0.0.1:{http.server_port}/v1"
    yield record
    record.released.set()
    http.shutdown()
    thread.join()
    http.server_close()


def failing(status: int, **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: (status, sent, b"no")


def remote(server: Server, waits: list[float] | None = None, **changes: Any) -> RemoteEmbedder:
    address = Address(
        server.url, *(changes.pop(name, usual) for name, usual in (("key", None), ("timeout", 30.0)))
    )
    options = {"sleep": (waits if waits is not None else []).append, "chance": lambda: 0.0, **changes}
    return RemoteEmbedder(address, "m", options.pop("dimensions", 3), **options)


def test_vectors_come_back_in_order_with_length_one(server: Server) -> None:
    rows = remote(server).embed(["a", "bbb"])
    expected = np.array([[1, 1, 0], [3, 1, 0]]) / np.array([[2**0.5], [10**0.5]])
    np.testing.assert_allclose(rows, expected, atol=1e-6)
    assert server.paths == ["/v1/embeddings"]


def test_texts_are_sent_in_batches(server: Server) -> None:
    remote(server, batch=2).embed(["a", "b", "c"])
    assert [request["input"] for request in server.asked] == [["a", "b"], ["c"]]


def test_the_key_is_sent_and_nothing_that_only_some_models_accept(server: Server) -> None:
    remote(server, key="k").embed_query("a")
    assert server.headers[0]["Authorization"] == "Bearer k"
    assert server.asked == [{"model": "m", "input": ["a"], "encoding_format": "float"}]


def test_no_key_sends_no_authorization(server: Server) -> None:
    remote(server).embed_query("a")
    assert "Authorization" not in server.headers[0]


def test_a_busy_server_is_asked_again_after_growing_waits(server: Server) -> None:
    server.script = [failing(503), failing(500)]
    waits: list[float] = []
    assert remote(server, waits).embed(["a"]).shape == (1, 3)
    assert waits == [0.5, 1.0]


def test_the_server_may_say_how_long_to_wait(server: Server) -> None:
    server.script = [failing(429, Retry_After=value) for value in ("7", "9999", "soon")]
    waits: list[float] = []
    remote(server, waits).embed(["a"])
    assert waits == [7.0, 30.0, 2.0]


def test_a_server_that_goes_on_failing_is_given_up(server: Server) -> None:
    server.script = [failing(503)] * 3
    with pytest.raises(EndpointUnreachable, match="status 503: no"):
        remote(server, retries=2).embed(["a"])
    assert len(server.asked) == 3


def test_a_refusal_is_not_retried(server: Server) -> None:
    server.script = [failing(401)]
    with pytest.raises(EndpointRefused, match="status 401"):
        remote(server).embed(["a"])
    assert len(server.asked) == 1


def test_a_silent_server_times_out(server: Server) -> None:
    def silent(request: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        server.released.wait(HUNG_S)
        return vectors_for(request)

    server.script = [silent]
    with pytest.raises(EndpointUnreachable, match="timed out"):
        remote(server, timeout=0.05, retries=0).embed(["a"])
    server.released.set()


def test_a_server_that_drips_has_one_deadline_for_all(server: Server) -> None:
    """Each byte would start a socket's own time-out anew."""
    server.drip = [0.05] * 200
    with pytest.raises(EndpointUnreachable, match="timed out"):
        remote(server, timeout=0.2, retries=0).embed(["a"])
    server.released.set()


def test_an_answer_that_breaks_off_is_asked_for_again(server: Server) -> None:
    server.script = [lambda request: (200, {"Content-Length": "9999"}, b"{")]
    waits: list[float] = []
    assert remote(server, waits).embed(["a"]).shape == (1, 3)
    assert len(waits) == 1


def test_an_endless_answer_is_cut(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.embedding.remote._SLACK", 100)
    server.script = [lambda request: (200, {}, b" " * 1_000)]
    with pytest.raises(AnswerUnusable, match="longer than 292 bytes"):
        remote(server).embed(["a"])


def test_a_redirect_names_the_address_to_set(server: Server) -> None:
    server.script = [lambda request: (302, {"Location": "https://elsewhere/v1"}, b"")]
    with pytest.raises(EndpointRefused, match=r"moved to https://elsewhere/v1; set `embedding\.url`"):
        remote(server).embed(["a"])


def test_a_closed_port_is_unreachable() -> None:
    embedder = RemoteEmbedder(Address("http://127.0.0.1:1/v1"), "m", 3, retries=0)
    with pytest.raises(EndpointUnreachable, match="refused"):
        embedder.embed(["a"])


def test_another_dimension_is_refused(server: Server) -> None:
    with pytest.raises(AnswerUnusable, match="3 dimensions, configured are 4"):
        remote(server, dimensions=4).embed(["a"])


@table(
    "body",
    [
        b"<html>",
        b"[]",
        b'{"data": 1}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 0, "embedding": "x"}]}',
        b'{"data": [{"index": 0, "embedding": [NaN, 0, 0]}]}',
        b'{"data": [{"index": 0, "embedding": [1e300, 0, 0]}]}',
        b'{"data": [{"index": 0, "embedding": [1e400, 0, 0]}]}',
    ],
)
def test_an_answer_that_is_nonsense_is_unusable(body: bytes) -> None:
    with pytest.raises(AnswerUnusable):
        vectors_in(body, 1, 3)


def test_a_missing_vector_is_noticed() -> None:
    body = json.dumps({"data": [{"index": 0, "embedding": [1, 0, 0]}]}).encode()
    with pytest.raises(AnswerUnusable, match="asked for 2 embeddings, got 1"):
        vectors_in(body, 2, 3)


def test_numbers_may_come_as_text_but_must_be_those_asked_for() -> None:
    body = json.dumps({"data": [{"index": "0", "embedding": ["1", 0, 0]}]}).encode()
    assert vectors_in(body, 1, 3) == [[1, 0, 0]]
    body = json.dumps({"data": [{"index": 7, "embedding": [1, 0, 0]}]}).encode()
    with pytest.raises(AnswerUnusable, match="asked for 1 embeddings, got 1, numbered 7"):
        vectors_in(body, 1, 3)


def test_no_texts_ask_nothing(server: Server) -> None:
    assert remote(server).embed([]).shape == (0, 3)
    assert server.asked == []


def test_the_key_is_not_shown() -> None:
    assert "secret" not in repr(Address("http://localhost/v1", key="secret"))


@table(
    "changes",
    [
        {"url": "ftp://x"},
        {"url": "http://host:port/v1"},
        {"url": "http://host:99999/v1"},
        {"url": "http://a..b/v1"},
        {"url": f"http://{'a' * 70}/v1"},
        {"url": "http://[::1/v1"},
        {"url": "http://host/vü"},
        {"url": "http://host/v 1"},
    ],
)
def test_a_senseless_address_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"is no http\(s\) address"):
        Address(**changes)


@table("changes", [{"key": "secret\n"}, {"key": "secret–"}, {"key": " "}, {"url": "http://me:secret@host:x/v1"}])
def test_what_cannot_be_a_key_or_stands_in_the_address_is_refused_unseen(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="key") as caught:
        Address(**{"url": "http://localhost/v1", **changes})
    assert "secret" not in str(caught.value)
