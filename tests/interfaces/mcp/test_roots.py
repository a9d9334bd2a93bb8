"""A client that starts its servers in the home is asked which folder it works on."""

import threading
from pathlib import Path

import pytest

from holdfast.interfaces.mcp.roots import ProjectPlace
from holdfast.storage import settings
from tests.background import wait_until
from tests.hooking import HUNG_S
from tests.ingest.git.repositories import Repository
from tests.interfaces.mcp.talk import INITIALIZED, Message, call, greeting, inside, request

QUESTION = {"jsonrpc": "2.0", "id": "holdfast-roots", "method": "roots/list"}
ROOTS = {"roots": {"listChanged": True}}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own."""
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    return place


def roots(*folders: str) -> Message:
    """Return a client's answer."""
    return {"jsonrpc": "2.0", "id": "holdfast-roots", "result": {"roots": [{"uri": uri} for uri in folders]}}


def project_of(answer: Message) -> str:
    """Return the project that an answer of memory_stats names."""
    return str(answer["result"]["structuredContent"]["project"])


def test_in_the_home_the_folder_is_the_one_that_the_client_names(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a project"
    folder.mkdir()
    with inside(home) as client:
        client.ask(greeting(1, capabilities=ROOTS))
        assert client.ask(INITIALIZED) == QUESTION
        client.send(roots("vscode-remote://host/x", "file:///gone", folder.as_uri()))
        assert project_of(client.ask(call(2, "memory_stats"))) == str(folder)


def test_calls_wait_for_the_answer(home: Path, project: Path) -> None:
    with inside(home) as client:
        client.ask(greeting(1, capabilities=ROOTS))
        client.send(call(2, "memory_add", content="Indent with tabs."))
        assert client.ask(INITIALIZED) == QUESTION
        client.send(roots(project.as_uri()))
        assert "result" in client.receive()
    assert (project / ".holdfast").is_dir()
    assert not (home / ".holdfast").exists()


def test_what_the_sdk_answers_is_about_that_folder_too(home: Path, project: Path) -> None:
    with inside(home) as client:
        client.ask(greeting(1, capabilities=ROOTS))
        client.ask(INITIALIZED)
        client.send(roots(project.as_uri()))
        client.ask(request(2, "prompts/get", {"name": "remember", "arguments": {"text": "Deploy on Tuesdays"}}))
    assert (project / ".holdfast").is_dir()


def test_a_client_that_names_no_folder_is_served_where_it_is(home: Path) -> None:
    with inside(home) as client:
        client.ask(greeting(1, capabilities=ROOTS))
        client.ask(INITIALIZED)
        client.send({"jsonrpc": "2.0", "id": "holdfast-roots", "error": {"code": -32603, "message": "no"}})
        assert project_of(client.ask(call(2, "memory_stats"))) == str(home)


@pytest.mark.parametrize("capabilities", [{}, {"sampling": {}}])
def test_a_client_that_has_no_answer_is_not_asked(home: Path, capabilities: Message) -> None:
    with inside(home) as client:
        client.ask(greeting(1, capabilities=capabilities))
        client.send(INITIALIZED)
        assert project_of(client.ask(call(2, "memory_stats"))) == str(home)


def test_a_client_that_starts_us_in_a_project_is_not_asked(home: Path, project: Path) -> None:
    with inside(project) as client:
        client.ask(greeting(1, capabilities=ROOTS))
        client.send(INITIALIZED)
        assert project_of(client.ask(call(2, "memory_stats"))) == str(project)


# ── the answer is late, or never comes ───────────────────────────────────────────────────────────────────


class Waits:
    """Waiting that takes no time, and is counted: no answer came meanwhile."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, answered: threading.Event) -> bool:
        self.count += 1
        return False


def test_an_answer_that_never_comes_is_waited_for_once(home: Path) -> None:
    waits = Waits()
    with inside(home, wait=waits) as client:
        client.ask(greeting(1, capabilities=ROOTS))
        assert client.ask(INITIALIZED) == QUESTION
        assert project_of(client.ask(call(2, "memory_stats"))) == str(home)
        assert (
            "is no project" in client.ask(call(3, "memory_add", content="Indent with tabs."))["error"]["message"]
        )
        client.ask(request(4, "resources/read", {"uri": "memory://brief"}))
    assert waits.count == 1


def test_all_who_wait_go_on_when_one_has_waited_long_enough(home: Path) -> None:
    waiting, last = threading.Barrier(2), threading.local()

    def wait(answered: threading.Event) -> bool:
        waiting.wait(HUNG_S)
        return answered.wait(HUNG_S) if getattr(last, "is_here", False) else False

    place = ProjectPlace(str(home), wait=wait)
    place.greet({"capabilities": ROOTS})
    directories = []

    def read_last() -> None:
        last.is_here = True
        directories.append(place.directory)

    thread = threading.Thread(target=read_last)
    thread.start()
    assert place.directory == str(home)
    thread.join(HUNG_S)
    assert directories == [str(home)]


def test_an_answer_that_comes_late_counts_from_then_on(home: Path, project: Path) -> None:
    with inside(home, wait=Waits()) as client:
        client.ask(greeting(1, capabilities=ROOTS))
        assert client.ask(INITIALIZED) == QUESTION
        assert "error" in client.ask(call(2, "memory_add", content="Indent with tabs."))
        client.ask(request(3, "resources/read", {"uri": "memory://brief"}))
        client.send(roots(project.as_uri()))
        assert project_of(client.ask(call(7, "memory_stats"))) == str(project)
        assert "result" in client.ask(call(4, "memory_add", content="Indent with tabs."))
        client.ask(request(5, "prompts/get", {"name": "remember", "arguments": {"text": "Deploy on Tuesdays"}}))
        assert client.ask(call(6, "memory_stats"))["result"]["structuredContent"]["memories"] == 2
    assert not (home / ".holdfast").exists()


def test_documents_are_those_of_the_folder_that_is_named_late(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_INDEX_AUTO", "true")
    Repository(project)
    (project / "a.md").write_text("The gateway bans fast clients.")
    with inside(home, wait=Waits()) as client:
        client.ask(greeting(1, capabilities=ROOTS))
        client.ask(INITIALIZED)
        client.ask(call(2, "memory_stats"))
        client.send(roots(project.as_uri()))
        search = call(3, "memory_search", query="gateway")
        wait_until(lambda: client.ask(search)["result"]["structuredContent"]["hits"], "the document is not found")


def test_only_an_answer_to_an_open_question_is_one(home: Path, project: Path, tmp_path: Path) -> None:
    place = ProjectPlace(str(home), wait=Waits())
    assert not place.take(roots(tmp_path.as_uri()))
    place.greet({"capabilities": ROOTS})
    assert not place.take(roots(tmp_path.as_uri()))
    assert place.question() == QUESTION
    assert place.question() is None
    assert place.take(roots(project.as_uri()))
    assert not place.take(roots(tmp_path.as_uri()))
    assert place.directory == str(project)


def test_folders_that_are_opened_later_change_nothing(home: Path, project: Path, tmp_path: Path) -> None:
    with inside(home) as client:
        client.ask(greeting(1, capabilities=ROOTS))
        client.ask(INITIALIZED)
        client.send(roots(project.as_uri()))
        client.send({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}, roots(tmp_path.as_uri()))
        assert project_of(client.ask(call(2, "memory_stats"))) == str(project)


# ── tools that the folder's settings switch off ──────────────────────────────────────────────────────────


def switch_deleting_off(project: Path) -> None:
    """Set it for the project, as a person does."""
    settings.change(project, "mcp.delete", "false", user=False, agreed=lambda keys: True)


@pytest.mark.parametrize("is_early", [True, False], ids=["before the answer", "after it"])
def test_a_tool_that_the_folder_switches_off_is_not_there(home: Path, project: Path, is_early: bool) -> None:
    switch_deleting_off(project)
    with inside(project, frozenset({"memory_delete"})) as client:
        client.ask(greeting(1))
        expected = client.ask(call(9, "memory_delete", id="12345678"))
    with inside(home) as client:
        client.ask(greeting(1, capabilities=ROOTS))
        if is_early:
            client.send(call(9, "memory_delete", id="12345678"))
        client.ask(INITIALIZED)
        client.send(roots(project.as_uri()))
        if not is_early:
            client.send(call(9, "memory_delete", id="12345678"))
        assert client.receive() == expected
        listed = [tool["name"] for tool in client.ask(request(3, "tools/list"))["result"]["tools"]]
    assert "memory_delete" not in listed
    assert "memory_add" in listed


def test_the_sdk_refuses_it_too(home: Path, project: Path) -> None:
    switch_deleting_off(project)
    not_plain = request(3, "tools/call", {"name": "memory_delete", "arguments": {"id": "12345678"}, "more": 1})
    with inside(home, wait=Waits()) as client:
        client.ask(greeting(1, capabilities=ROOTS))
        client.ask(INITIALIZED)
        client.ask(request(2, "resources/read", {"uri": "memory://brief"}))
        client.send(roots(project.as_uri()))
        assert "Unknown tool: memory_delete" in client.ask(not_plain)["error"]["message"]
