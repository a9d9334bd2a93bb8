"""`Holdfast.open` on a server: whose memory it is, what it is called there, and what goes wrong."""

import logging
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.errors import HoldfastError, InvalidInput, StoreUnreachable
from holdfast.storage.postgres import ServerStore, open_store
from holdfast.stores.postgres.care import projects
from holdfast.stores.postgres.connections import Connections
from holdfast.stores.postgres.database import Database

SECRET = "hunter2"  # noqa: S105 - what must not be seen


def with_password(dsn: str) -> str:
    """Return an address with a password, which this server does not ask for."""
    return dsn.replace("postgres@", f"postgres:{SECRET}@")


def test_a_project_on_a_server_is_the_one_of_the_current_directory(
    empty_postgres: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    with Holdfast.open(empty_postgres, tenant="acme") as memory:
        added = memory.add("Deploys happen on Tuesdays", files=["a.py"])
        [kept] = memory.get(added.id or "")
    assert (kept.project, kept.tenant, kept.files) == ("github.com/acme/app", "acme", ("a.py",))
    assert projects(empty_postgres, "acme") == ["github.com/acme/app"]
    assert not (repository / ".holdfast").exists()


def test_another_project_has_nothing_of_this_directory(
    empty_postgres: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither its branch nor its settings."""
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    monkeypatch.chdir(repository)
    with Holdfast.open(empty_postgres, tenant="acme", project="github.com/acme/other") as memory:
        [kept] = memory.get(memory.add("Elsewhere").id or "")
        assert (kept.project, kept.branch) == ("github.com/acme/other", None)
    with Holdfast.open(empty_postgres, tenant="acme") as memory:
        assert memory.list() == []
        [kept] = memory.get(memory.add("Here").id or "")
        assert kept.branch == "topic"


def test_each_person_has_memories_of_their_own_within_a_tenant(
    empty_postgres: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    for person in ("ada", "grace"):
        monkeypatch.setenv("HOLDFAST_USER_NAME", person)
        with Holdfast.open(empty_postgres, tenant="acme", project="app") as memory:
            memory.add(f"Seen by all, said by {person}")
            memory.add(f"A wish of {person} alone", scope="user")
    with Holdfast.open(empty_postgres, tenant="acme", project="other") as memory:
        assert [one.content for one in memory.list()] == ["A wish of grace alone"]
    with Holdfast.open(empty_postgres, tenant="globex", project="app") as memory:
        assert memory.list() == []
    assert projects(empty_postgres, "acme") == ["app", "other", "user:ada", "user:grace"]


def test_a_project_cannot_be_a_persons_own_store(empty_postgres: str) -> None:
    with pytest.raises(InvalidInput, match="project"):
        Holdfast.open(empty_postgres, tenant="acme", project="user:ada")


def test_a_tenant_is_needed_and_named_in_the_error(postgres: str) -> None:
    for tenant in (None, "", "a b", "x" * 64):
        with pytest.raises(InvalidInput) as caught:
            Holdfast.open(postgres, tenant=tenant)
        assert caught.value.field == "tenant", tenant


def test_without_the_extra_the_error_says_what_to_install() -> None:
    """In a process of its own, which cannot find the driver."""
    script = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from holdfast import Holdfast\n"
        f"Holdfast.open('postgresql://ada:{SECRET}@db/x', tenant='acme')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "ExtraMissing" in done.stderr
    assert "pip install 'holdfast[postgres]'" in done.stderr
    assert SECRET not in done.stderr.splitlines()[-1]


def test_a_server_that_is_down_or_mute_is_unreachable(caplog: pytest.LogCaptureFixture) -> None:
    """One port refuses, the other accepts and says nothing, for as long as anybody waits."""
    with socket.socket() as mute, socket.socket() as closed:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        closed.bind(("127.0.0.1", 0))
        for port in (closed.getsockname()[1], mute.getsockname()[1]):
            with pytest.raises(StoreUnreachable) as caught:
                Holdfast.open(f"postgresql://ada:{SECRET}@127.0.0.1:{port}/x", tenant="acme")
            assert SECRET not in str(caught.value)
    assert SECRET not in caplog.text


def test_a_password_is_in_no_text_of_what_is_open(
    empty_postgres: str, project: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    caplog.set_level(logging.DEBUG)
    host = ServerStore(with_password(empty_postgres), "acme", with_password(empty_postgres))
    with Holdfast.open(host.url, tenant="acme", project="app") as memory:
        texts = [repr(memory), repr(memory.stats()), repr(host), host.shown, host.place, caplog.text]
    assert all(SECRET not in text for text in texts)


def test_an_address_that_cannot_be_used_is_not_repeated() -> None:
    for rest in ("[h/x", "h:port/x", "h/x?nonsense=1"):
        with pytest.raises(HoldfastError) as caught:
            Holdfast.open(f"postgresql://ada:{SECRET}@{rest}", tenant="acme", project="app")
        assert SECRET not in str(caught.value), rest


def test_looking_makes_no_store(empty_postgres: str) -> None:
    from holdfast.settings.schema import Config

    assert open_store(ServerStore(empty_postgres, "acme"), "app", Config(), 0, create=False) is None
    assert projects(empty_postgres, "acme") == []


def test_looking_for_a_persons_own_memories_connects_no_further_time(
    empty_postgres: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as there are none, every verb looks."""
    opened, opening = [], Connections.open

    def counted(dsn: str, **options: object) -> Connections:
        opened.append(dsn)
        return opening(dsn, **options)  # type: ignore[arg-type]  # our own names

    monkeypatch.setattr(Connections, "open", counted)
    monkeypatch.chdir(project)
    with Holdfast.open(empty_postgres, tenant="acme", project="app") as memory:
        memory.add("Deploy on Tuesdays")
        assert [hit.title for hit in memory.search("deploy")] == ["Deploy on Tuesdays"]
        assert len(memory.list()) == 1
        memory.add("Tabs, never spaces", scope="user")
        assert len(memory.list()) == 2
    assert len(opened) == 1


def test_a_verb_needs_few_transactions(
    empty_postgres: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each begins with a message that says who asks, which costs more than most that is read in it."""
    begun, begin = [], Database._begin_on

    def counted(database: Database, *given: object) -> object:
        begun.append(database)
        return begin(database, *given)  # type: ignore[arg-type]  # passed on

    monkeypatch.chdir(project)
    with Holdfast.open(empty_postgres, tenant="acme", project="app") as memory:
        verbs: list[tuple[Callable[[], object], int]] = [
            (lambda: memory.search("deploy"), 3),
            (memory.list, 1),
            (lambda: memory.add("Ship on Fridays"), 4),
        ]
        memory.add("Deploy on Tuesdays")
        memory.search("tuesdays")
        monkeypatch.setattr(Database, "_begin_on", counted)
        for place, (act, most) in enumerate(verbs):
            begun.clear()
            act()
            assert len(begun) <= most, place
