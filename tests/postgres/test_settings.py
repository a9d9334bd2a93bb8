"""A server in the settings: who may name it, and every command on it."""

import json
import shlex
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.storage.workspace import find_workspace
from holdfast.stores.postgres.care import projects
from tests.interfaces.cli.shell import Shell

SECRET = "hunter2"  # noqa: S105 - what must not be seen

COMMANDS = """get ID
timeline ID
pin ID
history ID
list
stats
log
log --verify
context deploys
conflicts
session list
cleanup --dry-run
export
alias add d deploy
alias list
status
doctor
doctor --scan-secrets
reindex
init
share --dry-run
search deploys --all-projects
config list
config get store.url
slash "/memory config"
update ID --title=Deploys
unpin ID
confirm ID
forget ID --yes""".splitlines()


def test_the_settings_of_a_user_move_every_command_to_the_server(shell: Shell, empty_postgres: str) -> None:
    url = empty_postgres.replace("postgres@", f"postgres:{SECRET}@")
    shell("config", "set", "store.url", url)
    shell("list", code=4)
    assert "store.tenant" in shell.err
    shell("config", "set", "store.tenant", "acme")
    short = shell.add("Deploys happen on Tuesdays", "--kind", "decision")
    assert not (shell.project / ".holdfast" / "memory.db").exists()
    assert projects(empty_postgres, "acme") == ["github.com/acme/app"]
    assert [one["title"] for one in shell.json("search", "deploys")] == ["Deploys happen on Tuesdays"]
    for line in COMMANDS:
        words = shlex.split(line.replace("ID", short))
        assert SECRET not in shell(*words) + shell.err
        if words[0] not in ("slash", "forget"):
            assert SECRET not in shell(*words, "--json") + shell.err
    assert shell.json("list") == []


def test_status_shows_the_server_without_its_password(shell: Shell, hosted: str) -> None:
    before = shell.json("status")
    assert before["server"]["reachable"]
    assert (before["store"] is None, before["server"]["tenant"]) == (False, "acme")
    shell.add("Something")
    assert "tenant acme, schema 1: answers" in shell("status")
    assert "server: postgresql://" in shell("doctor")


def test_a_server_that_is_down_is_part_of_the_status(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, hosted: str
) -> None:
    monkeypatch.setenv("HOLDFAST_STORE_URL", f"postgresql://ada:{SECRET}@127.0.0.1:1/x")
    status = shell.json("status")
    assert (status["server"]["reachable"], status["store"]) == (False, None)
    assert "does not answer" in status["problem"]
    assert "does not answer" in shell("doctor", code=8)
    shell("list", code=6)
    assert SECRET not in json.dumps(status) + shell.err


def test_what_is_for_files_says_so(shell: Shell, hosted: str) -> None:
    cases = [
        (["backup"], "pg_dump"),
        (["backup", "--list"], "pg_dump"),
        (["restore", "--yes"], "pg_restore"),
        (["trust"], "migrate-store"),
        (["init", "--fresh"], "tenant"),
    ]
    unsaid = []
    for command, says in cases:
        shell(*command, code=2)
        if says not in shell.err or "memory is kept on a server" not in shell.err:
            unsaid.append((command, says, shell.err))
    assert unsaid == []


def planted(project: Path, text: str) -> Path:
    """Put a settings file where a clone would."""
    file = project / ".holdfast" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


STRANGER = (
    '[store]\nurl = "postgresql://evil.example/x"\ntenant = "evil"\nreplica_url = "postgresql://evil.example/y"\n'
)


def test_a_repository_cannot_send_memory_to_a_server(shell: Shell) -> None:
    """Not by itself, not by being vouched for, not along with another setting."""
    planted(shell.project, STRANGER)
    shell.add("Stays here")
    assert (shell.project / ".holdfast" / "memory.db").exists()
    assert shell.json("status")["ignored_settings"] == ["store.replica_url", "store.tenant", "store.url"]
    shell("trust", "--config", code=4)
    assert "store." in shell.err
    shell("config", "set", "search.floor", "0.2", "--yes", code=4)
    assert "says where all you remember goes" in shell.err
    assert find_workspace(shell.project).host is None


def test_what_the_user_types_takes_the_place_of_what_a_repository_says(shell: Shell, empty_postgres: str) -> None:
    planted(shell.project, '[store]\nurl = "postgresql://evil.example/x"\n')
    shell("config", "set", "store.url", empty_postgres, "--yes")
    shell("config", "set", "store.tenant", "acme")
    host = find_workspace(shell.project).host
    assert host
    assert (host.url, host.tenant) == (empty_postgres, "acme")


def test_a_tenant_given_for_a_directory_must_be_the_one_of_the_settings(repository: Path, hosted: str) -> None:
    with Holdfast.open(repository, tenant="acme") as memory:
        assert memory.add("x y z").created
    with pytest.raises(Exception, match="tenant: the settings name the tenant 'acme' only"):
        Holdfast.open(repository, tenant="globex")


def test_reads_may_go_to_a_replica(repository: Path, hosted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the server is its own copy; what that cannot prove to have, the server itself answers."""
    monkeypatch.setenv("HOLDFAST_STORE_REPLICA_URL", hosted)
    with Holdfast.open(repository) as memory:
        added = memory.add("Written once, read elsewhere")
        assert [hit.id for hit in memory.search("written once")] == [added.id]


def test_a_replica_that_is_down_holds_up_nothing(
    repository: Path, hosted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_STORE_REPLICA_URL", "postgresql://127.0.0.1:1/x")
    with Holdfast.open(repository) as memory:
        assert memory.add("Kept all the same").created
