"""Calls of tools that the front answers itself: byte for byte what the SDK's server says, and without the SDK."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast import Holdfast
from holdfast.interfaces.mcp import tool
from holdfast.interfaces.mcp.calls import INTERNAL_ERROR
from holdfast.interfaces.mcp.snapshot import Answers
from holdfast.storage import ingest
from tests.interfaces.mcp.talk import (
    ENVELOPE,
    INITIALIZED,
    LATEST,
    MODERN,
    Inside,
    Message,
    call,
    greeting,
    inside,
    request,
)

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", LATEST, MODERN)
CALLS = (
    ("memory_search", {"query": "price", "limit": 2}),
    ("memory_search", {"query": "price", "limit": "many"}),
    ("memory_search", {"query": "price", "colour": "red"}),
    ("memory_get", {"ids": ["nobody12"]}),
    ("memory_update", {"id": "nobody12", "action": "pin"}),
    ("memory_stats", None),
)
PROGRAM = """
import os, sys
leave = os._exit
def tell(code):
    sys.stderr.write(" ".join(sys.modules))
    sys.stderr.flush()
    leave(code)
os._exit = tell
from holdfast.interfaces.mcp.front import main
main(sys.argv[1])
"""


def opened(client: Inside, version: str) -> None:
    """Open a connection of a version's era."""
    if version == MODERN:
        client.ask(request(0, "server/discover", modern=True))
    else:
        client.ask(greeting(version=version))
        client.send(INITIALIZED)


def asked(version: str, name: str, arguments: Message | None, **more: object) -> Message:
    """Return a call; what is in it besides sends it to the SDK."""
    params = {"name": name, **({} if arguments is None else {"arguments": arguments}), **more}
    return request(7, "tools/call", params, modern=version == MODERN)


@pytest.fixture
def stocked(project: Path) -> Path:
    """A project that remembers something."""
    with Holdfast.open(project) as memory:
        memory.add("Prices are stored in integer cents", trust="user")
    return project


def test_the_front_says_of_a_call_what_the_sdk_says(stocked: Path, subtests: pytest.Subtests) -> None:
    for version in VERSIONS:
        with subtests.test(version=version):
            with inside(stocked) as client:
                opened(client, version)
                own = [client.raw(asked(version, name, arguments)) for name, arguments in CALLS]
                sdk = [client.raw(asked(version, name, arguments, beside=1)) for name, arguments in CALLS]
            assert own == sdk
            assert "integer cents" in own[0]


def test_a_call_that_is_not_plain_is_left_to_the_sdk(subtests: pytest.Subtests) -> None:
    odd_calls: list[dict[str, Any]] = [
        {"name": "memory_unknown"},
        {"name": ["memory_stats"]},
        {"name": "memory_stats", "arguments": []},
        {"name": "memory_stats", "task": {}},
        {"name": "memory_stats", "_meta": {"progressToken": True}},
        {"name": "memory_stats", "_meta": 5},
        {},
    ]
    for params in odd_calls:
        with subtests.test(params=params):
            answers = Answers()
            answers.to(greeting())
            assert answers.call(call(1, "memory_stats")) is not None
            assert answers.call(request(1, "tools/call", params)) is None


def test_a_call_before_the_connection_is_open_is_left_to_the_sdk(subtests: pytest.Subtests) -> None:
    for modern in [False, True]:
        with subtests.test(modern=modern):
            assert Answers().call(call(1, "memory_stats", modern=modern)) is None


def test_a_tool_that_is_switched_off_is_left_to_the_sdk() -> None:
    answers = Answers(frozenset({"memory_add"}))
    answers.to(greeting())
    assert answers.call(call(1, "memory_add", content="x")) is None


def test_a_call_is_made_in_the_name_of_the_client() -> None:
    answers = Answers()
    answers.to(greeting(clientInfo={"name": "codex-mcp-client", "version": "1"}))
    plain = answers.call(call(1, "memory_stats"))
    modern = Answers()
    modern.to(request(0, "server/discover", modern=True))
    enveloped = modern.call(request(1, "tools/call", {"name": "memory_stats", "_meta": ENVELOPE}))
    assert plain
    assert enveloped
    assert (plain.client, enveloped.client) == ("codex-mcp-client", "tester")


def test_what_is_cancelled_before_its_turn_is_not_answered(stocked: Path) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
    with inside(stocked) as client:
        opened(client, LATEST)
        client.send(call(1, "memory_stats"), call(2, "memory_stats"), cancelled, call(3, "memory_stats"))
        heard = [client.receive()["id"], client.receive()["id"]]
    assert heard in ([1, 3], [1, 2])  # it may have had its turn already


def test_when_tools_cannot_be_called_every_call_is_told(
    stocked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise ImportError("no such thing")

    monkeypatch.setattr("holdfast.interfaces.mcp.tools.tools", broken)
    with inside(stocked) as client:
        opened(client, LATEST)
        for number in (1, 2):
            told = client.ask(call(number, "memory_stats"))
            assert (told["id"], told["error"]["code"]) == (number, -32603)
            assert "no such thing" in told["error"]["message"]
    assert "no such thing" in capsys.readouterr().err


def test_calls_of_tools_need_no_sdk(stocked: Path) -> None:
    """It takes a second to import."""
    talk = [greeting(), INITIALIZED, request(1, "tools/list"), call(2, "memory_search", query="price")]
    lines = "".join(json.dumps(one) + "\n" for one in talk)
    command = [sys.executable, "-c", PROGRAM, str(stocked)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    assert "integer cents" in done.stdout
    assert {"mcp", "mcp_types", "anyio", "starlette", "httpx", "numpy"}.isdisjoint(done.stderr.split())


def test_a_directory_that_cannot_be_looked_at_is_told_with_the_call(tmp_path: Path) -> None:
    with inside(tmp_path / ("a" * 300)) as client:
        client.ask(greeting())
        for number in (1, 2):
            told = client.ask(call(number, "memory_stats"))
            assert told["id"] == number
            problem = told["error"]["message"]  # from Python 3.14 on, what cannot be looked at is no directory
            assert "File name too long" in problem or "is not a directory" in problem


def test_when_calls_cannot_begin_each_is_told_why(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no such thing")

    monkeypatch.setattr(ingest, "auto_index", broken)
    with inside(project) as client:
        client.ask(greeting())
        for number in (1, 2):
            told = client.ask(call(number, "memory_stats"))
            assert (told["id"], told["error"]["code"]) == (number, INTERNAL_ERROR)
            assert "no such thing" in told["error"]["message"]


def test_an_answer_that_cannot_be_written_is_an_error_and_the_next_call_is_answered(
    stocked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = tool.answer_of

    def unwritable(*_: object) -> tool.ToolAnswer:
        monkeypatch.setattr(tool, "answer_of", right)
        return tool.ToolAnswer("", {"ids": {1, 2}})  # type: ignore[dict-item]  # JSON has no sets

    monkeypatch.setattr(tool, "answer_of", unwritable)
    with inside(stocked) as client:
        client.ask(greeting())
        told = client.ask(call(1, "memory_stats"))
        assert (told["id"], told["error"]["code"]) == (1, INTERNAL_ERROR)
        assert "the call cannot be answered: TypeError" in told["error"]["message"]
        assert "result" in client.ask(call(2, "memory_stats"))
