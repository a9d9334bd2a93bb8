"""Every memory fades by the rules of today: where those changed, or came later than the store, rows follow."""

from holdfast.upkeep.round import Round, Steps

PAGE = 500
REACHED = "refaded_to"
"""Under which name a store remembers how far it came."""


def refade(round_: Round) -> Steps:
    """Bring rows up to the rules, a page in a transaction; an interrupted round goes on where it stopped."""
    upkeep = round_.store.upkeep
    if round_.dry or upkeep.refaded():
        return
    reached: int | None = int(upkeep.fact(REACHED) or 0)
    while reached is not None:
        with round_.store.writing(round_.patience_ms):
            reached = upkeep.refade(reached, PAGE)
            upkeep.note(REACHED, reached or 0)
        yield PAGE
