"""A server that was asked to keeps memory in step with the project's documents while it runs."""

from pathlib import Path

from tests.background import wait_until
from tests.ingest.git.repositories import Repository
from tests.interfaces.mcp.talk import INITIALIZED, Program, call, greeting, started


def found(server: Program, words: str) -> bool:
    """Ask until something is found."""

    def hits() -> object:
        return server.ask(call(1, "memory_search", query=words))["result"]["structuredContent"]["hits"]

    wait_until(hits, f"{words} is not found")
    return True


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
