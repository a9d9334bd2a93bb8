"""The front: at once what it knows, everything else from the SDK, nothing lost, nothing twice."""

from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.interfaces.mcp import server
from holdfast.interfaces.mcp.catalogue import TOOLS
from holdfast.interfaces.mcp.snapshot import VERSION_KEY, Answers
from tests.interfaces.mcp.talk import ENVELOPE, INITIALIZED, MODERN, call, greeting, inside, request


def test_what_is_not_plainly_a_first_question_is_left_to_the_sdk(subtests: pytest.Subtests) -> None:
    for odd in [
        request(1, "tools/list", {"cursor": "x"}),
        request(1, "tools/list", {"_meta": {"progressToken": []}}),
        request(1, "tools/list", {"_meta": 5}),
        request(1, "tools/call", {"name": "memory_stats"}),
        request(1, "no/such/method"),
        request(1, "server/discover"),
        greeting(1, protocolVersion=7),
        greeting(1, capabilities=None),
        greeting(1, clientInfo={"name": "nameless"}),
        request(1, "tools/list", modern=True),
    ]:
        with subtests.test(odd=odd):
            answers = Answers()
            answers.to(greeting())
            assert answers.to(odd) == (None, False)


def test_nothing_is_listed_before_the_connection_is_open(subtests: pytest.Subtests) -> None:
    for method in ["tools/list", "prompts/list", "resources/list"]:
        with subtests.test(method=method):
            assert Answers().to(request(1, method)) == (None, False)


def test_a_damaged_envelope_is_left_to_the_sdk(subtests: pytest.Subtests) -> None:
    for envelope in [
        {VERSION_KEY: "1999-01-01"},
        {**ENVELOPE, VERSION_KEY: 5},
        {VERSION_KEY: MODERN},
        {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": {"roots": 5}},
        {**ENVELOPE, "io.modelcontextprotocol/clientInfo": "me"},
    ]:
        with subtests.test(envelope=envelope):
            assert Answers().to(request(1, "tools/list", {"_meta": envelope})) == (None, False)


def test_a_ping_before_the_greeting_is_answered_and_opens_nothing(project: Path) -> None:
    with inside(project) as client:
        assert client.ask(request(1, "ping")) == {"jsonrpc": "2.0", "id": 1, "result": {}}
        assert client.ask(request(2, "tools/list"))["error"]["code"] == -32602
        assert client.ask(greeting(3))["result"]["protocolVersion"] == "2025-11-25"
        assert len(client.ask(request(4, "tools/list"))["result"]["tools"]) > 5
        assert "result" in client.ask(call(5, "memory_stats"))


@pytest.mark.parametrize("modern", [False, True])
def test_the_sdk_serves_in_the_era_that_the_front_opened(project: Path, modern: bool) -> None:
    with inside(project) as client:
        client.ask(request(1, "server/discover", modern=True) if modern else greeting(1))
        assert "result" in client.ask(call(2, "memory_stats", modern=modern))
        other_era = client.ask(call(3, "memory_stats", modern=not modern))
        assert other_era["error"]["code"] in (-32600, -32602)


def test_a_later_greeting_in_the_newer_era_is_refused_by_the_sdk(project: Path) -> None:
    with inside(project) as client:
        client.ask(request(1, "tools/list", modern=True))
        assert client.ask(greeting(2))["error"]["code"] == -32022


def test_a_client_may_greet_twice(project: Path) -> None:
    with inside(project) as client:
        assert client.ask(greeting(1, "2024-11-05"))["result"]["protocolVersion"] == "2024-11-05"
        assert client.ask(greeting(2, "2025-06-18"))["result"]["protocolVersion"] == "2025-06-18"
        assert "result" in client.ask(call(3, "memory_stats"))


def test_an_introduction_that_only_the_sdk_finds_fault_with_still_connects(project: Path) -> None:
    """The client was told that it is connected, so its calls must work."""
    with inside(project) as client:
        assert "result" in client.ask(greeting(1, capabilities={"roots": {"listChanged": "perhaps"}}))
        client.send(INITIALIZED)
        assert "result" in client.ask(call(2, "memory_stats"))


def test_every_request_of_a_burst_is_answered_once(project: Path) -> None:
    methods = ["tools/list", "ping", "prompts/list", "resources/list", "no/such/method", "logging/setLevel"]
    numbers = range(1, 121)
    burst = [
        call(number, "memory_stats") if number % 4 == 0 else request(number, methods[number % len(methods)])
        for number in numbers
    ]
    with inside(project) as client:
        client.send(greeting("g"), INITIALIZED, *burst)
        answers = [client.receive() for _ in (0, *numbers)]
        late = client.leave()
    assert sorted(str(one["id"]) for one in answers) == sorted(["g", *map(str, numbers)])
    assert late == []


def test_ids_come_back_as_they_were_sent(project: Path) -> None:
    with inside(project) as client:
        client.ask(greeting("1"))
        assert client.ask(request(1, "ping"))["id"] == 1
        assert client.ask(call("1", "memory_stats"))["id"] == "1"
        assert client.ask(call("holdfast/replaye", "memory_stats"))["id"] == "holdfast/replaye"


@pytest.mark.parametrize(
    ("line", "code", "identity"),
    [
        (b"{oops", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"[]", -32600, None),
        (b"5", -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":7}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"x"}', -32601, "?"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_malformed_message_gets_an_error_object_and_the_next_one_its_answer(
    project: Path, line: bytes, code: int, identity: object
) -> None:
    with inside(project) as client:
        client.ask(greeting())
        client.send(line)
        refused = client.receive()
        assert (refused["error"]["code"], refused["id"]) == (code, identity)
        assert client.ask(request(8, "ping"))["result"] == {}


def test_answers_and_notices_of_a_client_are_no_reason_to_answer(project: Path) -> None:
    with inside(project) as client:
        client.ask(greeting())
        client.send({"jsonrpc": "2.0", "id": 99, "result": {}}, {"jsonrpc": "2.0", "method": "notifications/odd"})
        assert client.ask(call(1, "memory_stats"))["id"] == 1


def test_requests_under_way_are_answered_after_the_client_closed_its_side(project: Path) -> None:
    with inside(project) as client:
        client.send(greeting(1), call(2, "memory_add", content="Said just before leaving"))
        late = client.leave()
    assert [(one["id"], "result" in one) for one in late] == [(1, True), (2, True)]


def test_when_the_sdk_cannot_run_who_needs_it_is_told_and_lists_and_calls_go_on(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ImportError("no such thing")

    monkeypatch.setattr(server, "serve", broken)
    with inside(project) as client:
        client.ask(greeting(0))
        for number in (1, 2):
            told = client.ask(request(number, "prompts/get", {"name": "memory"}))
            assert (told["id"], told["error"]["code"]) == (number, -32603)
            assert "no such thing" in told["error"]["message"]
        assert "result" in client.ask(request(3, "tools/list"))
        assert "result" in client.ask(call(4, "memory_stats"))


def test_a_cancelled_request_is_not_waited_for(project: Path) -> None:
    with inside(project) as client:
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
        client.send(greeting(1), call(2, "memory_stats"), cancelled, call(3, "memory_stats"))
        seen = [client.receive()["id"], client.receive()["id"]]
    assert seen[0] == 1
    assert seen[1] in (2, 3)  # two when it was done before the notice came


@pytest.mark.parametrize(
    ("client", "agent"),
    [
        ("claude-code", "claude-code"),
        ("codex-mcp-client", "codex"),
        ("gemini-cli-mcp-client", "gemini"),
        ("x", "x"),
    ],
)
def test_an_agent_has_one_name_whatever_its_client_calls_itself(project: Path, client: str, agent: str) -> None:
    with inside(project) as talk:
        talk.ask(greeting(clientInfo={"name": client, "version": "1"}))
        talk.ask(call(1, "memory_add", content="Deploys go out on Tuesdays"))
    with Holdfast.open(project) as memory:
        assert [one.agent for one in memory.list()] == [agent]


def test_a_tool_that_is_switched_off_is_neither_listed_nor_called(project: Path) -> None:
    with inside(project, frozenset({"memory_delete"})) as client:
        client.ask(greeting())
        listed = [tool["name"] for tool in client.ask(request(1, "tools/list"))["result"]["tools"]]
        assert "memory_delete" not in listed
        assert set(listed) < set(TOOLS)
        told = client.ask(call(2, "memory_delete", id="12345678"))["error"]
        assert told["code"] == -32602
        assert "Unknown tool" in told["message"]
