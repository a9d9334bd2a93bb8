"""The words of a session's turns taken together, as one document. Shared by every backend."""

import math
from collections.abc import Iterable, Sequence

from holdfast.model.kinds import AGENT_ROLES
from holdfast.model.search import Candidate, Matches, Term
from holdfast.model.session import Turn

Row = tuple[str, str, int, int, float]
"""A session's id, an index form, its size, whether it passes the filters, how often the form stands in it."""

A_PERSONS_SHARE = 10
"""How many times a person's character counts in the size of a session. An agent writes nine tenths of it and would
drown what the user said; `sessions_match` of the queries counts a tenth of an agent's word in the same way."""


def turn_size(turn: Turn) -> int:
    """Return what a turn adds to the size of its session; the embedded schema sums up the same."""
    return len(turn.text) * (1 if turn.role.lower() in AGENT_ROLES else A_PERSONS_SHARE)


def gather_matches(
    terms: Sequence[Term], search_flags: Sequence[bool], rows: Iterable[Row], extent: tuple[int, int], limit: int
) -> Matches:
    """Make matches of sessions: the best by plain weight of the words they hold, in the order they were made."""
    places = {term.stem: place for place, term in enumerate(terms)}
    frequencies_by_session: dict[str, list[float]] = {}
    sizes: dict[str, int] = {}
    holding = [0] * len(terms)
    for session, stem, size, passes, frequency in rows:
        holding[places[stem]] += 1
        if passes:
            sizes[session] = size
            frequencies_by_session.setdefault(session, [0.0] * len(terms))[places[stem]] = frequency
    documents, size = extent
    rarity = [math.log(1 + (documents - count + 0.5) / (count + 0.5)) for count in holding]
    worth = {
        session: sum(weight for weight, often in zip(rarity, frequencies, strict=True) if often)
        for session, frequencies in frequencies_by_session.items()
    }
    best = sorted(frequencies_by_session, key=lambda session: -worth[session])[:limit]
    return Matches(
        documents=documents,
        tokens=size if best else 0,
        document_frequencies=tuple(holding),
        searched=tuple(search_flags),
        candidates=tuple(
            Candidate(session, tuple(frequencies_by_session[session]), sizes[session]) for session in best
        ),
    )
