"""Every memory fades by the rules of today: where those changed, or came later than the store, rows follow."""

from holdfast.upkeep.round import Round, Steps

PAGE = 500
PROGRESS_FACT = "refaded_to"
"""Under which name a store remembers how far it came."""


def refade(round_: Round) -> Steps:
    """Bring rows up to the rules, a page in a transaction; an interrupted round goes on where it stopped."""
    upkeep = round_.store.upkeep
    if round_.dry or upkeep.refaded():
        return
    last_number: int | None = int(upkeep.fact(PROGRESS_FACT) or 0)
    while last_number is not None:
        with round_.store.writing(round_.patience_ms):
            last_number = upkeep.refade(last_number, PAGE)
            upkeep.note(PROGRESS_FACT, last_number or 0)
        yield PAGE
