"""The Python client: the API that embedded memory has, on a server."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import httpx2
import pytest

from holdfast import Holdfast, errors
from holdfast.interfaces.http.remote import VARIABLE
from tests.interfaces.http.served import Asking, a_token, parts, program, served_here


def test_a_server_is_used_like_a_directory(ask: Asking, project: Path) -> None:
    with Holdfast.open(ask.url, token=ask.token) as memory:
        added = memory.add("Deploy on Tuesdays", kind="decision", expires=date(2090, 1, 1), metadata={"n": [1.5]})
        assert [hit.id for hit in memory.search("deploy", since=0)] == [added.id]
        there = memory.get(added.id or "")
    with Holdfast.open(project) as embedded:
        [here] = embedded.list()
        assert there[0].expires == here.expires
        assert there[0].metadata == here.metadata
        assert type(there[0]) is type(here)


def test_a_recall_over_there_shows_memories_in_full_and_is_no_read(ask: Asking, project: Path) -> None:
    """Nobody asked for them by name."""
    with Holdfast.open(ask.url, token=ask.token) as memory:
        memory.add_many([{"content": f"Deploy number {number} went out on a Tuesday"} for number in range(12)])
        assert len(memory.recall("deploy tuesday", k=10)) == 10, "what is the default of a search is sent, too"
        assert len(memory.recall("deploy tuesday")) == 5
    with Holdfast.open(project) as embedded:
        assert {entry.reads for entry in embedded.list()} == {0}


MISTAKES: dict[str, Callable[[Holdfast], object]] = {
    "an unknown id": lambda memory: memory.pin("deadbeef"),
    "an id that is a number": lambda memory: memory.pin(5),  # type: ignore[arg-type]  # that is the mistake
    "no id": lambda memory: memory.pin(""),
    "no content": lambda memory: memory.add(""),
    "an unknown kind": lambda memory: memory.add("x", kind="nonsense"),
    "no number": lambda memory: memory.add("x", importance=float("nan")),
    "no JSON": lambda memory: memory.add("x", importance=object()),  # type: ignore[arg-type]  # the same
    "a tag that is a number": lambda memory: memory.add("x", tags=[5]),  # type: ignore[list-item]  # the same
    "one of many": lambda memory: memory.add_many([{"content": "x"}, {"content": "y", "expires": "soon"}]),
    "no moment": lambda memory: memory.search("x", since="never"),
    "no hits": lambda memory: memory.search("x", limit=0),
    "a change of nothing": lambda memory: memory.update("deadbeef", title="x"),
    "no conflict": lambda memory: memory.resolve("deadbeef", keep="both"),
    "a prune of everything": lambda memory: memory.prune(),
    "no agent": lambda memory: memory.start_session(agent=""),
}


def test_a_mistake_is_the_same_error_as_with_embedded_memory(ask: Asking, project: Path) -> None:
    """The same class and, where a value is at fault, the same field."""

    def raised(memory: Holdfast) -> dict[str, tuple[type, str | None]]:
        outcomes = {}
        for name, mistake in MISTAKES.items():
            with pytest.raises(errors.HoldfastError) as caught:
                mistake(memory)
            field = caught.value.field if isinstance(caught.value, errors.InvalidInput) else None
            outcomes[name] = (caught.type, field and field.split(".")[-1].split("[")[0])
        return outcomes

    with Holdfast.open(ask.url, token=ask.token) as there, Holdfast.open(project) as here:
        assert raised(there) == raised(here)


def test_the_token_may_come_from_the_environment(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, ask.token)
    with Holdfast.open(ask.url) as memory:
        assert memory.list() == []


def test_a_token_that_is_not_good_is_refused_at_once(ask: Asking) -> None:
    known, _ = parts(ask.token)
    for wrong in ("nonsense", "hft_0123456789ab_wrong", f"{known}_wrong"):
        with pytest.raises(errors.TokenRejected):
            Holdfast.open(ask.url, token=wrong)


def test_a_scope_that_is_missing_is_named(ask: Asking) -> None:
    with Holdfast.open(ask.url, token=a_token("read")) as memory:
        assert memory.list() == []
        with pytest.raises(errors.ScopeMissing):
            memory.add("x")


@contextlib.contextmanager
def stranger(port: int) -> Iterator[list[bytes]]:
    """Somebody who listens at a port and takes whatever comes; yields what they hear."""
    heard: list[bytes] = []
    body = b'{"status":"ok","proof":"00"}'

    def answer() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listening.accept()
                with client:
                    while said := client.recv(65_536):
                        heard.append(said)
                        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    with socket.create_server(("127.0.0.1", port)) as listening:
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        try:
            yield heard
        finally:
            listening.shutdown(socket.SHUT_RDWR)
    thread.join(10)


def test_a_stranger_at_the_port_never_hears_the_token() -> None:
    """Whoever took it cannot prove that they know it."""
    token, port = a_token(), free_port()
    with stranger(port) as heard:
        for _ in range(2):
            with pytest.raises(errors.TokenRejected):
                Holdfast.open(f"http://127.0.0.1:{port}", token=token)
    assert len(heard) == 2
    assert parts(token)[1].encode() not in b"".join(heard)


def test_a_stranger_who_takes_the_port_later_never_hears_the_token(project: Path) -> None:
    with served_here(project) as ask:
        memory = Holdfast.open(ask.url, token=ask.token)
        memory.add("Deploy on Tuesdays")
    with stranger(ask.port) as heard:
        for _ in range(2):
            with pytest.raises(errors.TokenRejected):
                memory.add("What a stranger is not to know")
    memory.close()
    assert len(heard) == 2
    assert parts(ask.token)[1].encode() not in b"".join(heard)
    assert b"not to know" not in b"".join(heard)


def test_a_proof_is_good_for_the_name_that_was_called_alone(ask: Asking) -> None:
    """A stranger at another port who asks the server itself gets a proof that does not fit."""
    asked = {"token": ask.token.split("_")[1], "nonce": "7"}
    proofs = {
        ask.bare("GET", "/healthz", params=asked, headers={"Host": f"{name}:{ask.port}"}).json()["proof"]
        for name in ("127.0.0.1", "localhost", "LOCALHOST")
    }
    assert len(proofs) == 2


def test_a_client_goes_on_with_the_server_that_came_back(project: Path) -> None:
    with program(project) as one:
        memory = Holdfast.open(one.asking.url, token=one.asking.token)
        port = one.asking.port
    with program(project, "--port", str(port)):
        memory.add("Deploy on Tuesdays")
        assert len(memory.list()) == 1
    memory.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        return int(closed.getsockname()[1])


def test_nobody_there_and_somebody_else_there_are_told_apart_from_a_mistake(ask: Asking) -> None:
    with pytest.raises(errors.ServerUnreachable):
        Holdfast.open(f"http://127.0.0.1:{free_port()}", token=ask.token)
    with pytest.raises(errors.ServerUnreachable):
        Holdfast.open(f"{ask.url}/elsewhere", token=ask.token)


def test_a_client_goes_on_when_the_server_was_away(project: Path) -> None:
    with served_here(project) as ask:
        memory = Holdfast.open(ask.url, token=ask.token)
        memory.add("Deploy on Tuesdays")
    with pytest.raises(errors.ServerUnreachable):
        memory.list()
    memory.close()


def test_an_address_that_is_none_is_named() -> None:
    token, fields = a_token(), {}
    for target in (
        "http://",
        "HTTP://",
        "http://[::1",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:port",
        "http://127.0.0.1:0",
        "http://127.0.0.1:7420/#there",
        "http://127.0.0.1:7420?x=1",
        "http://me@127.0.0.1:7420",
    ):
        with pytest.raises(errors.InvalidInput) as caught:
            Holdfast.open(target, token=token)
        fields[target] = caught.value.field
    assert set(fields.values()) == {"target"}, fields


def test_an_answer_that_does_not_fit_is_an_error_of_the_server(
    ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Holdfast.open(ask.url, token=ask.token) as memory:
        monkeypatch.setattr("holdfast.service.service.Service.sessions", lambda *_: [{"id": 5}])
        with pytest.raises(errors.ServerError, match="sessions"):
            memory.sessions()


def test_the_id_of_a_project_may_have_any_letter(ask: Asking) -> None:
    """It is sent in ASCII; whether there is such a project, the server says."""
    for project in ("café", "проект", "a b%20c"):
        with Holdfast.open(ask.url, token=ask.token, project=project) as memory, pytest.raises(errors.UnknownId):
            memory.list()


def test_the_id_of_a_project_is_sent_percent_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[httpx2.Request] = []

    def answer(_: object, request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200, json={})

    monkeypatch.setattr(httpx2.HTTPTransport, "handle_request", answer)
    Holdfast.open("https://memory.example", token=a_token(), project="café/x").close()
    assert sent[0].headers["holdfast-project"] == "caf%C3%A9/x"
