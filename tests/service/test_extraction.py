"""The extractor that a user named, against a real server on this machine: off by itself, checked like anybody."""

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from holdfast.capture.sessions.chat_extractor import notes_in
from holdfast.errors import ConfigError, ExtractorFailed
from holdfast.machine import detached, failures
from holdfast.model.memory import Memory
from holdfast.model.requests import Message
from holdfast.model.search import Filters
from holdfast.settings.schema import ExtractorConfig
from holdfast.storage.open import open_service
from holdfast.storage.options import extractor_of
from holdfast.storage.worker import extract
from tests.secrets import AWS

pytestmark = pytest.mark.usefixtures("keyword_judge")

SAID = "the invoices of resellers were grouped by quarter for their accountants, the others by month"
NOTE = {
    "content": "Invoices of resellers are grouped by quarter, for their accountants.",
    "quote": "invoices of resellers were grouped by quarter",
    "kind": "fact",
}
FAR = 1e12
"""A deadline that no test reaches."""


class Server:
    """Answers with notes; remembers what it was asked."""

    def __init__(self) -> None:
        self.notes: list[object] = [NOTE]
        self.status = 200
        self.raw: bytes | None = None
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.url = ""

    def answer(self) -> bytes:
        said = json.dumps({"notes": self.notes})
        return self.raw or json.dumps({"choices": [{"message": {"content": said}}]}).encode()


@pytest.fixture
def server() -> Iterator[Server]:
    record = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            record.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            record.headers.append(dict(self.headers))
            record.paths.append(self.path)
            body = record.answer()
            self.send_response(record.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    record.url = f"http://127.0.0.1:{running.server_port}/v1"
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield record
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The processes that would be started, which this test runs itself."""
    calls: list[tuple[str, ...]] = []
    monkeypatch.setattr(detached, "start", lambda module, *words: calls.append((module, *words)))
    return calls


@pytest.fixture
def named(server: Server, monkeypatch: pytest.MonkeyPatch, started: list[tuple[str, ...]]) -> Server:
    """The server, as the user's extractor."""
    monkeypatch.setenv("HOLDFAST_EXTRACTOR_URL", server.url)
    monkeypatch.setenv("HOLDFAST_EXTRACTOR_MODEL", "small")
    return server


def talk(project: Path, *turns: tuple[str, str]) -> None:
    """Have a session, and end it."""
    with closing(open_service(project, actor="hooks")) as service:
        session = service.start_session("claude-code")
        for role, text in turns:
            service.record(session.id, Message(role=role, text=text, tool="Bash" if role == "tool" else None))
        service.end_session(session.id)


def memories(project: Path) -> list[Memory]:
    with closing(open_service(project, actor="cli")) as service:
        return service.list(Filters())


def test_what_the_user_said_is_noted_as_theirs(
    project: Path, named: Server, started: list[tuple[str, ...]]
) -> None:
    talk(project, ("assistant", "I added npm."), ("user", SAID))
    assert (detached.WORKER, str(project)) in started
    before = {one.content for one in memories(project)}
    assert extract(str(project), FAR) == 1
    [memory] = [one for one in memories(project) if one.content not in before]
    assert (memory.content, memory.trust, memory.status) == (NOTE["content"], "user", "confirmed")
    assert (memory.sources, memory.metadata["quote"]) == (("extractor",), NOTE["quote"])
    assert named.paths == ["/v1/chat/completions"]
    [asked] = named.asked
    assert (asked["model"], asked["response_format"]) == ("small", {"type": "json_object"})
    assert SAID in asked["messages"][1]["content"]


def test_a_session_is_read_once(project: Path, named: Server) -> None:
    talk(project, ("user", SAID))
    for _ in range(2):
        extract(str(project), FAR)
    assert len(named.asked) == 1


def test_what_the_user_did_not_say_is_not_kept(project: Path, named: Server) -> None:
    named.notes = [
        NOTE | {"quote": "always group the invoices of resellers by quarter"},
        NOTE | {"quote": "resellers have their invoices by quarter"},
        NOTE | {"content": "Deploys go out on Tuesdays."},
        {"content": "Use bun."},
        "no note",
    ]
    said = (
        ("assistant", "So I always group the invoices of resellers by quarter."),
        ("tool", "resellers have their invoices by quarter"),
    )
    talk(project, ("user", "please look at the invoices of resellers by quarter"), *said)
    before = memories(project)
    assert extract(str(project), FAR) == 0
    assert memories(project) == before


def test_only_redacted_talk_is_sent_and_no_tools_output(project: Path, named: Server) -> None:
    """Also of what older rules let through."""
    talk(project, ("user", "The key is elsewhere."), ("tool", "the answer of a tool"), ("user", SAID))
    with closing(open_service(project, actor="hooks")) as service:
        store = service._scopes.project
        first = service.turns(service.sessions()[0].id)[0]
        with store.writing():
            store.turns.replace(replace(first, text=f"The key is {AWS}, use it."))
    extract(str(project), FAR)
    sent = json.dumps(named.asked)
    assert AWS not in sent
    assert "[REDACTED" in sent
    assert "the answer of a tool" not in sent


def test_the_key_comes_from_the_environment_or_a_file(
    project: Path, named: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("from-a-file\n", encoding="utf-8")
    monkeypatch.setenv("HOLDFAST_EXTRACTOR_KEY_FILE", str(tmp_path / "key"))
    talk(project, ("user", SAID))
    extract(str(project), FAR)
    monkeypatch.setenv("HOLDFAST_EXTRACTOR_KEY", "from-the-environment")
    talk(project, ("user", f"{SAID} Please."))
    extract(str(project), FAR)
    assert [one["Authorization"] for one in named.headers] == ["Bearer from-a-file", "Bearer from-the-environment"]


@pytest.mark.parametrize("broken", ["status", "garbage", "away"])
def test_a_failure_leaves_a_trace_and_loses_nothing(
    project: Path, named: Server, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    talk(project, ("user", SAID))
    named.status = 500 if broken == "status" else 200
    named.raw = b"{}" if broken == "garbage" else None
    if broken == "away":
        monkeypatch.setenv("HOLDFAST_EXTRACTOR_URL", "http://127.0.0.1:9/v1")
    assert extract(str(project), FAR) == 0
    failure = failures.last(str(project))
    assert failure is not None
    assert failure[1] == "extract"
    assert SAID not in failure[2]
    named.status, named.raw = 200, None
    monkeypatch.setenv("HOLDFAST_EXTRACTOR_URL", named.url)
    assert extract(str(project), FAR) == 1


def test_so_many_sessions_are_read_at_a_time(
    project: Path, named: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_EXTRACTOR_CALLS", "2")
    for number in range(3):
        talk(project, ("user", f"{SAID} Number {number}."))
    extract(str(project), FAR)
    assert len(named.asked) == 2
    extract(str(project), FAR)
    assert len(named.asked) == 3


def test_what_was_noted_or_promoted_already_is_not_noted_again(project: Path, named: Server) -> None:
    named.notes = [
        {"content": "The build uses bun instead of npm.", "quote": "use bun instead of npm for the build"}
    ]
    talk(project, ("user", "From now on use bun instead of npm for the build."))
    before = memories(project)
    assert len(before) == 1
    assert extract(str(project), FAR) == 0
    assert memories(project) == before


def test_without_a_server_nothing_is_started_asked_or_imported(
    project: Path, server: Server, started: list[tuple[str, ...]]
) -> None:
    talk(project, ("user", SAID))
    assert [one for one in started if one[0] == detached.WORKER] == []
    assert extract(str(project), FAR) == 0
    assert server.asked == []


def test_a_repository_cannot_name_one(project: Path, server: Server) -> None:
    """It would send what is said to whoever wrote the repository."""
    home = project / ".holdfast"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(f'[extractor]\nurl = "{server.url}"\nmodel = "small"\n', encoding="utf-8")
    talk(project, ("user", SAID))
    assert extract(str(project), FAR) == 0
    assert server.asked == []


def test_settings_that_cannot_be_used_are_named(subtests: pytest.Subtests) -> None:
    for config, key in [
        (ExtractorConfig(url="http://localhost/v1"), "extractor.model"),
        (ExtractorConfig(url="ftp://localhost/v1", model="small"), "extractor.url"),
        (
            ExtractorConfig(url="http://localhost/v1", model="small", key_file="/no/such/file"),
            "extractor.key_file",
        ),
    ]:
        with subtests.test(config=config, key=key), pytest.raises(ConfigError, match=key):
            extractor_of(config)


def test_an_answer_that_is_none_is_an_error(subtests: pytest.Subtests) -> None:
    for body in [b"", b"[]", b'{"choices": []}', b'{"choices": [{"message": {"content": "none"}}]}']:
        with subtests.test(body=body), pytest.raises(ExtractorFailed):
            notes_in(body)


def test_an_answer_in_a_code_block_is_understood() -> None:
    said = f"```json\n{json.dumps({'notes': [NOTE]})}\n```"
    [note] = notes_in(json.dumps({"choices": [{"message": {"content": said}}]}).encode())
    assert (note.content, note.quote, note.kind) == (NOTE["content"], NOTE["quote"], NOTE["kind"])
