"""Room is given back: indexes put together and free pages returned, in slices, while others read and write."""

from holdfast.model.records import Event
from holdfast.upkeep.round import Round, Steps

PAGES = 512
"""Pages returned in one transaction: 2 MB."""


def compact(round_: Round) -> Steps:
    """Give room back after something was removed, until there is none left to give."""
    upkeep = round_.store.upkeep
    if round_.dry or not (round_.ledger.removed or upkeep.untidy()):
        return
    while upkeep.compact(PAGES):
        yield 1
    with round_.store.writing(round_.patience_ms):
        round_.store.audit.record(Event(action="compact", actor=round_.actor, at=round_.now, ids=()))
        upkeep.note("compacted_at", round_.now)
    yield 1
