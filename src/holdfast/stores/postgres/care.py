"""What a login with the rights for it does for a whole server: open its stores in turn, build graphs.

A graph (HNSW) is of one store only, so that its search never walks through another's vectors. It is built beside
the work that goes on, and only where comparing every vector has become the slower way.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
from psycopg import sql

from holdfast.errors import NotAStore
from holdfast.model.fading import Fading
from holdfast.model.vectors import VECTOR_TARGETS
from holdfast.stores.postgres.connection import GC, Address, open_pool, translated
from holdfast.stores.postgres.store import PostgresStore

PAGE = 500
"""Stores named at once."""

POOL_SIZE = 2
GRAPH_FROM = 10_000
"""Vectors of a store from which on a graph answers faster than a comparison with all."""


@dataclass(frozen=True, slots=True)
class Place:
    """One store of a tenant."""

    tenant: str
    id: int
    name: str


def places(dsn: str) -> Iterator[Place]:
    """Name every store of every tenant, a page at a time: no transaction stays open in between."""
    address, after = Address(dsn), ("", 0)
    with translated(address.shown, 0), psycopg.connect(address.conninfo(), autocommit=True) as connection:
        while page := _places_after(connection, after):
            yield from page
            after = (page[-1].tenant, page[-1].id)


def every_store(dsn: str, now: int, fading: Fading | None = None) -> Iterator[tuple[Place, PostgresStore]]:
    """Open every store of every tenant in turn, for whoever looks after them; it is closed before the next.

    The login needs the role `holdfast_gc` and nothing else. Row-level security is around it as around anybody: in
    each transaction it sees one tenant.
    """
    with contextlib.closing(open_pool(Address(dsn), POOL_SIZE)) as pool:
        for place in places(dsn):
            with contextlib.suppress(NotAStore):  # gone meanwhile
                store = PostgresStore.open(
                    dsn,
                    tenant=place.tenant,
                    project=place.name,
                    now=now,
                    create=False,
                    fading=fading,
                    pool=pool,
                    role=GC,
                )
                with contextlib.closing(store):
                    yield place, store


def _places_after(connection: "psycopg.Connection[tuple[object, ...]]", after: tuple[str, int]) -> list[Place]:
    with connection.transaction():
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(GC)))
        rows = connection.execute(
            "SELECT tenant, id, name FROM holdfast.place WHERE (tenant, id) > (%s, %s) "
            "ORDER BY tenant, id LIMIT %s",
            (*after, PAGE),
        ).fetchall()
    return [Place(str(tenant), int(str(number)), str(name)) for tenant, number, name in rows]


def build_graphs(dsn: str, graph_from: int = GRAPH_FROM) -> list[str]:
    """Build the graphs that are missing, and take away those of models that are gone; return what was built."""
    address = Address(dsn)
    built = []
    with translated(address.shown, 0), psycopg.connect(address.conninfo(), autocommit=True) as connection:
        for place in places(dsn):
            for target in VECTOR_TARGETS:
                count, dimensions = _extent(connection, place, target)
                name = f"vec_graph_{place.id}_{target}"
                if count < graph_from or _indexed(connection, name, dimensions):
                    continue
                connection.execute(sql.SQL("DROP INDEX IF EXISTS holdfast.{}").format(sql.Identifier(name)))
                connection.execute(_graph(name, place, target, dimensions))
                built.append(name)
    return built


def _extent(connection: "psycopg.Connection[tuple[object, ...]]", place: Place, target: str) -> tuple[int, int]:
    with connection.transaction():
        connection.execute("SET LOCAL ROLE holdfast_gc")
        connection.execute(sql.SQL("SET LOCAL holdfast.tenant = {}").format(sql.Literal(place.tenant)))
        row = connection.execute(
            "SELECT count(*), coalesce(max(vector_dims(embedding)), 0) FROM holdfast.vec "
            "WHERE tenant = %s AND place = %s AND target = %s",
            (place.tenant, place.id, target),
        ).fetchone()
    count, dimensions = row or (0, 0)
    return int(str(count)), int(str(dimensions))


def _indexed(connection: "psycopg.Connection[tuple[object, ...]]", name: str, dimensions: int) -> bool:
    row = connection.execute(
        "SELECT d.indexdef FROM pg_indexes d JOIN pg_class c ON c.relname = d.indexname "
        "JOIN pg_index i ON i.indexrelid = c.oid "
        "WHERE d.schemaname = 'holdfast' AND d.indexname = %s AND i.indisvalid",
        (name,),
    ).fetchone()
    return bool(row and f"halfvec({dimensions})" in str(row[0]))


def _graph(name: str, place: Place, target: str, dimensions: int) -> sql.Composed:
    return sql.SQL(
        "CREATE INDEX CONCURRENTLY {name} ON holdfast.vec "
        "USING hnsw ((embedding::halfvec({size})) halfvec_ip_ops) "
        "WHERE tenant = {tenant} AND place = {place} AND target = {target}"
    ).format(
        name=sql.Identifier(name),
        size=sql.Literal(dimensions),
        tenant=sql.Literal(place.tenant),
        place=sql.Literal(place.id),
        target=sql.Literal(target),
    )
