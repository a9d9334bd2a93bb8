"""A project whose settings name a server, as its user has it."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tests.interfaces.cli.shell import Shell
from tests.postgres.server import Server, running


@pytest.fixture(scope="session")
def own_server() -> Iterator[Server]:
    """A server that tests may kill, stop and make roles on; what was committed is on disk."""
    with running({"fsync": "on"}) as server:
        yield server


@pytest.fixture
def own_database(own_server: Server) -> Iterator[str]:
    """A database there in which nothing is ours, nor are there any roles of ours."""
    with psycopg.connect(own_server.dsn, autocommit=True) as connection:
        connection.execute("CREATE DATABASE own")
    yield make_conninfo(own_server.dsn, dbname="own")
    with psycopg.connect(own_server.dsn, autocommit=True) as connection:
        connection.execute("DROP DATABASE own WITH (FORCE)")
        connection.execute("DROP ROLE IF EXISTS holdfast_owner, holdfast_app, holdfast_gc")


@pytest.fixture
def repository(project: Path) -> Path:
    """A git work tree with a remote, by which a team shares it."""
    subprocess.run(["git", "init", "-q", project], check=True)
    subprocess.run(["git", "-C", project, "remote", "add", "origin", "git@github.com:acme/app.git"], check=True)
    return project


@pytest.fixture
def shell(repository: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A shell in that project."""
    return Shell(repository, capsys)


@pytest.fixture
def hosted(empty_postgres: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The settings name a server and the tenant `acme`."""
    monkeypatch.setenv("HOLDFAST_STORE_URL", empty_postgres)
    monkeypatch.setenv("HOLDFAST_STORE_TENANT", "acme")
    return empty_postgres
