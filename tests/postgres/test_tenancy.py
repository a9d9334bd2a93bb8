"""Row-level security on real connections: whoever asks, and however the connection got there, sees one tenant."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psycopg
import pytest

from holdfast.errors import InvalidInput
from holdfast.model.finding import Evidence
from holdfast.model.memory import Conflict
from holdfast.model.records import Access, Event
from holdfast.model.search import Filters
from holdfast.model.thread import ThreadStatement
from holdfast.model.vectors import VectorModel
from holdfast.stores.postgres.store import PostgresStore
from holdfast.text.words import terms_of
from tests.contract.briefs import a_receipt
from tests.contract.builders import NOW, a_finding, a_memory, a_session, a_thread, a_turn, an_id, keep, keep_turns
from tests.contract.conflicts import a_proposal

TABLES = (
    "place", "meta", "memory", "memory_term", "session", "turn", "turn_term", "tenant_stat", "topic", "vec",
    "unembedded", "finding", "evidence", "conflict", "proposal", "tombstone", "audit", "access", "spooled",
    "alias", "receipt", "thread", "thread_memory",
)  # fmt: skip


def open_store(dsn: str, tenant: str) -> PostgresStore:
    return PostgresStore.open(dsn, tenant=tenant, project="shop", now=NOW)


@pytest.fixture
def two(empty_postgres: str) -> Iterator[tuple[PostgresStore, PostgresStore]]:
    """Two tenants, each with something in every table."""
    stores = open_store(empty_postgres, "acme"), open_store(empty_postgres, "globex")
    for store in stores:
        fill(store)
    yield stores
    for store in stores:
        store.close()


def fill(store: PostgresStore) -> None:
    """Put a row into every table."""
    memory, session = a_memory(content="the walrus sleeps"), a_session()
    turn, model = a_turn(session, "walrus"), VectorModel("plain", 2)
    place = Evidence(turn=turn.id, start=0, end=3)
    keep(store, memory)
    keep_turns(store, session, turn)
    with store.writing():
        store.findings.put([a_finding(session, evidence=(place,))])
        statement = ThreadStatement(turn=turn.id, end=3, trust="user", memory=memory.id)
        store.threads.put([a_thread(statement, session=session.id, first=turn.id)])
        pair = Conflict(id=an_id(), first=memory.id, second=an_id(), kind="ambiguous", detected_at=NOW)
        store.conflicts.record([pair])
        store.proposals.put([a_proposal(memory)])
        store.vectors.switch(model)
        store.vectors.put("memory", model, {memory.id: np.array([[1, 0]], np.float32)}, None)
        store.tombstones.add(["a" * 64])
        store.audit.record(Event(action="add", actor="cli", at=NOW, ids=(memory.id,)))
        store.accesses.record([Access(memory=memory.id, action="get", at=NOW)])
        store.spooled.claim("spool", 1, NOW)
        store.aliases.add("ui", "web")
        store.receipts.record(a_receipt())


def as_role(dsn: str, role: str, *statements: str) -> list[tuple[object, ...]]:
    """Run statements in one transaction of a role; return the rows of the last."""
    with psycopg.connect(dsn) as connection:
        connection.execute(f"SET LOCAL ROLE {role}")
        for statement in statements[:-1]:
            connection.execute(statement)
        cursor = connection.execute(statements[-1])
        return cursor.fetchall() if cursor.description else []


def test_a_tenant_finds_its_own_and_nothing_else(two: tuple[PostgresStore, PostgresStore]) -> None:
    for store, other in (two, two[::-1]):
        [mine] = store.memories.newest(Filters(), 10)
        assert other.memories.get([mine.id]) == []
        found = store.memories.match(terms_of("walrus"), Filters(), 10)
        assert [one.id for one in found.candidates] == [mine.id]
        assert (found.documents, found.document_frequencies) == (1, (1,))
        assert other.memories.ending(mine.id[-8:]) == [
            one.id for one in other.memories.newest(Filters(), 9) if one.id[-8:] == mine.id[-8:]
        ]


def test_without_a_tenant_there_are_no_rows(empty_postgres: str, two: object) -> None:
    setting = "SET LOCAL holdfast.tenant = 'acme'"
    for table in TABLES:
        assert as_role(empty_postgres, "holdfast_app", setting, f"SELECT count(*) FROM holdfast.{table}") > [(0,)]
        for role in ("holdfast_app", "holdfast_owner"):
            assert as_role(empty_postgres, role, f"SELECT count(*) FROM holdfast.{table}") == [(0,)], (table, role)


def test_an_empty_tenant_is_nobody(empty_postgres: str, two: object) -> None:
    """After a transaction the setting is empty, not absent: no row may ever belong to it."""
    setting = "SET LOCAL holdfast.tenant = ''"
    assert as_role(empty_postgres, "holdfast_app", setting, "SELECT count(*) FROM holdfast.memory") == [(0,)]
    with pytest.raises(psycopg.errors.CheckViolation):
        as_role(empty_postgres, "holdfast_app", setting, "INSERT INTO holdfast.meta VALUES ('', 1, 'a', 'b')")
    for name in ("", " ", "a'b", "x" * 64, "-a"):
        with pytest.raises(InvalidInput, match="tenant"):
            open_store(empty_postgres, name)


def test_a_row_for_another_tenant_is_refused(empty_postgres: str, two: object) -> None:
    setting = "SET LOCAL holdfast.tenant = 'acme'"
    insert = "INSERT INTO holdfast.meta VALUES ('globex', 1, 'a', 'b')"
    for role in ("holdfast_app", "holdfast_owner", "holdfast_gc"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            as_role(empty_postgres, role, setting, insert)
    moved = "UPDATE holdfast.memory SET tenant = 'globex'"
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        as_role(empty_postgres, "holdfast_app", setting, moved)


def test_the_owner_sees_its_tenant_only(empty_postgres: str, two: object) -> None:
    setting = "SET LOCAL holdfast.tenant = 'acme'"
    rows = as_role(empty_postgres, "holdfast_owner", setting, "SELECT DISTINCT tenant FROM holdfast.memory")
    assert rows == [("acme",)]


def test_the_application_can_neither_truncate_nor_change_the_schema(empty_postgres: str, two: object) -> None:
    """TRUNCATE does not ask row-level security."""
    for statement in (
        "TRUNCATE holdfast.memory",
        "DROP TABLE holdfast.memory",
        "ALTER TABLE holdfast.memory DISABLE ROW LEVEL SECURITY",
        "CREATE TABLE holdfast.mine (a int)",
        "DELETE FROM holdfast.migration",
    ):
        for role in ("holdfast_app", "holdfast_gc"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                as_role(empty_postgres, role, statement)


def test_a_view_of_the_owner_shows_what_its_reader_may_see(empty_postgres: str, two: object) -> None:
    as_role(
        empty_postgres,
        "holdfast_owner",
        "CREATE VIEW holdfast.peek WITH (security_invoker) AS SELECT tenant FROM holdfast.memory",
        "GRANT SELECT ON holdfast.peek TO holdfast_app",
    )
    try:
        assert as_role(empty_postgres, "holdfast_app", "SELECT count(*) FROM holdfast.peek") == [(0,)]
        setting = "SET LOCAL holdfast.tenant = 'acme'"
        assert as_role(empty_postgres, "holdfast_app", setting, "SELECT * FROM holdfast.peek") == [("acme",)]
    finally:
        as_role(empty_postgres, "holdfast_owner", "DROP VIEW holdfast.peek")


def test_every_table_forces_row_level_security(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        rows = connection.execute(
            "SELECT relname, relrowsecurity AND relforcerowsecurity, relispartition FROM pg_class "
            "WHERE relnamespace = 'holdfast'::regnamespace AND relkind IN ('r', 'p')"
        ).fetchall()
    assert {name for name, is_forced, _ in rows if not is_forced} == {"migration"}
    assert {name for name, is_forced, is_part in rows if is_forced and not is_part} == set(TABLES)


def test_nobody_reaches_into_a_part_of_a_table(empty_postgres: str) -> None:
    for statement in ("SELECT * FROM holdfast.vec_rest", "DELETE FROM holdfast.vec_rest"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            as_role(empty_postgres, "holdfast_app", "SET LOCAL holdfast.tenant = 'acme'", statement)


def test_a_connection_that_is_used_again_leaks_nothing(empty_postgres: str) -> None:
    """Many threads of two tenants share two pools through whatever connections are free."""
    stores = [open_store(empty_postgres, f"team{number}") for number in range(4)]
    for number, store in enumerate(stores):
        keep(store, *(a_memory(content=f"walrus {number} {place}") for place in range(5)))
    start = threading.Barrier(8)

    def read(number: int) -> None:
        start.wait()
        for _ in range(40):
            found = stores[number].memories.newest(Filters(), 100)
            assert {one.content.split()[1] for one in found} == {str(number)}
            assert len(found) == 5

    with ThreadPoolExecutor(8) as pool:
        for reader in [pool.submit(read, number % 4) for number in range(8)]:
            reader.result()
    for store in stores:
        store.close()
