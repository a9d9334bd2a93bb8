"""Upkeep of a whole server: every store of every tenant, one after the other, each by itself.

Done by a login with the role for it, from a timer. What is broken in one tenant is named, and holds up no other.
"""

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from holdfast.compose import postgres
from holdfast.compose.open import SystemClock
from holdfast.compose.options import limits_of
from holdfast.compose.postgres import Found
from holdfast.compose.workspace import own_settings, survey
from holdfast.errors import InvalidInput, StoreError
from holdfast.model.fading import Fading
from holdfast.model.upkeep import Cleanup, Limits
from holdfast.ports import Clock
from holdfast.service.scopes import Scopes
from holdfast.service.upkeep import Care, Tending

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
class Server:
    """A server whose tenants are looked after."""

    url: str
    limits: Limits
    fading: Fading
    clock: Clock
    dry_run: bool = False

    def tend(self) -> Iterator[TenantCare]:
        """Look after one tenant after the other."""
        with postgres.every_store(self.url, self.fading) as found:
            for tenant, stores in groupby(found, lambda one: one.tenant):
                yield self._tenant(tenant, list(stores))

    def build_graphs(self) -> tuple[list[str], str | None]:
        """Build what large stores search by, where it is missing; say what was built, or why it was not."""
        if self.dry_run:
            return [], None
        try:
            return postgres.build_graphs(self.url), None
        except StoreError as error:
            return [], str(error)

    def _tenant(self, tenant: str, stores: list[Found]) -> TenantCare:
        done, failures = [], []
        for one in stores:
            try:
                done.append(self._store(one))
            except Exception as error:  # whatever is wrong with it, the other stores and tenants shall not wait
                failures.append(f"{one.name}: {error}")
        return TenantCare(
            tenant=tenant,
            stores=len(stores),
            gone=dict(Counter(gone.rule for one in done for gone in one.gone)),
            merged=sum(len(merged.others) for one in done for merged in one.merged),
            turns=sum(one.turns for one in done),
            accesses=sum(one.accesses for one in done),
            bytes_before=sum(one.bytes_before for one in done),
            bytes_after=sum(one.bytes_after for one in done),
            failures=tuple(failures),
        )

    def _store(self, one: Found) -> Cleanup:
        with contextlib.closing(one.open()) as store:
            done = Tending(Scopes(store), self.clock, Care(self.limits, ACTOR)).cleanup(dry_run=self.dry_run)
            if not self.dry_run:
                store.tend()
                while store.audit.seal():
                    pass
            return done


def server_of(directory: Path, url: str | None, *, dry_run: bool, clock: Clock | None = None) -> Server:
    """Return the server that a caller names, or that the user's own settings do."""
    address = url or survey(directory).config.store.url
    if address is None:
        raise InvalidInput(field="--url", problem="is needed: no server is named by `store.url`.")
    own = own_settings(directory)
    checked = postgres.checked(address, "--url")
    return Server(checked, limits_of(own), Fading(own.fading.days), clock or SystemClock(), dry_run)
