"""Bringing a database up to the schema this package knows: numbered files, each once, one process at a time.

Roles, the schema and its tables are three transactions, as the nodes of a cluster see only what is committed; each
has a lock that ends with it: a pooler may give what follows another connection.
"""

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg

from holdfast import errors
from holdfast.stores.postgres.address import Address
from holdfast.stores.postgres.errors import problem_of, translate_errors
from holdfast.stores.postgres.pool import Connection, connect, extension_schema
from holdfast.stores.postgres.queries import migrations, read_sql
from holdfast.stores.postgres.roles import APP, OWNER

_LOCK = 0x686F6C64  # "hold"
"""The server's lock that whoever brings a schema up holds."""

_PATIENCE_S = 60
"""Seconds to wait for another who brings the same database up, and for each statement of it."""

_CITUS = 9_000
"""The number of the step that only a cluster takes."""

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
"""Whether no table of ours is on the coordinator alone. That a step says so is no proof: a dump has it, too."""
_LEDGER = """
CREATE TABLE migration (
  number     integer PRIMARY KEY,
  name       text NOT NULL,
  checksum   text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
)
"""


_APPLIED = """
INSERT INTO migration (number, name, checksum) VALUES (%s, %s, %s)
ON CONFLICT (number) DO UPDATE SET name = excluded.name, checksum = excluded.checksum, applied_at = now()
"""


@dataclass(frozen=True, slots=True)
class Step:
    """A change of the schema."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        """What tells whether it is what was applied."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class State:
    """What a database has of the schema."""

    there: bool
    missing: list[Step]


def bring_up(address: Address, role: str = APP) -> int:
    """Apply what is missing; return the number of the schema. Where the login may not, say who has to do what."""
    plan = [Step(*migration) for migration in migrations()]
    with translate_errors(address.shown, _PATIENCE_S * 1000), connect(address, 2 * _PATIENCE_S) as connection:
        with connection.transaction():
            state = _state(connection, plan, role, address)
        if state.missing:
            try:
                _apply(connection, plan, role, address)
            except psycopg.errors.InsufficientPrivilege as error:
                raise errors.StoreError(
                    path=address.shown, problem=_denial_problem(connection, state, error)
                ) from error
    return plan[-1].number


def _state(connection: Connection, plan: list[Step], role: str, address: Address) -> State:
    """Look at what was applied; refuse what is not a beginning of what this package knows."""
    [(there, citus)] = connection.execute(_FACTS).fetchall()
    if not there:
        return State(False, plan + ([_citus()] if citus else []))
    try:
        connection.execute(f"SET LOCAL ROLE {role}")
        rows = connection.execute("SELECT number, checksum FROM holdfast.migration").fetchall()
        connection.execute("SET LOCAL ROLE NONE")
    except psycopg.errors.InsufficientPrivilege as error:
        login = connection.info.user
        problem = (
            f"the login {login} may not act as {role} ({problem_of(error)}); "
            f"whoever set the database up has to: GRANT {role} TO {login}"
        )
        raise errors.StoreError(path=address.shown, problem=problem) from error
    checksums = {int(number): str(checksum) for number, checksum in rows}
    _check(checksums, plan, address)
    missing = [step for step in plan if step.number not in checksums]
    if citus and (missing or not is_spread(connection)):
        missing.append(_citus())
    return State(True, missing)


def is_spread(connection: Connection) -> bool:
    """Say whether every table of ours is spread over the workers of a cluster."""
    [(spread,)] = connection.execute(_SPREAD).fetchall()
    return bool(spread)


def _check(checksums: dict[int, str], plan: list[Step], address: Address) -> None:
    newest = max((number for number in checksums if number < _CITUS), default=0)
    if newest > plan[-1].number:
        raise errors.StoreTooNew(path=address.shown, version=newest, known=plan[-1].number)
    for step in plan:
        if step.number < newest and step.number not in checksums:
            problem = f"migration {step.name} was never applied, though later ones were; restore a dump"
            raise errors.StoreError(path=address.shown, problem=problem)
        if checksums.get(step.number, step.checksum) != step.checksum:
            problem = (
                f"migration {step.name} is not what was applied; use the holdfast that applied it, or a newer one"
            )
            raise errors.StoreError(path=address.shown, problem=problem)


def _apply(connection: Connection, plan: list[Step], role: str, address: Address) -> None:
    for file in ("roles.sql", "schema.sql"):
        with _alone(connection):
            state = _state(connection, plan, role, address)
            becomes_cluster = file == "roles.sql" and any(step.number == _CITUS for step in state.missing)
            if not state.there or becomes_cluster:  # a database that became a cluster: its roles have to log in
                connection.execute(read_sql(file))
    with _alone(connection):
        state = _state(connection, plan, role, address)
        connection.execute(f"SET LOCAL ROLE {OWNER}")
        connection.execute(f"SET LOCAL search_path TO holdfast, {extension_schema(connection)}, pg_temp")
        if not state.there:
            connection.execute(_LEDGER)
        for step in state.missing:
            connection.execute(step.text)
            row = (step.number, step.name, step.checksum)
            connection.execute(_APPLIED, row)


@contextlib.contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    """Hold a transaction in which nobody else brings this database up."""
    with connection.transaction():
        connection.execute(f"SET LOCAL lock_timeout = '{_PATIENCE_S}s'")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        yield


def _citus() -> Step:
    return Step(_CITUS, "citus", read_sql("citus.sql"))


def _denial_problem(connection: Connection, state: State, error: psycopg.Error) -> str:
    reason = "its schema is behind" if state.there else "it has no schema of holdfast yet"
    required_right = (
        f"is a member of {OWNER}" if state.there else "may make roles, a schema and the extension vector in it"
    )
    return (
        f"{reason}, and the login {connection.info.user} may not change that ({problem_of(error)}); "
        f"open it once as a login that {required_right}"
    )
