"""A server over a database: tenants, projects and people, and what happens when the database goes away."""

import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.errors import UnknownId
from tests.background import wait_until
from tests.interfaces.http.served import Asking, a_token, served_here
from tests.postgres.server import running


@pytest.fixture
def ask(project: Path, empty_postgres: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asking]:
    """A server for the tenants of a database."""
    with served(project, empty_postgres, monkeypatch) as asking:
        yield asking


def served(project: Path, dsn: str, monkeypatch: pytest.MonkeyPatch) -> AbstractContextManager[Asking]:
    """Serve the tenants of a database."""
    monkeypatch.setenv("HOLDFAST_STORE_URL", dsn)
    monkeypatch.setenv("HOLDFAST_STORE_TENANT", "acme")
    monkeypatch.setenv("HOLDFAST_PROJECT_ID", "acme/app")
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "hashing")
    return served_here(project)


def opened(
    ask: Asking, name: str = "ada", tenant: str = "acme", scope: str = "write", project: str | None = None
) -> Holdfast:
    """Open memory as somebody with a token."""
    return Holdfast.open(ask.url, token=a_token(scope, name, tenant), project=project)


def test_tenants_do_not_see_each_other(ask: Asking) -> None:
    with opened(ask) as acme, opened(ask, tenant="globex") as globex:
        mine = acme.add("The port is 8080")
        assert [hit.title for hit in acme.search("port")]
        globex.add("The host is db1")
        assert globex.search("port") == []
        assert globex.get([mine.id or ""]) == []
        with pytest.raises(UnknownId):
            globex.pin(mine.id or "")


def test_a_project_is_named_by_who_asks(ask: Asking) -> None:
    with opened(ask, project="acme/shop") as shop, opened(ask) as app:
        shop.add("Prices are integers in cents")
        app.add("The port is 8080")
        assert app.search("prices") == []
        assert len(shop.search("prices")) == 1


def test_a_person_has_memories_of_their_own_in_every_project(ask: Asking) -> None:
    with opened(ask) as ada, opened(ask, project="acme/shop") as ada_elsewhere, opened(ask, "bob") as bob:
        ada.add("I like tabs", scope="user")
        ada_elsewhere.add("Prices are integers in cents")
        assert len(ada_elsewhere.search("tabs")) == 1
        assert bob.search("tabs") == []


def test_who_only_reads_makes_no_project(ask: Asking) -> None:
    for scope in ("read", "write", "admin"):
        with opened(ask, scope=scope, project="acme/new") as reader, pytest.raises(UnknownId):
            reader.search("anything")
    with opened(ask, project="acme/new") as writer:
        writer.add("Now it is there")
    with opened(ask, scope="read", project="acme/new") as reader:
        assert len(reader.search("there")) == 1


def test_a_database_that_is_killed_is_a_503_and_comes_back(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reliability case 23."""
    with running() as server, served(project, server.dsn, monkeypatch) as ask:
        assert (
            ask("POST", "/api/memories", token=a_token(tenant="acme"), json={"content": "Kept"}).status_code == 200
        )
        server.stop(signal.SIGKILL)
        answer = ask("POST", "/api/memories", token=a_token(tenant="acme"), json={"content": "Lost"})
        assert (answer.status_code, "retry-after" in answer.headers) == (503, True)
        assert ask.bare("GET", "/readyz").status_code == 503
        assert ask.bare("GET", "/healthz").status_code == 200
        server.start()
        token = a_token(tenant="acme")
        wait_until(lambda: ask("GET", "/api/memories", token=token).status_code == 200, "it stayed away")
        found = ask("GET", "/api/memories", token=token)
        assert [memory["content"] for memory in found.json()] == ["Kept"]


def test_a_token_of_one_machine_is_for_nothing_in_a_database(ask: Asking) -> None:
    assert ask("GET", "/api/memories", token=a_token(tenant="local")).status_code == 404
    assert ask("POST", "/api/memories", token=a_token(tenant="local"), json={"content": "x"}).status_code == 404
