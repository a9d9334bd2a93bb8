"""What somebody may have meant by a name that is none: the one home of "did you mean". Pure and light."""

from collections.abc import Iterable

MOST_SUGGESTED = 3
_LONGEST = 64
_SHORTEST_PART = 4
"""Fewer letters stand inside too many names."""


def nearest(name: str, names: Iterable[str], most: int = MOST_SUGGESTED) -> list[str]:
    """Return the names that a slip of the finger, or a name half remembered, is nearest to; the nearest first."""
    typed = name.strip().lower()[:_LONGEST]
    distances = {known: _remoteness(typed, known.lower()) for known in names}
    least = min(distances.values(), default=0)
    limit = least if least <= _most_slips(typed) else -1
    likely = [known for known, far in distances.items() if far <= limit or _is_part(typed, known.lower())]
    return sorted(likely, key=distances.__getitem__)[:most]


def suggestion(name: str, names: Iterable[str], shape: str = "{}", most: int = MOST_SUGGESTED) -> str:
    """Return the nearest names as the end of a question, each in its shape; empty where none is near."""
    return as_question(nearest(name, names, most), shape)


def as_question(names: Iterable[str], shape: str = "{}") -> str:
    """Return names as the end of a question, each in its shape and once."""
    *others, last = ["", *(shape.format(known) for known in dict.fromkeys(names))]
    return f"{', '.join(others[1:])} or {last}" if others[1:] else last


def _is_part(typed: str, known: str) -> bool:
    """Say whether one stands in the other: `store.sync`, `budget` in `brief.budget`, `claude` in `claude-code`."""
    if len(min(typed, known, key=len)) < _SHORTEST_PART:
        return False
    return known in typed or all(part in known for part in typed.split("."))


def _remoteness(typed: str, known: str) -> float:
    """Return how far a name is from what was typed: the whole of it, or, half a slip further, a setting's section
    and one word of its name."""
    whole = _distance(typed, known)
    section, _, name = known.partition(".")
    typed_section, _, word = typed.partition(".")
    slips = min(_distance(word, part) for part in name.split("_"))
    is_near = len(word) >= _SHORTEST_PART and slips <= _most_slips(word)
    return min(whole, slips + _distance(typed_section, section) + 0.5) if is_near else whole


def _most_slips(typed: str) -> int:
    return max(1, len(typed) // 3)


def _distance(first: str, second: str) -> int:
    """Return how many letters were left out, added, mistaken or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(second) + 1))
    for at, letter in enumerate(first, 1):
        last, before, row = before, row, [at]
        for place, other in enumerate(second, 1):
            step = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != other))
            if at > 1 and place > 1 and letter == second[place - 2] and first[at - 2] == other:
                step = min(step, last[place - 2] + 1)
            row.append(step)
    return row[-1]
