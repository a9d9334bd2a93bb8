"""`holdfast prune --all-tenants`: a whole server looked after, by a login that may do no more."""

from pathlib import Path

import psycopg
import pytest

from holdfast import Holdfast
from holdfast.stores.postgres.care import projects
from tests.interfaces.cli.shell import Shell


@pytest.fixture
def keeper(empty_postgres: str) -> str:
    """The address for a login that has the role of who looks after stores, and no other."""
    with psycopg.connect(empty_postgres, autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'keeper'").fetchone():
            connection.execute("CREATE ROLE keeper LOGIN IN ROLE holdfast_gc")
    return _as(empty_postgres, "keeper")


def _as(dsn: str, login: str) -> str:
    return dsn.replace("//postgres@", f"//{login}@")


def remember(dsn: str, tenant: str, project: str, *texts: str, expired: int = 0) -> None:
    """Let a tenant remember things, and some that expired long ago."""
    with Holdfast.open(dsn, tenant=tenant, project=project) as memory:
        memory.add_many([{"content": text, "trust": "agent", "source": text[-3:]} for text in texts])
        memory.add_many([{"content": f"Old matter {place} of {tenant}", "expires": 1} for place in range(expired)])


@pytest.fixture
def two_tenants(empty_postgres: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Two tenants, one of them with two projects."""
    monkeypatch.chdir(project)
    remember(empty_postgres, "acme", "app", "Deploys happen on Tuesdays", expired=3)
    remember(empty_postgres, "acme", "web", "The web client is written in Elm", expired=2)
    same = "Use tabs in every file of the repository please", "Use tabs in every file of the repository, please!"
    remember(empty_postgres, "globex", "app", *same)
    return empty_postgres


def test_every_tenant_is_looked_after_and_told_by_a_line(shell: Shell, two_tenants: str, keeper: str) -> None:
    dry = shell("prune", "--all-tenants", "--url", keeper, "--dry-run")
    assert "acme  2 stores  5 memories would go (expired)" in dry
    assert "globex  1 store  1 would be merged" in dry
    done = shell.json("prune", "--all-tenants", "--url", keeper)
    assert [(one["tenant"], one["gone"], one["merged"]) for one in done["tenants"]] == [
        ("acme", {"expired": 5}, 0),
        ("globex", {}, 1),
    ]
    again = shell("prune", "--all-tenants", "--url", keeper)
    assert again.count("nothing had to go") == 2
    with Holdfast.open(two_tenants, tenant="acme", project="app") as memory:
        assert [one.content for one in memory.list()] == ["Deploys happen on Tuesdays"]


def loose(dsn: str) -> tuple[int, int]:
    """Count the events outside the chain, and the most changes of one statistic."""
    with psycopg.connect(dsn) as connection:
        [(events,)] = connection.execute("SELECT count(*) FROM holdfast.audit WHERE link IS NULL").fetchall()
        changes = connection.execute("SELECT count(*) FROM holdfast.tenant_stat GROUP BY tenant, place, target")
        return int(events), max(int(number) for (number,) in changes)


def test_statistics_are_summed_up_and_the_log_is_sealed(
    shell: Shell, two_tenants: str, keeper: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few changes are left as they are; here two are many."""
    monkeypatch.setattr("holdfast.stores.postgres.stats.FOLD_FROM", 2)
    assert loose(two_tenants) > (1, 1)
    shell("prune", "--all-tenants", "--url", keeper)
    assert loose(two_tenants) == (0, 1)


def test_a_broken_tenant_holds_up_no_other(shell: Shell, two_tenants: str, keeper: str) -> None:
    shell("prune", "--all-tenants", "--url", keeper)
    with psycopg.connect(two_tenants, autocommit=True) as connection:
        connection.execute("UPDATE holdfast.meta SET value = 'nonsense' WHERE tenant = 'acme'")
    remember(two_tenants, "zeta", "app", "Last of all", expired=1)
    out = shell("prune", "--all-tenants", "--url", keeper, code=8)
    assert "failed: app: " in out
    assert "zeta  1 store  1 memories went (expired)" in out


def test_a_login_without_the_role_is_refused(shell: Shell, two_tenants: str) -> None:
    with psycopg.connect(two_tenants, autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'team'").fetchone():
            connection.execute("CREATE ROLE team LOGIN IN ROLE holdfast_app")
    shell("prune", "--all-tenants", "--url", _as(two_tenants, "team"), code=6)
    assert "holdfast_gc" in shell.err
    with Holdfast.open(_as(two_tenants, "team"), tenant="acme", project="new") as memory:
        assert memory.add("The login of a team is enough for everything else").created
    assert "new" in projects(two_tenants, "acme")


def test_what_cannot_be_asked_for_is_named(shell: Shell) -> None:
    cases = [
        (["--all-tenants"], "--url: is needed"),
        (["--all-tenants", "--mine"], "goes alone"),
        (["--url", "postgresql://h/x", "--older-than", "3d"], "goes alone"),
        (["--all-tenants", "--url", "memory.db"], "postgresql://"),
    ]
    unsaid = []
    for options, says in cases:
        shell("prune", *options, code=2)
        if says not in shell.err:
            unsaid.append((options, says, shell.err))
    assert unsaid == []
