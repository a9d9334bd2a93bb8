"""What a login with the rights for it does for a whole server: open its stores in turn, build graphs.

A graph (HNSW) is of one store only, so that its search never walks through another's vectors. It is built beside
the work that goes on, and only where comparing every vector has become the slower way.
"""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from psycopg import sql

from holdfast.errors import NotAStore
from holdfast.model.memory import Fading
from holdfast.model.vectors import VECTOR_TARGETS
from holdfast.stores.postgres.address import Address
from holdfast.stores.postgres.connections import Connections
from holdfast.stores.postgres.errors import translate_errors
from holdfast.stores.postgres.pool import Connection, connect, extension_schema
from holdfast.stores.postgres.roles import GC
from holdfast.stores.postgres.store import PostgresStore

PAGE = 500
"""Stores named at once."""

POOL_SIZE = 2
"""Stores are looked after one at a time; a second connection is for what a step begins beside it."""

_A_DAY_S = 86_400
"""How long building a graph may take."""

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
    with translate_errors(address.shown, 0), connect(address) as connection:
        while page := _places_after(connection, after):
            yield from page
            after = (page[-1].tenant, page[-1].id)


def every_store(dsn: str, now: int, fading: Fading | None = None) -> Iterator[tuple[Place, PostgresStore]]:
    """Open every store of every tenant in turn, for whoever looks after them; it is closed before the next.

    The login needs the role `holdfast_gc` and nothing else. Row-level security is around it as around anybody: in
    each transaction it sees one tenant.
    """
    with contextlib.closing(Connections.open(dsn, size=POOL_SIZE, role=GC)) as connections:
        for place in places(dsn):
            with contextlib.suppress(NotAStore):  # gone meanwhile
                store = PostgresStore.open(
                    dsn,
                    tenant=place.tenant,
                    project=place.name,
                    now=now,
                    create=False,
                    fading=fading,
                    connections=connections,
                    role=GC,
                )
                with contextlib.closing(store):
                    yield place, store


def _places_after(connection: Connection, after: tuple[str, int]) -> list[Place]:
    with connection.transaction():
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(GC)))
        rows = connection.execute(
            "SELECT tenant, id, name FROM holdfast.place WHERE (tenant, id) > (%s, %s) "
            "ORDER BY tenant, id LIMIT %s",
            (*after, PAGE),
        ).fetchall()
    return [Place(str(tenant), int(str(number)), str(name)) for tenant, number, name in rows]


def build_graphs(dsn: str, graph_from: int = GRAPH_FROM) -> list[str]:
    """Build the graphs that are missing, and take away those of models and stores that are gone.

    Return what was built. Nobody waits for it: what searches and writes goes on.
    """
    address = Address(dsn)
    with translate_errors(address.shown, 0), connect(address, _A_DAY_S) as connection:
        there = _graphs(connection)
        statements = dict(_graph_statements(connection, dsn, there, graph_from))
        for name, whole in there.items():
            if name not in statements or not whole:
                drop = sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS holdfast.{}")
                connection.execute(drop.format(sql.Identifier(name)))
        missing_names = [name for name in statements if not there.get(name)]
        for name in missing_names:
            connection.execute(statements[name])
    return missing_names


def _graph_statements(
    connection: Connection, dsn: str, there: Mapping[str, bool], graph_from: int
) -> Iterator[tuple[str, sql.Composed]]:
    """Say which graphs there should be: of large stores, and of those that became smaller again."""
    extension = extension_schema(connection)
    for place in places(dsn):
        for target in VECTOR_TARGETS:
            count, dimensions = _extent(connection, place, target, extension)
            name = f"vec_graph_{place.id}_{target}_{dimensions}"
            if count >= graph_from or (count and name in there):
                yield name, _graph(name, place, target, dimensions, sql.SQL(extension))


def _extent(connection: Connection, place: Place, target: str, extension: str) -> tuple[int, int]:
    with connection.transaction():
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(GC)))
        connection.execute(sql.SQL("SET LOCAL holdfast.tenant = {}").format(sql.Literal(place.tenant)))
        row = connection.execute(
            sql.SQL(
                "SELECT count(*), coalesce(max({}.vector_dims(embedding)), 0) FROM holdfast.vec "
                "WHERE tenant = %s AND place = %s AND target = %s"
            ).format(sql.SQL(extension)),
            (place.tenant, place.id, target),
        ).fetchone()
    count, dimensions = row or (0, 0)
    return int(str(count)), int(str(dimensions))


def _graphs(connection: Connection) -> dict[str, bool]:
    """Return the graphs there are, and whether each was finished."""
    rows = connection.execute(
        "SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = 'holdfast' AND starts_with(c.relname, 'vec_graph_')"
    ).fetchall()
    return dict(rows)


def _graph(name: str, place: Place, target: str, dimensions: int, extension: sql.SQL) -> sql.Composed:
    """Say how to build a graph. Vectors of another length, which the next model may make, are not its business."""
    return sql.SQL(
        "CREATE INDEX CONCURRENTLY {name} ON holdfast.vec "
        "USING hnsw ((embedding::{extension}.halfvec({size})) {extension}.halfvec_ip_ops) "
        "WHERE tenant = {tenant} AND place = {place} AND target = {target} "
        "AND {extension}.vector_dims(embedding) = {size}"
    ).format(
        name=sql.Identifier(name),
        extension=extension,
        size=sql.Literal(dimensions),
        tenant=sql.Literal(place.tenant),
        place=sql.Literal(place.id),
        target=sql.Literal(target),
    )
