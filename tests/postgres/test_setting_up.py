"""Who may set a database up, what is said to who may not, and what is noticed about a schema."""

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from holdfast.errors import StoreError, StoreTooNew
from holdfast.model.search import Filters
from holdfast.stores.postgres import migrate
from holdfast.stores.postgres.migrate import Step, bring_up, read_sql, schema_steps
from holdfast.stores.postgres.server import Address
from holdfast.stores.postgres.store import PostgresStore
from tests.contract.builders import NOW, a_memory, keep
from tests.postgres.server import Server


@pytest.fixture
def managed(own_server: Server) -> Iterator[str]:
    """A database of a login that may make roles, but is no superuser, and nothing is there of ours."""
    with psycopg.connect(own_server.dsn, autocommit=True) as connection:
        connection.execute("CREATE ROLE managed LOGIN CREATEROLE")
        connection.execute("CREATE DATABASE managed OWNER managed")
    yield make_conninfo(own_server.dsn, dbname="managed")
    with psycopg.connect(own_server.dsn, autocommit=True) as connection:
        connection.execute("DROP DATABASE managed WITH (FORCE)")
        for role in ("holdfast_owner", "holdfast_app", "holdfast_gc", "guest", "managed"):
            connection.execute(f"DROP ROLE IF EXISTS {role}")


def open_as(dsn: str, login: str) -> PostgresStore:
    return PostgresStore.open(make_conninfo(dsn, user=login), tenant="acme", project="shop", now=NOW)


def tell(dsn: str, *statements: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def test_a_login_that_may_make_roles_sets_a_database_up(managed: str) -> None:
    tell(managed, "CREATE EXTENSION vector")
    with closing(open_as(managed, "managed")) as store:
        keep(store, a_memory())
        assert store.counts(NOW).memories == 1


def test_types_may_be_in_a_schema_of_their_own(managed: str) -> None:
    tell(managed, 'CREATE SCHEMA "Ext tensions"', 'CREATE EXTENSION vector SCHEMA "Ext tensions"')
    with closing(open_as(managed, "postgres")) as store:
        keep(store, a_memory())
        assert len(store.memories.newest(Filters(), 9)) == 1


def test_who_may_not_set_up_is_told_who_has_to(managed: str) -> None:
    tell(managed, "CREATE ROLE guest LOGIN")
    with pytest.raises(StoreError, match=r"no schema of holdfast yet, and the login guest may not .* roles"):
        open_as(managed, "guest")


def test_who_is_no_member_is_told_what_to_grant(managed: str) -> None:
    open_as(managed, "postgres").close()
    tell(managed, "CREATE ROLE guest LOGIN NOINHERIT")
    with pytest.raises(StoreError, match="GRANT holdfast_app TO guest"):
        open_as(managed, "guest")
    tell(managed, "GRANT holdfast_app TO guest")
    open_as(managed, "guest").close()


def later_steps(monkeypatch: pytest.MonkeyPatch, *tables: str) -> None:
    """Let the package know further steps of the schema, each of which makes a table."""
    steps = [Step(number, name, f"CREATE TABLE {name} (id integer)") for number, name in enumerate(tables, 2)]
    monkeypatch.setattr(migrate, "schema_steps", lambda: [*schema_steps(), *steps])


def test_a_second_step_changes_the_schema_and_keeps_what_is_there(
    managed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_as(managed, "postgres")) as store:
        keep(store, a_memory())
        assert store.state().schema == 1
    later_steps(monkeypatch, "later")
    for _ in range(2):  # once only: the table cannot be made again
        with closing(open_as(managed, "postgres")) as store:
            assert (store.state().schema, store.counts(NOW).memories) == (2, 1)
    monkeypatch.undo()
    with pytest.raises(StoreTooNew, match="has schema 2"):
        open_as(managed, "postgres")


def test_a_new_database_gets_every_step(managed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    later_steps(monkeypatch, "later", "latest")
    assert bring_up(Address(managed)) == 3
    with psycopg.connect(managed) as connection:
        rows = connection.execute("SELECT number, name FROM holdfast.migration ORDER BY 1").fetchall()
    assert rows == [(1, "schema"), (2, "later"), (3, "latest")]


def test_who_may_not_change_a_schema_that_is_behind_is_told_so(
    managed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_as(managed, "postgres").close()
    tell(managed, "CREATE ROLE guest LOGIN IN ROLE holdfast_app")
    later_steps(monkeypatch, "later")
    with pytest.raises(StoreError, match=r"behind, and the login guest may not .* member of holdfast_owner"):
        open_as(managed, "guest")
    assert bring_up(Address(managed)) == 2


@pytest.mark.parametrize(
    "damage",
    ["UPDATE holdfast.migration SET checksum = 'x'", "DELETE FROM holdfast.migration WHERE number = 2"],
)
def test_a_step_that_was_changed_or_left_out_is_noticed_at_every_opening(
    managed: str, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    later_steps(monkeypatch, "later", "latest")
    bring_up(Address(managed))
    tell(managed, damage)
    with pytest.raises(StoreError, match="is not what was applied"):
        open_as(managed, "postgres")


def test_a_cluster_that_is_made_later_spreads_what_is_there(managed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With another extension in its place: no cluster runs here."""
    open_as(managed, "postgres").close()
    monkeypatch.setattr(migrate, "_FACTS", migrate._FACTS.replace("'citus'", "'plpgsql'"))
    monkeypatch.setattr(migrate, "_SPREAD", "SELECT to_regclass('holdfast.spread') IS NOT NULL")
    spread = {"citus.sql": "CREATE TABLE spread (id integer)"}
    monkeypatch.setattr(migrate, "read_sql", lambda file: spread.get(file) or read_sql(file))
    for _ in range(2):  # once only
        assert bring_up(Address(managed)) == 1
    with psycopg.connect(managed) as connection:
        assert connection.execute("SELECT count(*) FROM holdfast.spread").fetchall() == [(0,)]
