"""What was done, as the audit logs of both scopes hold it: read, followed, and checked for gaps."""

from holdfast.model import limits
from holdfast.model.records import Event, EventFilters, LogCheck, LogPart
from holdfast.ports import Clock
from holdfast.service.scopes import Scopes


class EventLog:
    """The logs of a service's stores."""

    def __init__(self, scopes: Scopes, clock: Clock) -> None:
        self._scopes = scopes
        self._clock = clock

    def events(self, filters: EventFilters, scope: str) -> list[Event]:
        """Return what was done, newest first; empty where the scope has no store."""
        events = [
            event for store in self._scopes.within(scope) for event in store.audit.events(limits.AUDIT_EVENTS)
        ]
        return [event for event in events if filters.fit(event)][: filters.limit]

    def after(self, number: int | None, limit: int) -> LogPart:
        """Return what was done in the project after an event; None: nothing, and where to go on from."""
        log = self._scopes.project.audit
        first, last = log.span()
        if number is None:
            return LogPart(events=(), last=last)
        numbered_events = tuple(log.after(number, limit))
        return LogPart(
            events=numbered_events,
            last=numbered_events[-1][0] if numbered_events else number,
            gap=number < first - 1,
        )

    def check(self, scope: str) -> LogCheck:
        """Follow the chain of a log from its anchor to its end."""
        events = broken_at = None
        for store in self._scopes.within(scope):
            broken_at = store.audit.broken_at()
            events = store.counts(self._clock.now()).audit_events
        return LogCheck(events=events or 0, broken_at=broken_at)
