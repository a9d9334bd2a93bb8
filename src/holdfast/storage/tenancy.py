"""What a server serves: for a token and a project, the way to its memory; and upkeep of all its tenants.

Which backend that is, the settings decide. An embedded store is one project, that of the directory, and its tenant
is `local`. A database has every project of every tenant, and each holder of a token is a person there.

Upkeep goes through every store of every tenant, one after the other, by a login with the role for it, from a
timer. What is broken in one tenant is named, and holds up no other.
"""

import contextlib
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field

from holdfast.errors import ConfigError, InvalidInput, StoreError, StoreUnwritable, UnknownId
from holdfast.machine import paths
from holdfast.machine.environment import SystemClock
from holdfast.model.actor import LOCAL, Token
from holdfast.model.memory import Fading
from holdfast.model.upkeep import Cleanup, StoreLimits
from holdfast.ports import Clock
from holdfast.service.scopes import Scopes
from holdfast.service.service import Service
from holdfast.service.upkeep import UpkeepOptions, UpkeepRunner
from holdfast.storage import postgres
from holdfast.storage.open import HTTP, open_for_person, open_service
from holdfast.storage.options import limits_of
from holdfast.storage.postgres import ServerStore, StoreEntry
from holdfast.storage.tokens import TokenFile
from holdfast.storage.workspace import find_workspace, identity, own_settings

Key = tuple[str, str, str]


class ServiceKey(Struct, frozen=True):
    """The way to one project's memory."""

    key: Key
    """Whose memory of what: services with the same key are alike."""
    open: Callable[[], Service]
    identity: Callable[[], object]
    """What lies behind it now: when that is another, what was opened before is of no use."""


class ServiceSource(Protocol):
    """Every memory that one server gives access to."""

    @property
    def project(self) -> str:
        """The project that is meant where none is named."""

    @property
    def of_this_machine(self) -> bool:
        """Whether it is the memory of the machine's own user, who may act in person."""

    @property
    def waits_elsewhere(self) -> bool:
        """Whether requests mostly wait for somebody else: a database, or a server that embeds."""

    def connect(self) -> None:
        """Make sure that it is there; raise what stands in the way. Otherwise the first use does."""

    def key_for(self, token: Token, project: str | None, *, create: bool) -> ServiceKey:
        """Return the way to a project for who shows this token; None: the project of the directory.

        Without `create` a project that is not there stays away, and is an error.
        """

    def check(self) -> ServiceKey:
        """Return the way to what must be there for the server to be of use."""

    def close(self) -> None:
        """Let go of what all services share."""


def served_at(directory: Path, clock: Clock | None = None) -> ServiceSource:
    """Return what a directory's server serves. What is wrong is said now, not to the first client."""
    service_source = to_serve(directory, clock)
    service_source.connect()
    return service_source


def to_serve(directory: Path, clock: Clock | None = None) -> ServiceSource:
    """Return the same for a worker, which starts even while the store is away: clients are told so."""
    host = find_workspace(directory).host
    return Tenants(directory, host, clock) if host else SingleProject(directory, clock)


class SingleProject:
    """`ServiceSource` on an embedded store."""

    def __init__(self, directory: Path, clock: Clock | None = None) -> None:
        self._clock = clock
        self._directory = directory
        workspace = find_workspace(directory)
        self._database = workspace.database
        self.waits_elsewhere = workspace.config.embedding.model == "remote"

    @property
    def of_this_machine(self) -> bool:
        return True

    @cached_property
    def project(self) -> str:
        with contextlib.closing(self._open()) as service:
            return service.stats().project.project

    def connect(self) -> None:
        open_service(self._directory, HTTP, clock=self._clock).close()

    def key_for(self, token: Token, project: str | None, *, create: bool) -> ServiceKey:
        if token.tenant != LOCAL or (project is not None and project != self.project):
            raise UnknownId(noun="project", id=project or "")
        return self.check()

    def check(self) -> ServiceKey:
        return ServiceKey((LOCAL, "", ""), self._open, self._identity)

    def close(self) -> None:
        """Nothing is shared."""

    def _open(self) -> Service:
        """Open what is there. A store that went away is not made anew: it may come back."""
        if not os.path.lexists(self._database):
            raise StoreUnwritable(path=self._database, problem="the file is gone")
        return open_service(self._directory, HTTP, clock=self._clock)

    def _identity(self) -> object:
        try:
            file_status = os.stat(self._database)
        except OSError:
            return None
        return file_status.st_dev, file_status.st_ino


class Tenants:
    """`ServiceSource` on a database: services of all tenants share its connections."""

    def __init__(self, directory: Path, host: ServerStore, clock: Clock | None = None) -> None:
        if host.tenant == LOCAL:
            problem = f"cannot be {LOCAL!r}: that is the memory of one machine"
            raise ConfigError(key="store.tenant", problem=problem, origin="the settings")
        self._clock = clock
        self._directory = directory
        self._host = host
        self.project = identity(find_workspace(directory), None)
        self._connections = contextlib.ExitStack()
        self._tenant_servers: Callable[[str], ServerStore] | None = None
        self._connecting = threading.Lock()

    @property
    def of_this_machine(self) -> bool:
        return False

    @property
    def waits_elsewhere(self) -> bool:
        return True

    def connect(self) -> None:
        self._host_of(self._host.tenant)

    def key_for(self, token: Token, project: str | None, *, create: bool) -> ServiceKey:
        if token.tenant == LOCAL:
            raise UnknownId(noun="project", id=project or "")
        return self._key_of(token.tenant, project or self.project, token.name, create=create)

    def check(self) -> ServiceKey:
        return self._key_of(self._host.tenant, self.project, "", create=True)

    def close(self) -> None:
        self._connections.close()

    def _host_of(self, tenant: str) -> ServerStore:
        with self._connecting:
            if self._tenant_servers is None:
                connection = postgres.connect_tenants(self._host.url, self._host.replica)
                self._tenant_servers = self._connections.enter_context(connection)
        return self._tenant_servers(tenant)

    def _key_of(self, tenant: str, project: str, person: str, *, create: bool) -> ServiceKey:
        def open_project() -> Service:
            host = self._host_of(tenant)
            return open_for_person(self._directory, host, project, person, create=create, clock=self._clock)

        return ServiceKey((tenant, project, person), open_project, lambda: None)


def own_tenant(directory: Path) -> str:
    """Return whose memory a directory's settings mean."""
    host = find_workspace(directory).host
    return host.tenant if host else LOCAL


def tokens() -> TokenFile:
    """Return the tokens of this user's servers."""
    return TokenFile(Path(paths.data_directory()) / "tokens.json")


ACTOR = "gc"


class TenantCare(Struct, frozen=True, kw_only=True):
    """What upkeep did, or would do, for one tenant."""

    tenant: str
    stores: int
    gone: Mapping[str, int] = field(default_factory=dict)
    """Memories that went, by the rule they went by."""
    merged: int = 0
    """Memories that became history of one that says the same."""
    turns: int = 0
    accesses: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    failures: tuple[str, ...] = ()
    """Stores that could not be looked after, and why."""


class TenantServer(Struct, frozen=True):
    """A server whose tenants are looked after."""

    url: str
    limits: StoreLimits
    fading: Fading
    clock: Clock
    dry_run: bool = False

    def tend(self) -> Iterator[TenantCare]:
        """Look after one tenant after the other."""
        with postgres.every_store(self.url, self.fading) as entries:
            for tenant, stores in groupby(entries, lambda entry: entry.tenant):
                yield self._tenant(tenant, list(stores))

    def build_graphs(self) -> tuple[list[str], str | None]:
        """Build what large stores search by, where it is missing; say what was built, or why it was not."""
        if self.dry_run:
            return [], None
        try:
            return postgres.build_graphs(self.url), None
        except StoreError as error:
            return [], str(error)

    def _tenant(self, tenant: str, stores: list[StoreEntry]) -> TenantCare:
        cleanups, failures = [], []
        for entry in stores:
            try:
                cleanups.append(self._store(entry))
            except Exception as error:  # whatever is wrong with it, the other stores and tenants shall not wait
                failures.append(f"{entry.name}: {error}")
        return TenantCare(
            tenant=tenant,
            stores=len(stores),
            gone=dict(Counter(departure.rule for cleanup in cleanups for departure in cleanup.gone)),
            merged=sum(len(merger.others) for cleanup in cleanups for merger in cleanup.merged),
            turns=sum(cleanup.turns for cleanup in cleanups),
            accesses=sum(cleanup.accesses for cleanup in cleanups),
            bytes_before=sum(cleanup.bytes_before for cleanup in cleanups),
            bytes_after=sum(cleanup.bytes_after for cleanup in cleanups),
            failures=tuple(failures),
        )

    def _store(self, entry: StoreEntry) -> Cleanup:
        with contextlib.closing(entry.open()) as store:
            cleanup = UpkeepRunner(Scopes(store), self.clock, UpkeepOptions(self.limits, ACTOR)).cleanup(
                dry_run=self.dry_run
            )
            if not self.dry_run:
                store.tend()
                while store.audit.seal():
                    pass
            return cleanup


def server_of(directory: Path, url: str | None, *, dry_run: bool, clock: Clock | None = None) -> TenantServer:
    """Return the server that a caller names, or that the user's own settings do."""
    address = url or find_workspace(directory).config.store.url
    if address is None:
        raise InvalidInput(field="--url", problem="is needed: no server is named by `store.url`.")
    own = own_settings(directory)
    server_url = postgres.check_url(address, "--url")
    return TenantServer(server_url, limits_of(own), Fading(own.fading.days), clock or SystemClock(), dry_run)
