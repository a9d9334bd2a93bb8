"""Names of what is kept about a rule at the act: its guard, its touch points, and what became of calls. Light."""

GUARD, TOUCH, COUNTS = KEPT = ("guard", "touch", "acts")
"""Names in a memory's metadata. Only the verbs of `service.act` write them."""

TELL, ASK, DENY = STRENGTHS = ("tell", "ask", "deny")

TOLD, ASKED, REFUSED, PASSED, RAN, CHANGED = ("told", "asked", "refused", "passed", "ran", "changed")
"""What became of a call: its rule was told, the person asked, it was refused, it passed when it was said again;
and then it ran as proposed, or otherwise. Of what was not told again nothing is known: it did not run."""

DAYS_KEPT = 14

Counts = dict[str, object]


def counted(counts: "dict[str, object]", fate: str, at: int, day: str) -> Counts:
    """Return a rule's counts after one more event."""
    after: Counts = dict(counts)
    after[fate] = number(after, fate) + 1
    after["last"] = at
    if fate in (RAN, PASSED) and "first" not in after:
        after["first"] = at
    days = after.get("days")
    known_days = dict(days) if isinstance(days, dict) else {}
    told_count, broken_count = known_days.get(day, (0, 0))
    known_days[day] = [told_count + (fate in (TOLD, ASKED, REFUSED)), broken_count + (fate == RAN)]
    after["days"] = {name: known_days[name] for name in sorted(known_days)[-DAYS_KEPT:]}
    return after


def number(counts: "dict[str, object]", name: str) -> int:
    """Return one of a rule's counts."""
    value = counts.get(name)
    return value if isinstance(value, int) else 0


def told_of(counts: Counts) -> int:
    """Return at how many calls a rule was told, asked about or enforced."""
    return sum(number(counts, fate) for fate in (TOLD, ASKED, REFUSED))


def broken_of(counts: Counts) -> int:
    """Return how many of these calls ran as they were proposed."""
    return min(number(counts, RAN), told_of(counts))
