"""Which stores a tenant has, for whoever may see that tenant."""

from holdfast.stores.postgres.address import Address
from holdfast.stores.postgres.errors import translate_errors
from holdfast.stores.postgres.pool import acting, connect
from holdfast.stores.postgres.roles import APP


def projects(dsn: str, tenant: str) -> list[str]:
    """Return the names of a tenant's stores, people's own included, in order of the alphabet."""
    address = Address(dsn)
    with translate_errors(address.shown, 0), connect(address) as connection, acting(connection, APP, tenant):
        rows = connection.execute(
            "SELECT name FROM holdfast.place WHERE tenant = %s ORDER BY name", (tenant,)
        ).fetchall()
    return [str(name) for (name,) in rows]
