"""Which stores a tenant has, for whoever may see that tenant."""

import psycopg
from psycopg import sql

from holdfast.stores.postgres.connection import APP, Address, translated


def projects(dsn: str, tenant: str) -> list[str]:
    """Return the names of a tenant's stores, people's own included, in order of the alphabet."""
    address = Address(dsn)
    with translated(address.shown, 0), psycopg.connect(address.conninfo()) as connection:
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(APP)))
        connection.execute(sql.SQL("SET LOCAL holdfast.tenant = {}").format(sql.Literal(tenant)))
        rows = connection.execute(
            "SELECT name FROM holdfast.place WHERE tenant = %s ORDER BY name", (tenant,)
        ).fetchall()
    return [str(name) for (name,) in rows]
