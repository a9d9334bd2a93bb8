"""Which columns a document is indexed by, and how much a word in each counts. Light: shared with hooks."""

MEMORY_COLUMNS = (
    ("content", 2.0),
    ("title", 2.0),
    ("tags", 1.5),
    ("files", 1.2),
    ("context", 1.0),
    ("kind", 1.0),
    ("identifiers", 1.0),
)
TURN_COLUMNS = (
    ("text", 1.0),
    ("files", 1.2),
    ("speaker", 1.0),
    ("identifiers", 0.5),
    ("day", 1.0),
)

MEMORY_WEIGHTS = tuple(weight for _, weight in MEMORY_COLUMNS)
TURN_WEIGHTS = tuple(weight for _, weight in TURN_COLUMNS)

POSTINGS_BUDGET = 20_000
"""How many index entries one query may read; past it the most frequent terms are left out."""


def affordable(frequencies: list[int], budget: int) -> list[bool]:
    """Say which terms to look for: rarest first while the budget lasts, and the rarest there is always."""
    flags = [False] * len(frequencies)
    cost = 0
    for position in sorted(range(len(frequencies)), key=lambda place: frequencies[place]):
        if cost and cost + frequencies[position] > budget:
            break
        cost += frequencies[position]
        flags[position] = True
    return flags
