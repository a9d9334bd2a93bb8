"""What is done for a whole server, by a login with the rights for it: name its stores, build graphs.

A graph (HNSW) is of one store only, so that its search never walks through another's vectors, and that store has a
part of the table to itself, so that nobody else's insert looks at the graph. It is built beside the work that goes
on, and only where comparing all vectors has become the slower way.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from psycopg import sql

from holdfast.model.vectors import VECTOR_TARGETS
from holdfast.stores.postgres.errors import translate_errors
from holdfast.stores.postgres.server import APP, GC, OWNER, Address, Connection, acting, connect, extension_schema
from holdfast.stores.postgres.vectors import GRAPH_FROM

PAGE = 500
"""Stores named at once."""

_A_DAY_S = 86_400
"""How long building a graph may take."""

_REST = "vec_rest"
"""The part of the table that has the vectors of all stores that have none to themselves."""


class Place(Struct, frozen=True):
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


def projects(dsn: str, tenant: str) -> list[str]:
    """Return the names of a tenant's stores, people's own included, in order of the alphabet."""
    address = Address(dsn)
    with translate_errors(address.shown, 0), connect(address) as connection, acting(connection, APP, tenant):
        rows = connection.execute(
            "SELECT name FROM holdfast.place WHERE tenant = %s ORDER BY name", (tenant,)
        ).fetchall()
    return [str(name) for (name,) in rows]


def _places_after(connection: Connection, after: tuple[str, int]) -> list[Place]:
    with acting(connection, GC):
        rows = connection.execute(
            "SELECT tenant, id, name FROM holdfast.place WHERE (tenant, id) > (%s, %s) "
            "ORDER BY tenant, id LIMIT %s",
            (*after, PAGE),
        ).fetchall()
    return [Place(str(tenant), int(str(number)), str(name)) for tenant, number, name in rows]


def build_graphs(dsn: str, graph_from: int = GRAPH_FROM) -> list[str]:
    """Build the graphs that are missing, and take away those of models and stores that are gone.

    Return what was built. What searches and writes goes on, but for the moment in which a store gets a part of the
    table to itself.
    """
    address = Address(dsn)
    with translate_errors(address.shown, 0), connect(address, _A_DAY_S) as connection:
        there, extension = _graphs(connection), extension_schema(connection)
        graphs_by_name = {
            graph.name: graph for graph in _wanted_graphs(connection, dsn, there, graph_from, extension)
        }
        for name, is_whole in there.items():
            if name not in graphs_by_name or not is_whole:
                drop = sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS holdfast.{}")
                connection.execute(drop.format(sql.Identifier(name)))
        missing = [graph for name, graph in graphs_by_name.items() if not there.get(name)]
        for graph in missing:
            _part(connection, graph.place, extension)
            connection.execute(graph.statement(extension))
    return [graph.name for graph in missing]


class _Graph(Struct, frozen=True):
    """The graph of one target of one store, over vectors of one length."""

    place: Place
    target: str
    dimensions: int

    @property
    def name(self) -> str:
        return f"vec_graph_{self.place.id}_{self.target}_{self.dimensions}"

    def statement(self, extension: str) -> sql.Composed:
        """Say how to build it. Vectors of another length, which the next model may make, are not its business."""
        return sql.SQL(
            "CREATE INDEX CONCURRENTLY {name} ON holdfast.{part} "
            "USING hnsw ((embedding::{extension}.halfvec({size})) {extension}.halfvec_ip_ops) "
            "WHERE target = {target} AND {extension}.vector_dims(embedding) = {size}"
        ).format(
            name=sql.Identifier(self.name),
            part=sql.Identifier(_part_name(self.place)),
            extension=sql.SQL(extension),
            size=sql.Literal(self.dimensions),
            target=sql.Literal(self.target),
        )


def _wanted_graphs(
    connection: Connection, dsn: str, there: Mapping[str, bool], graph_from: int, extension: str
) -> Iterator[_Graph]:
    """Say which graphs there should be: of large stores, and of those that became smaller again."""
    for place in places(dsn):
        for target in VECTOR_TARGETS:
            count, dimensions = _extent(connection, place, target, extension)
            graph = _Graph(place, target, dimensions)
            if count >= graph_from or (count and graph.name in there):
                yield graph


def _part_name(place: Place) -> str:
    return f"vec_{place.id}"


def _part(connection: Connection, place: Place, extension: str) -> None:
    """Give a store a part of the table to itself, if it has none, with the rows it has."""
    name = _part_name(place)
    with acting(connection, OWNER, place.tenant):
        connection.execute(f"SET LOCAL search_path TO holdfast, {extension}, pg_temp")
        if connection.execute("SELECT to_regclass(%s)", (f"holdfast.{name}",)).fetchall() != [(None,)]:
            return
        parts = {"part": sql.Identifier(name), "rest": sql.Identifier(_REST), "place": sql.Literal(place.id)}
        for step in _PARTING:
            connection.execute(sql.SQL(step).format(**parts))


_PARTING = (
    "LOCK TABLE vec IN SHARE ROW EXCLUSIVE MODE",
    "CREATE TABLE {part} (LIKE {rest} INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE)",
    "INSERT INTO {part} SELECT * FROM {rest} WHERE place = {place}",
    "DELETE FROM {rest} WHERE place = {place}",
    "ALTER TABLE vec ATTACH PARTITION {part} FOR VALUES IN ({place})",
    "ALTER TABLE {part} ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE {part} FORCE ROW LEVEL SECURITY",
)
"""How a store gets a part of its own; writers of vectors wait meanwhile. Nobody may reach into a part directly."""


def _extent(connection: Connection, place: Place, target: str, extension: str) -> tuple[int, int]:
    with acting(connection, GC, place.tenant):
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
