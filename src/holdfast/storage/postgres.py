"""Memory on a server: from an address and a tenant to stores, and what is done for a whole server.

Beside `storage.open` the only module that names this backend. The driver comes with an extra and is imported when
a server is asked for, never before.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.errors import ConfigError, ExtraMissing, InvalidInput, NotAStore, StoreError
from holdfast.machine import server_url
from holdfast.model.care import OK, PROBLEM, WARNING, Diagnosis
from holdfast.model.memory import Fading
from holdfast.ports import Store
from holdfast.service.scopes import Elsewhere
from holdfast.settings.schema import Config, StoreConfig

if TYPE_CHECKING:
    from holdfast.stores.postgres.connections import Connections
    from holdfast.stores.postgres.store import PostgresStore

SERVING_CONNECTIONS = 20
"""Connections for serving many stores."""

_UPKEEP_CONNECTIONS = 2
"""Connections for looking after a server: one store after the other."""

PERSONAL = "user:"
"""How the name of a person's own store begins; a project's never does."""


@dataclass(frozen=True, slots=True)
class ServerStore:
    """A server, and whose memory is meant there. Its text never holds a password."""

    url: str = field(repr=False)
    tenant: str
    replica: str | None = field(default=None, repr=False)
    connections: "Connections | None" = field(default=None, repr=False, compare=False)
    """What stores share (`connect_tenants`, `beside`); without, a store has connections of its own."""

    @property
    def shown(self) -> str:
        """Where it is, without a password."""
        return server_url.without_password(self.url)

    @property
    def place(self) -> str:
        """Where it is, and whose memory is meant."""
        return f"{self.shown}#{self.tenant}"


def check_url(url: str, field: str) -> str:
    """Return an address that can be one; the error names the argument, and never repeats a password."""
    problem = server_url.problem_with(url)
    if problem:
        raise InvalidInput(field=field, problem=f"{problem}.")
    return url


def named_server(url: str, tenant: str | None) -> ServerStore:
    """Return the server that a caller names; raise an error that names the argument when one is missing."""
    check_url(url, "target")
    if not tenant:
        problem = "is needed for a server: whose memory is meant there, such as 'acme'."
        raise InvalidInput(field="tenant", problem=problem)
    return ServerStore(url, tenant)


def configured_server(url: str, store: StoreConfig) -> ServerStore:
    """Return the server that settings name."""
    if store.tenant is None:
        problem = "is needed with store.url; `holdfast config set store.tenant NAME` sets it"
        raise ConfigError(key="store.tenant", problem=problem, origin="the settings")
    return ServerStore(url, store.tenant, store.replica_url)


def personal(person: str) -> str:
    """Return the name that a person's own store has within a tenant."""
    return f"{PERSONAL}{person}"


def check_project(project: str) -> str:
    """Return a project's name; one that would be a person's own store is refused."""
    if project.startswith(PERSONAL):
        raise InvalidInput(field="project", problem=f"must not begin with {PERSONAL!r}: people's own memories do.")
    return project


def open_store(
    host: ServerStore, name: str, config: Config, now: int, *, create: bool = True
) -> "PostgresStore | None":
    """Open a store of a tenant; None where there is none and none is to be made."""
    with _driver(host.shown):
        from holdfast.stores.postgres.store import PostgresStore
    try:
        return PostgresStore.open(
            host.url,
            tenant=host.tenant,
            project=name,
            now=now,
            create=create,
            replica=host.replica,
            connections=host.connections,
            busy_ms=config.store.busy_timeout_ms,
            postings_budget=config.search.postings_budget,
            fading=Fading(config.fading.days),
        )
    except NotAStore:
        if create:
            raise
        return None


def beside(host: ServerStore, store: Store) -> ServerStore:
    """Return a host whose stores use the connections of one that is open there, until that one is closed."""
    connections = getattr(store, "connections", None)  # a stand-in for a store has none
    return host if host.connections or connections is None else replace(host, connections=connections)


@contextlib.contextmanager
def connect_tenants(
    url: str, replica: str | None = None, size: int = SERVING_CONNECTIONS
) -> Iterator[Callable[[str], ServerStore]]:
    """Connect once for the stores of all tenants, as a process that serves many has to; close when it ends.

    The schema is brought up first. What is given names a tenant's host: every store that is opened with one uses
    these connections, at most `size` at a time, and closing such a store leaves them open. A thread needs one
    connection, however many stores of a tenant it is at. When all are in use for longer than connecting may take,
    `StoreFull` is raised, which is a `StoreBusy`: worth another try a moment later.
    """
    with _driver(server_url.without_password(url)):
        from holdfast.stores.postgres.connections import Connections
    with contextlib.closing(Connections.open(url, replica=replica, size=size)) as connections:
        yield lambda tenant: replace(named_server(url, tenant), replica=replica, connections=connections)


def open_other_projects(host: ServerStore, own: str, config: Config) -> list[Elsewhere]:
    """Open the other projects of a tenant, to look only; the people's own stores are nobody else's business."""
    from holdfast.stores.postgres.care import projects

    other_projects: list[Elsewhere] = []
    for name in projects(host.url, host.tenant):
        if name != own and not name.startswith(PERSONAL):
            with contextlib.suppress(StoreError):
                store = open_store(host, name, config, 0, create=False)
                if store:
                    other_projects.append(Elsewhere(name, store))
    return other_projects


class StoreEntry(Struct, frozen=True):
    """A store of some tenant, which can be opened."""

    tenant: str
    name: str
    open: "Callable[[], PostgresStore]"


@contextlib.contextmanager
def every_store(url: str, fading: Fading) -> Iterator[Iterator[StoreEntry]]:
    """Find every store of every tenant, for a login that may look after them all; they share its connections."""
    with _driver(server_url.without_password(url)):
        from holdfast.stores.postgres.care import places
        from holdfast.stores.postgres.connections import Connections
        from holdfast.stores.postgres.server import GC
        from holdfast.stores.postgres.store import PostgresStore
    with contextlib.closing(Connections.open(url, size=_UPKEEP_CONNECTIONS, role=GC)) as connections:
        open_place = partial(
            PostgresStore.open, url, now=0, create=False, fading=fading, connections=connections, role=GC
        )
        yield (
            StoreEntry(place.tenant, place.name, partial(open_place, tenant=place.tenant, project=place.name))
            for place in places(url)
        )


def build_graphs(url: str) -> list[str]:
    """Build the graphs that large stores search by; return the names of those that are new."""
    from holdfast.stores.postgres.care import build_graphs as build

    return build(url)


def versions(host: ServerStore) -> Mapping[str, str]:
    """Return the version of the driver."""
    with _driver(host.shown):
        import psycopg
    return {"psycopg": psycopg.__version__}


def examine(host: ServerStore, name: str, now: int) -> Iterator[Diagnosis]:
    """Say how a server is doing, for `doctor`: whether it answers, its schema, the store and its log."""
    began = time.monotonic()
    try:
        store = open_store(host, name, Config(), now, create=False)
    except StoreError as error:
        yield Diagnosis(name="server", severity=PROBLEM, message=str(error), advice="do what the message says")
        return
    took = round((time.monotonic() - began) * 1000)
    yield Diagnosis(name="server", severity=OK, message=f"{host.shown} answers, in {took:,} ms with opening")
    if store is None:
        message = f"tenant {host.tenant} has no {name} yet; the first add makes it"
        yield Diagnosis(name="store", severity=OK, message=message)
        return
    with contextlib.closing(store):
        yield from _examine_store(host, name, store)


def _examine_store(host: ServerStore, name: str, store: Store) -> Iterator[Diagnosis]:
    state = store.state()
    yield Diagnosis(name="schema", severity=OK, message=f"{state.schema}, which this holdfast knows")
    size = f"{state.bytes / 1024:,.0f} KB"
    yield Diagnosis(name="store", severity=OK, message=f"tenant {host.tenant}, {name}, {size} on the server")
    broken_at = store.audit.broken_at()
    if broken_at is None:
        yield Diagnosis(name="log", severity=OK, message="the chain of the log is whole")
    else:
        message = f"the log was altered at event {broken_at}"
        yield Diagnosis(name="log", severity=PROBLEM, message=message, advice="what was done is no longer certain")
    health = store.upkeep.health()
    if health.indexed != health.rows:
        message = f"{health.rows - health.indexed:,} rows are not found by their words"
        yield Diagnosis(name="index", severity=PROBLEM, message=message, advice="see docs/postgres.md")
    else:
        yield Diagnosis(name="index", severity=OK, message=f"{health.rows:,} rows are found by their words")
    advice = "`holdfast reindex --pending` makes them" if health.waiting else ""
    yield Diagnosis(
        name="vectors",
        severity=WARNING if health.waiting else OK,
        message=f"{health.waiting:,} rows wait for vectors",
        advice=advice,
    )


@contextlib.contextmanager
def _driver(address: str) -> Iterator[None]:
    """Say what to install where the driver is missing."""
    try:
        yield
    except ImportError as error:
        raise ExtraMissing(path=address, problem=error.name or str(error)) from error
