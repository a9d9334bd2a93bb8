"""Where a server is: as it may be shown, and as the driver is told."""

import os

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from holdfast import errors

CONNECT_S = 5
"""Seconds to wait for a connection, where the address says nothing else."""

_UNLESS_SAID: dict[str, str | int] = {
    "fallback_application_name": "holdfast",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""A server whose network is gone is noticed within a minute."""


class Address:
    """Where a server is, as it may be shown: without its password."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        try:
            parts = conninfo_to_dict(dsn)
        except psycopg.ProgrammingError:
            # what the driver says repeats the address with its password
            problem = "is no address of a database; write postgresql://USER@HOST:PORT/NAME."
            raise errors.InvalidInput(field="target", problem=problem) from None
        host, port, name = parts.get("host", "localhost"), parts.get("port", 5432), parts.get("dbname", "")
        self.shown = f"postgresql://{host}:{port}/{name}"
        timeout = parts.get("connect_timeout") or os.environ.get("PGCONNECT_TIMEOUT")
        self.connect_s = int(timeout or CONNECT_S)
        """Seconds to wait for a connection."""
        unsaid = _UNLESS_SAID | {"connect_timeout": self.connect_s}
        self._unsaid = {key: value for key, value in unsaid.items() if key not in parts}

    def conninfo(self) -> str:
        """Return what to connect with."""
        return make_conninfo(self.dsn, **self._unsaid)
