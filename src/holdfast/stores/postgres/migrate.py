"""Bringing a database up to the schema this package knows: numbered steps, each once, one process at a time.

The roles, the schema and its tables are three transactions, because the nodes of a cluster see only what is
committed. Each transaction takes its own lock: behind a pooler the next one may run on another connection.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from typing import NamedTuple

import psycopg

from holdfast import errors
from holdfast.stores.postgres.errors import problem_of, translate_errors
from holdfast.stores.postgres.server import APP, OWNER, Address, Connection, connect, extension_schema
from holdfast.stores.sql.queries import read_text

_HERE = os.path.dirname(os.path.abspath(__file__))

_LOCK = 0x686F6C64  # "hold"
"""The advisory lock held while the schema is changed."""

_PATIENCE_S = 60
"""Seconds to wait for another process that changes the same schema, and for each statement."""

_FACTS = """
SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'holdfast' AND c.relname = 'migration'),
  EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
"""
_SPREAD = """
SELECT NOT EXISTS (SELECT FROM pg_class c
  WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND c.relname <> 'migration'
  AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid))
"""
_MAKE_SCHEMA = f"""
CREATE SCHEMA IF NOT EXISTS holdfast AUTHORIZATION {OWNER};
SET LOCAL ROLE {OWNER};
GRANT USAGE ON SCHEMA holdfast TO holdfast_app, holdfast_gc;
"""
_APPLIED = "INSERT INTO holdfast.migration (number, name, checksum) VALUES (%s, %s, %s)"


class Step(NamedTuple):
    """A change of the schema."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        """The digest of the text: an applied step must not have changed since."""
        return hashlib.sha256(self.text.encode()).hexdigest()


class State(NamedTuple):
    """What a database has of the schema."""

    exists: bool
    missing: list[Step]
    unspread: bool
    """The database is a cluster and some of our tables are on the coordinator alone."""

    @property
    def is_current(self) -> bool:
        """Nothing has to be done."""
        return not self.missing and not self.unspread


def read_sql(*path: str) -> str:
    """Return the text of a file in this backend's folder."""
    return read_text(_HERE, *path)


def schema_steps() -> list[Step]:
    """Return what makes the schema. The first step makes it, later ones change it."""
    folder = os.path.join(_HERE, "migrations")
    files = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    later = [Step(int(file[:4]), file[:-4], read_sql("migrations", file)) for file in files]
    return [Step(1, "schema", read_sql("schema.sql")), *later]


def bring_up(address: Address, role: str = APP) -> int:
    """Apply what is missing; return the version of the schema. A login without the rights for it is told which."""
    plan = schema_steps()
    with translate_errors(address.shown, _PATIENCE_S * 1000), connect(address, 2 * _PATIENCE_S) as connection:
        with connection.transaction():
            state = _state(connection, plan, role, address)
        if not state.is_current:
            try:
                _apply(connection, plan, role, address)
            except psycopg.errors.InsufficientPrivilege as error:
                problem = _denial_problem(connection, state, error)
                raise errors.StoreError(path=address.shown, problem=problem) from error
    return plan[-1].number


def _state(connection: Connection, plan: list[Step], role: str, address: Address) -> State:
    """Read what was applied; refuse what is not a beginning of the steps that this package knows."""
    [(exists, is_cluster)] = connection.execute(_FACTS).fetchall()
    if not exists:
        return State(False, plan, is_cluster)
    try:
        connection.execute(f"SET LOCAL ROLE {role}")
        rows = connection.execute("SELECT number, checksum FROM holdfast.migration ORDER BY number").fetchall()
        connection.execute("SET LOCAL ROLE NONE")
    except psycopg.errors.InsufficientPrivilege as error:
        login = connection.info.user
        problem = (
            f"the login {login} may not act as {role} ({problem_of(error)}); "
            f"whoever set the database up has to: GRANT {role} TO {login}"
        )
        raise errors.StoreError(path=address.shown, problem=problem) from error
    _check(rows, plan, address)
    return State(True, plan[len(rows) :], is_cluster and not is_spread(connection))


def is_spread(connection: Connection) -> bool:
    """Tell whether every table of ours is spread over the workers of a cluster.

    Looked up, never noted: a dump that is restored on a new cluster would bring the note along.
    """
    [(spread,)] = connection.execute(_SPREAD).fetchall()
    return bool(spread)


def _check(rows: list[tuple[int, str]], plan: list[Step], address: Address) -> None:
    newest = rows[-1][0] if rows else 0
    if newest > plan[-1].number:
        raise errors.StoreTooNew(path=address.shown, version=newest, known=plan[-1].number)
    for step, row in zip(plan, rows, strict=False):
        if row != (step.number, step.checksum):
            problem = (
                f"step {step.name} of its schema is not what was applied; "
                "use the holdfast that applied it, or a newer one"
            )
            raise errors.StoreError(path=address.shown, problem=problem)


def _apply(connection: Connection, plan: list[Step], role: str, address: Address) -> None:
    with _alone(connection):
        state = _state(connection, plan, role, address)
        if not state.exists or state.unspread:  # on a database that became a cluster the roles have to log in
            connection.execute(read_sql("roles.sql"))
    with _alone(connection):
        if not _state(connection, plan, role, address).exists:
            connection.execute(_MAKE_SCHEMA)
    with _alone(connection):
        state = _state(connection, plan, role, address)
        connection.execute(f"SET LOCAL ROLE {OWNER}")
        connection.execute(f"SET LOCAL search_path TO holdfast, {extension_schema(connection)}, pg_temp")
        for step in state.missing:
            connection.execute(step.text)
            connection.execute(_APPLIED, (step.number, step.name, step.checksum))
        if state.unspread:
            connection.execute(read_sql("citus.sql"))


@contextlib.contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    """Hold a transaction in which no other process changes this schema."""
    with connection.transaction():
        connection.execute(f"SET LOCAL lock_timeout = '{_PATIENCE_S}s'")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        yield


def _denial_problem(connection: Connection, state: State, error: psycopg.Error) -> str:
    reason = "its schema is behind" if state.exists else "it has no schema of holdfast yet"
    required_right = (
        f"is a member of {OWNER}" if state.exists else "may make roles, a schema and the extension vector in it"
    )
    return (
        f"{reason}, and the login {connection.info.user} may not change that ({problem_of(error)}); "
        f"open it once as a login that {required_right}"
    )
