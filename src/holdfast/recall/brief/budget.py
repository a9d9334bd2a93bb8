"""How many tokens a brief may have, and how they are shared between its tiers. Light: shared with hooks.

Lives here: the arithmetic. Must not live here: what a tier holds, and what it leaves to the next (`fill`).
"""

SHARE_OF_REMAINING = 0.08
MOST_OF_REMAINING = 5_000
"""A brief takes this much of the room an agent has left, and never more than this."""

ALWAYS_SHARE, ALWAYS_LEAST, ALWAYS_MOST = 0.08, 200, 400
BRIDGE_SHARE, BRIDGE_LEAST = 0.5, 500
RETRIEVAL_SHARE, RETRIEVAL_LEAST, RETRIEVAL_MOST = 0.325, 300, 1_500
SUMMARIES_MOST = 600

TIERS = ("always", "bridge", "retrieval", "summaries")
"""In the order in which they are filled."""


def total_of(budget: int, remaining: int | None = None, ceiling: int | None = None) -> int:
    """Return the tokens of a whole brief: the budget, or a share of what the agent has left, within a ceiling."""
    total = budget if remaining is None else min(int(remaining * SHARE_OF_REMAINING), MOST_OF_REMAINING)
    return max(0, total if ceiling is None else min(total, ceiling))


def allocate(total: int) -> dict[str, int]:
    """Share a total between the tiers, in the order they are filled; the sum is never more than the total.

    Where space is short, the minimum of every other tier yields to retrieval's.
    """
    share = int(total * ALWAYS_SHARE)
    least = min(ALWAYS_LEAST, max(0, total - RETRIEVAL_LEAST))
    always = min(max(share, least), ALWAYS_MOST)
    rest = total - always
    retrieval = min(max(int(rest * RETRIEVAL_SHARE), RETRIEVAL_LEAST), RETRIEVAL_MOST, rest)
    bridge = min(max(int(rest * BRIDGE_SHARE), BRIDGE_LEAST), rest - retrieval)
    summaries = min(rest - retrieval - bridge, SUMMARIES_MOST)
    return {"always": always, "bridge": bridge, "retrieval": retrieval, "summaries": summaries}


AFTER_RULES = 200
"""What the start of a session keeps for how the last one ended."""


def allocate_start(total: int) -> dict[str, int]:
    """Share the total of a session's start: rules first, and what they leave to what other sessions just learnt
    and how the last one ended."""
    always = allocate(total)["always"]
    rest = min(AFTER_RULES, (total - always) // 3)
    return {"always": always, "rules": total - always - rest, "bridge": rest // 2, "summaries": rest - rest // 2}
