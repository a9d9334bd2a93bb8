"""Whatever comes in, a parser gives a value or an error of ours: payloads, transcripts, requests, imports, texts.

Settings, too. Hypothesis makes up the input, near to what is expected and far from it.
"""

import contextlib
import importlib
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast import Holdfast
from holdfast.agents.claude import files as claude
from holdfast.agents.codex import files as codex
from holdfast.agents.copilot import files as copilot
from holdfast.agents.events import CLIENTS
from holdfast.agents.gemini import files as gemini
from holdfast.errors import HoldfastError
from holdfast.interfaces.hooks import entry as payload
from holdfast.settings import load, schema
from tests.embedded import service_behind
from tests.interfaces.mcp.talk import INITIALIZED, greeting, inside

FEW, MANY = 25, 500
"""Examples of each in `make test`, and in `make soak`."""

SIZES = [FEW, pytest.param(MANY, marks=pytest.mark.soak)]

SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]

NAMED = (
    "session_id sessionId conversation_id cwd prompt prompt_id turn_id last_assistant_message transcript_path "
    "tool_name tool_input tool_response tool_use_id source reason hook_event_name workspace_roots text message "
    "content role type payload timestamp uuid parentUuid isSidechain id name arguments output messages parts "
    "entities relations observations entityType memory metadata kind title tags importance created_at"
).split()
"""What clients and other tools call things: with these a made-up value gets past the first look."""

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=40)
    | st.sampled_from(
        ["user", "assistant", "tool", "text", "tool_use", "tool_result", "2026-01-02T03:04:05Z", "/", "\ud800"]
    )
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMED) | st.text(max_size=6), inner, max_size=6)
    ),
    max_leaves=25,
)
OBJECTS = st.dictionaries(st.sampled_from(NAMED), VALUES, max_size=10)
DEEP = st.just(b"[" * 100_000) | st.just(b'{"a":' * 100_000)
LINES = st.lists(OBJECTS.map(lambda one: json.dumps(one).encode()) | st.binary(max_size=60) | DEEP, max_size=8)


def tried(count: int, strategy: "st.SearchStrategy[object]", attempt: Callable[..., None]) -> None:
    """Try so many examples."""
    settings(max_examples=count, suppress_health_check=SHARED)(given(strategy)(attempt))()


def parsed(raw: bytes) -> object:
    """Return a payload's value; None where it has none, which a hook notes and passes over."""
    with contextlib.suppress(ValueError):
        return payload.parse(raw)
    return None


def refused(act: Callable[[], object]) -> bool:
    """Say whether something was refused, by an error of ours; any other fails."""
    try:
        act()
    except HoldfastError:
        return True
    return False


@pytest.mark.parametrize("count", SIZES)
def test_any_payload_is_a_moment_or_none(count: int) -> None:
    """Of every client, cut anywhere, with any value under any name."""
    modules = [importlib.import_module(f"holdfast.agents.{client}") for client in CLIENTS]

    def attempt(case: tuple[dict[str, object], int]) -> None:
        raw = json.dumps(case[0]).encode()
        cut = raw[: max(0, len(raw) - case[1])]
        for module in modules:
            for event in module.EVENTS:
                module.moment(event, parsed(cut))

    tried(count, st.tuples(OBJECTS, st.integers(0, 60)), attempt)


@pytest.mark.parametrize("count", SIZES)
def test_any_transcript_is_read_or_passed_over(count: int, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"

    def attempt(lines: list[bytes]) -> None:
        path.write_bytes(b"\n".join(lines))
        for reader in (claude, codex, gemini, copilot):
            for past in reader.source(path).read():
                list(past.moments)

    tried(count, LINES, attempt)


@pytest.fixture
def memory(project: Path) -> Iterator[Holdfast]:
    """A memory with something in it."""
    with Holdfast.open(project) as opened:
        opened.add("The queue is kept in Postgres; retries are spaced", tags=["queue"])
        yield opened


@pytest.mark.parametrize("count", SIZES)
def test_any_question_has_an_answer_or_names_what_is_wrong(memory: Holdfast, count: int) -> None:
    """In every mode and over everything: no syntax of an index gets through."""
    special = st.sampled_from(
        ['"', "NEAR(", "*", "^", "col:x", "OR", "NOT", "multi-agent", "(", "-", "why?", "\0"]
    )
    texts = st.lists(special | st.text(max_size=8), max_size=6).map(" ".join)

    def attempt(case: tuple[str, str, str]) -> None:
        text, mode, within = case
        refused(lambda: memory.search(text, mode=mode, within=within))

    modes, targets = (
        st.sampled_from(["keyword", "vector", "hybrid"]),
        st.sampled_from(["memories", "turns", "all"]),
    )
    tried(count, st.tuples(texts, modes, targets), attempt)


@pytest.mark.parametrize("count", SIZES)
def test_any_file_is_imported_or_refused_by_name(memory: Holdfast, count: int, tmp_path: Path) -> None:
    """Nothing of a file that is refused is kept."""
    from tests.ingest.test_import_entries import take

    paths = [tmp_path / f"export.{suffix}" for suffix in ("jsonl", "json", "md", "csv", "db", "zip")]
    service = service_behind(memory)

    def attempt(lines: list[bytes]) -> None:
        for path in paths:
            path.write_bytes(b"\n".join(lines))
            before = service.stats().counts.memories
            if refused(partial(take, service, path)):
                assert service.stats().counts.memories == before, path.suffix

    tried(count, LINES, attempt)


@pytest.mark.parametrize("count", SIZES)
def test_any_settings_are_taken_or_named(tmp_path: Path, count: int) -> None:
    """From a file of the user's, a file of the project's, and the environment."""
    keys = st.sampled_from([one.key for one in schema.settings()]) | st.text(max_size=8)
    pair = st.tuples(keys, LEAVES.map(repr) | st.text(max_size=10))
    texts = st.lists(pair.map(lambda one: f"{one[0]} = {one[1]}"), max_size=4).map("\n".join)
    names = st.sampled_from([one.variable for one in schema.settings()])
    environments = st.dictionaries(names, st.text(max_size=10).filter(lambda text: "\0" not in text), max_size=3)

    def attempt(case: tuple[str, str, dict[str, str]]) -> None:
        user, project = tmp_path / "user.toml", tmp_path / "project.toml"
        user.write_text(case[0], errors="replace")
        project.write_text(case[1], errors="replace")
        sources = load.Sources(user, project, lambda raw: len(raw) % 2 == 0, case[2])
        refused(lambda: load.load(sources))

    tried(count, st.tuples(texts, texts, environments), attempt)


@pytest.mark.parametrize("count", SIZES)
def test_any_line_to_the_server_is_answered_or_an_error_object(project: Path, count: int) -> None:
    """However malformed: the next request is answered, and nothing but messages comes out."""
    methods = st.sampled_from(
        ["tools/call", "tools/list", "resources/read", "prompts/get", "ping", "initialize", "x"]
    )
    requests = st.fixed_dictionaries(
        {"jsonrpc": st.sampled_from(["2.0", "1.0"]), "method": methods | st.text(max_size=5), "params": VALUES},
        optional={"id": st.integers() | st.text(max_size=4) | st.none()},
    )
    lines = (requests | OBJECTS).map(lambda one: json.dumps(one).encode()) | st.binary(max_size=40) | DEEP
    numbers = iter(range(1_000_000))

    def attempt(line: bytes) -> None:
        mark = f"mark-{next(numbers)}"
        server.send(line.replace(b"\n", b" "), {"jsonrpc": "2.0", "id": mark, "method": "ping"})
        while (answer := server.receive())["id"] != mark:
            assert answer["jsonrpc"] == "2.0"
            assert ("error" in answer) != ("result" in answer)

    with inside(project) as server:
        server.ask(greeting())
        server.send(INITIALIZED)
        tried(count, lines, attempt)


@given(st.binary(max_size=200))
@example(b"[" * 100_000)
@settings(max_examples=FEW)
def test_any_bytes_are_a_payload_of_some_sort(raw: bytes) -> None:
    parsed(raw)
