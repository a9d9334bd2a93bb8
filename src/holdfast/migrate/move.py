"""Moving a project's memory, and the user's own, between a file and a server.

What is moved from stays as it is. A move that was interrupted is done again, and goes on where it stopped.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from holdfast.compose.guards import SystemClock
from holdfast.compose.open import open_end
from holdfast.compose.postgres import ServerStore
from holdfast.compose.workspace import EMBEDDED_TENANT, find_workspace
from holdfast.errors import InvalidInput, SwitchedOff
from holdfast.migrate.copy import extent, transfer
from holdfast.model.kinds import SCOPES
from holdfast.model.records import Counts
from holdfast.ports import Progress, Store

WatchScope = Callable[[str, int], contextlib.AbstractContextManager[Progress]]
"""Show the progress of a scope that has so many steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveReport:
    """What a scope's move came to. The counts are those of both ends, and were compared."""

    scope: str
    source: str
    target: str
    moved: int
    """Rows that this run moved; those of an earlier one that was interrupted are not among them."""
    counts: Counts


@dataclass(frozen=True, slots=True)
class Move:
    """A move of a directory's project to a server, or back from there."""

    directory: Path
    host: ServerStore
    back: bool

    def run(self, watch: WatchScope, *, user: bool) -> list[MoveReport]:
        """Move the project's memory and, where wanted, the user's own."""
        reason = find_workspace(self.directory).off()
        if reason:
            raise SwitchedOff(reason=reason)
        return [move for scope in SCOPES[: 2 if user else 1] if (move := self._scope(scope, watch))]

    def _scope(self, scope: str, watch: WatchScope) -> MoveReport | None:
        own, clock = scope != "project", SystemClock()
        here, there = (self.host, None) if self.back else (None, self.host)
        with contextlib.ExitStack() as stack:
            source = open_end(self.directory, here, user=own, create=False, clock=clock)
            if source is None and not own:
                place = self.host.place if self.back else find_workspace(self.directory).embedded.place
                raise InvalidInput(
                    field="--from" if self.back else "--to", problem=f"nothing is at {place} to move."
                )
            if source is None:
                return None
            stack.callback(source.close)
            target = open_end(self.directory, there, user=own, create=True, clock=clock)
            if target is None:
                raise InvalidInput(field="scope", problem="there is no store for user scope here.")
            stack.callback(target.close)
            return self._move_scope(scope, source, target, watch, clock.now())

    def _move_scope(self, scope: str, source: Store, target: Store, watch: WatchScope, now: int) -> MoveReport:
        tenant = EMBEDDED_TENANT if self.back else self.host.tenant
        with watch(scope, extent(source, now)) as progress:
            outcome = transfer(source, target, tenant, now, progress)
        places = source.state().place, target.state().place
        return MoveReport(
            scope=scope, source=places[0], target=places[1], moved=outcome.moved, counts=outcome.counts
        )
