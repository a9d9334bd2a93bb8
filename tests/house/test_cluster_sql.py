"""SQL that a cluster (Citus) refuses, or answers wrongly, is in no query: what was learnt on a real one."""

import re

from holdfast.stores.postgres.connections import load
from holdfast.stores.postgres.migrate import read_sql, schema_steps

QUERIES = load()
_OWN_ROW = re.compile(r"\bFROM\s+(place|meta)\s+o\b.*\bo\.tenant = %\(tenant\)s", re.DOTALL)
"""What makes rows of parameters a tenant's own: a row of that tenant beside them."""


def _inserts_a_selection(text: str) -> bool:
    return re.search(r"INSERT INTO \w+ \([^)]*\)\s*SELECT", text) is not None


def problems_of(text: str) -> list[str]:
    """Say what a cluster would not do with a statement."""
    problems = []
    if _inserts_a_selection(text):
        if "unnest(" in text and not _OWN_ROW.search(text):
            problems.append("rows of parameters are pulled to the coordinator, where COPY is refused")
        if "nextval(" in text:
            problems.append("a sequence is asked on the workers")
    if re.search(r"WITH .*\bDELETE\b.*\bINSERT INTO\b", text, re.DOTALL):
        problems.append("what is deleted feeds an insert")
    if re.search(r"\b(TEMP|TEMPORARY)\b", text):
        problems.append("a temporary table is on the coordinator alone")
    if re.search(r"RETURNING\b.*pg_column_size", text, re.DOTALL):
        problems.append("pg_column_size cannot be returned")
    if re.search(r"\bWITH (SET|INHERIT) (TRUE|FALSE)", text):
        problems.append("options of a grant are a syntax error on workers")
    if "set_config(" in text:
        problems.append("set_config is not passed on to workers")
    return problems


def test_every_query_is_one_that_a_cluster_answers() -> None:
    assert {name: problems for name, text in QUERIES.items() if (problems := problems_of(text))} == {}


def test_every_query_of_rows_says_whose_they_are() -> None:
    """Without its tenant a statement goes to every node."""
    about_rows = re.compile(r"\b(FROM|INTO|UPDATE|JOIN) [a-z_]+\b(?!\()")
    tenantless = [name for name, text in QUERIES.items() if about_rows.search(text) and "%(tenant)s" not in text]
    assert tenantless == ["schema_version"]


def test_set_up_is_one_that_a_cluster_follows() -> None:
    steps = {step.name: step.text for step in schema_steps()}
    files = {file: read_sql(file) for file in ("roles.sql", "citus.sql")}
    assert {name: problems for name, text in (files | steps).items() if (problems := problems_of(text))} == {}


def test_the_tenant_is_named_in_a_message_of_its_own_once_the_workers_listen() -> None:
    from holdfast.stores.postgres.server import TELL_WORKERS, Address, Pool

    pool = Pool(Address("postgresql://localhost/x"))
    pool.is_cluster = True
    first, listening, tenancy = pool.opening("BEGIN", "holdfast_app", "it's")
    assert (listening, tenancy) == (TELL_WORKERS, "SET LOCAL holdfast.tenant = 'it''s'")
    assert "citus" not in first
    assert "holdfast.tenant" not in first


def test_everything_that_a_cluster_refuses_is_noticed() -> None:
    refused = [
        "INSERT INTO t (a) SELECT %(tenant)s, x FROM unnest(%(xs)s) x",
        "INSERT INTO t (a, b) SELECT m.a, nextval('arrival') FROM m",
        "WITH gone AS (DELETE FROM t RETURNING a) INSERT INTO s (a) SELECT a FROM gone",
        "CREATE TEMP TABLE t (a integer)",
        "DELETE FROM t RETURNING pg_column_size(a)",
        "GRANT a TO b WITH SET TRUE, INHERIT TRUE",
        "SELECT set_config('holdfast.tenant', 'x', true)",
    ]
    assert [text for text in refused if not problems_of(text)] == []
