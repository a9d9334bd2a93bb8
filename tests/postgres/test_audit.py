"""The audit log on a server: whoever writes it can neither change nor remove what was written."""

import itertools
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from holdfast.model.limits import AUDIT_EVENTS, AUDIT_KEPT
from holdfast.stores.postgres.server import GC
from holdfast.stores.postgres.store import PostgresStore
from tests.contract.builders import NOW
from tests.contract.records import journal
from tests.postgres.test_tenancy import as_role, open_store

ACME = "SET LOCAL holdfast.tenant = 'acme'"
ROLES = ("holdfast_app", "holdfast_gc")


@pytest.fixture
def store(empty_postgres: str) -> Iterator[PostgresStore]:
    """A store of acme's with three events in the chain and one that is not."""
    with closing(open_store(empty_postgres, "acme")) as store:
        journal(store, 3)
        assert store.audit.broken_at() is None
        journal(store, 1, start=3)
        yield store


FORBIDDEN = [
    "UPDATE holdfast.audit SET actor = 'somebody else'",
    "UPDATE holdfast.audit SET link = NULL, hash = NULL",
    "UPDATE holdfast.audit SET hash = 'x' WHERE link IS NULL",
    "DELETE FROM holdfast.audit",
    "TRUNCATE holdfast.audit",
    "SELECT * FROM holdfast.audit FOR UPDATE",
    "INSERT INTO holdfast.audit SELECT tenant, place, 1, at, action, actor, ids, detail, 9, 'x' "
    "FROM holdfast.audit LIMIT 1",
    "INSERT INTO holdfast.audit (tenant, place, seq, at, action, actor, ids, detail) "
    "SELECT tenant, place, seq, 1, 'add', 'x', ids, detail FROM holdfast.audit "
    "ON CONFLICT (tenant, place, seq) DO UPDATE SET at = 1",
    "ALTER TABLE holdfast.audit DISABLE ROW LEVEL SECURITY",
    "CREATE OR REPLACE FUNCTION holdfast.audit_trim(own text, store bigint) RETURNS void LANGUAGE sql AS ''",
]


@pytest.mark.usefixtures("store")
def test_an_event_can_neither_be_changed_nor_removed(empty_postgres: str) -> None:
    allowed = []
    for role, statement in itertools.product(ROLES, FORBIDDEN):
        try:
            as_role(empty_postgres, role, ACME, statement)
        except psycopg.errors.InsufficientPrivilege:
            continue
        allowed.append((role, statement))
    assert allowed == []


def test_an_event_in_the_chain_is_not_sealed_anew(empty_postgres: str, store: PostgresStore) -> None:
    forge = (
        "SELECT holdfast.audit_seal('acme', place, array_agg(seq), array_agg(link + 100), array_agg('x'::text)) "
        "FROM holdfast.audit WHERE link IS NOT NULL GROUP BY place"
    )
    for role in ROLES:
        as_role(empty_postgres, role, ACME, forge)
        assert store.audit.broken_at() is None, role
        assert len(store.audit.events(10)) == 4, role


def test_trimming_takes_nothing_from_a_log_that_is_not_too_long(empty_postgres: str, store: PostgresStore) -> None:
    trim = "SELECT t.link FROM holdfast.place p, holdfast.audit_trim(p.tenant, p.id) t"
    for role in ROLES:
        assert as_role(empty_postgres, role, ACME, trim) == [], role
        assert len(store.audit.events(10)) == 4, role


def test_the_functions_of_the_log_reach_no_other_tenant(empty_postgres: str, store: PostgresStore) -> None:
    """They have the owner's rights, and row-level security is around the owner, too."""
    [(place, seq)] = as_role(
        empty_postgres, "holdfast_app", ACME, "SELECT place, seq FROM holdfast.audit WHERE link IS NULL"
    )
    for own, asking in itertools.product(("acme", "globex", ""), ("globex", "")):
        seal = f"SELECT holdfast.audit_seal('{own}', {place}, ARRAY[{seq}], ARRAY[4], ARRAY['forged'])"
        as_role(empty_postgres, "holdfast_app", f"SET LOCAL holdfast.tenant = '{asking}'", seal)
    assert store.audit.broken_at() is None


def test_a_function_finds_its_table_whatever_the_caller_has_made(
    empty_postgres: str, store: PostgresStore
) -> None:
    """A temporary table of the same name is the caller's, and must not be taken for the log."""
    rows = as_role(
        empty_postgres,
        "holdfast_app",
        ACME,
        "SET LOCAL search_path TO pg_temp, holdfast, public",
        "CREATE TEMPORARY TABLE audit (tenant text, place bigint, seq bigint, link bigint, hash text)",
        "INSERT INTO audit SELECT 'acme', 1, n, n, 'x' FROM generate_series(1, 5000) n",
        "SELECT link FROM holdfast.audit_trim('acme', 1)",
    )
    assert rows == []
    assert len(store.audit.events(10)) == 4


def test_the_role_of_the_upkeep_seals_and_trims(empty_postgres: str) -> None:
    """The contract does as the role of clients."""
    with closing(PostgresStore.open(empty_postgres, tenant="acme", project="shop", now=NOW, role=GC)) as store:
        events = journal(store, AUDIT_EVENTS + 1)
        assert store.audit.events(AUDIT_EVENTS * 2) == events[-AUDIT_KEPT:][::-1]
        assert store.audit.broken_at() is None


def test_an_owner_who_edits_a_row_is_found_out(empty_postgres: str, store: PostgresStore) -> None:
    as_role(empty_postgres, "holdfast_owner", ACME, "UPDATE holdfast.audit SET actor = 'x' WHERE link = 2")
    assert store.audit.broken_at() == 2
