"""Moving a project's memory, and the user's own, between a file and a server.

What is moved from stays as it is. A move that was interrupted is done again, and goes on where it stopped.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from holdfast.compose.open import SystemClock, open_end
from holdfast.compose.postgres import Host
from holdfast.compose.workspace import EMBEDDED, survey
from holdfast.errors import InvalidInput, SwitchedOff
from holdfast.migrate.copy import extent, transfer
from holdfast.model.kinds import SCOPES
from holdfast.model.records import Counts
from holdfast.ports import Progress, Store

Watched = Callable[[str, int], contextlib.AbstractContextManager[Progress]]
"""Show the progress of a scope that has so many steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
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
    host: Host
    back: bool

    def run(self, watched: Watched, *, user: bool) -> list[Moved]:
        """Move the project's memory and, where wanted, the user's own."""
        reason = survey(self.directory).off()
        if reason:
            raise SwitchedOff(reason=reason)
        return [done for scope in SCOPES[: 2 if user else 1] if (done := self._scope(scope, watched))]

    def _scope(self, scope: str, watched: Watched) -> Moved | None:
        own, clock = scope != "project", SystemClock()
        here, there = (self.host, None) if self.back else (None, self.host)
        with contextlib.ExitStack() as stack:
            source = open_end(self.directory, here, user=own, create=False, clock=clock)
            if source is None and not own:
                place = self.host.place if self.back else survey(self.directory).embedded.place
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
            return self._moved(scope, source, target, watched, clock.now())

    def _moved(self, scope: str, source: Store, target: Store, watched: Watched, now: int) -> Moved:
        tenant = EMBEDDED if self.back else self.host.tenant
        with watched(scope, extent(source, now)) as progress:
            done = transfer(source, target, tenant, now, progress)
        places = source.state().place, target.state().place
        return Moved(scope=scope, source=places[0], target=places[1], moved=done.moved, counts=done.counts)
