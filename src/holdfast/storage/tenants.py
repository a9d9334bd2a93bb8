"""Upkeep of a whole server: every store of every tenant, one after the other, each by itself.

Done by a login with the role for it, from a timer. What is broken in one tenant is named, and holds up no other.
"""

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from holdfast.errors import InvalidInput, StoreError
from holdfast.machine.environment import SystemClock
from holdfast.model.memory import Fading
from holdfast.model.upkeep import Cleanup, Limits
from holdfast.ports import Clock
from holdfast.service.scopes import Scopes
from holdfast.service.upkeep import UpkeepOptions, UpkeepRunner
from holdfast.storage import postgres
from holdfast.storage.options import limits_of
from holdfast.storage.postgres import StoreEntry
from holdfast.storage.workspace import find_workspace, own_settings

ACTOR = "gc"


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantCare:
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


@dataclass(frozen=True, slots=True)
class TenantServer:
    """A server whose tenants are looked after."""

    url: str
    limits: Limits
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
