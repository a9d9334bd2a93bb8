"""A server that was asked to keeps memory in step with the project's documents while it runs."""

import time
from pathlib import Path

from tests.ingest.git.repositories import Repository
from tests.interfaces.mcp.talk import INITIALIZED, Program, call, greeting, started

LONG = 60.0


def found(server: Program, words: str) -> bool:
    """Ask until something is found."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        answer = server.ask(call(1, "memory_search", query=words))
        if answer["result"]["structuredContent"]["hits"]:
            return True
        time.sleep(0.1)
    return False


def test_documents_are_there_when_the_server_runs_and_changes_follow(project: Path) -> None:
    Repository(project)
    (project / "a.md").write_text("The gateway bans fast clients.")
    with started(project, HOLDFAST_INDEX_AUTO="true") as server:
        server.ask(greeting())
        server.send(INITIALIZED)
        assert found(server, "gateway")
        (project / "b.md").write_text("Zebras are striped.")
        assert found(server, "zebras")
        _, _, code = server.hang_up()
    assert code == 0


def test_nothing_is_made_outside_a_repository(project: Path) -> None:
    (project / "a.md").write_text("The gateway bans fast clients.")
    with started(project, HOLDFAST_INDEX_AUTO="true") as server:
        server.ask(greeting())
        server.send(INITIALIZED)
        assert not server.ask(call(1, "memory_search", query="gateway"))["result"]["structuredContent"]["hits"]
        server.hang_up()
    assert not (project / ".holdfast").exists()
