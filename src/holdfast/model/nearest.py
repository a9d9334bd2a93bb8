"""The names nearest to one that is unknown ("did you mean"), and how far apart two words are. Pure and light."""

from collections.abc import Iterable

MOST_SUGGESTED = 3
_LONGEST = 64
_SHORTEST_PART = 4
"""Fewer letters stand inside too many names."""


def nearest(name: str, names: Iterable[str], most: int = MOST_SUGGESTED) -> list[str]:
    """Return the names that a slip of the finger, or a name half remembered, is nearest to; the nearest first."""
    word = name.strip().lower()[:_LONGEST]
    distances = {candidate: _remoteness(word, candidate.lower()) for candidate in names}
    least = min(distances.values(), default=0)
    limit = least if least <= _most_slips(word) else -1
    likely = [
        candidate for candidate, far in distances.items() if far <= limit or _is_part(word, candidate.lower())
    ]
    return sorted(likely, key=distances.__getitem__)[:most]


def suggestion(name: str, names: Iterable[str], shape: str = "{}", most: int = MOST_SUGGESTED) -> str:
    """Return the nearest names as the end of a question, each in its shape; empty where none is near."""
    return as_question(nearest(name, names, most), shape)


def as_question(names: Iterable[str], shape: str = "{}") -> str:
    """Return names as the end of a question, each in its shape and once."""
    *alternatives, last = ["", *(shape.format(candidate) for candidate in dict.fromkeys(names))]
    return f"{', '.join(alternatives[1:])} or {last}" if alternatives[1:] else last


def _is_part(word: str, candidate: str) -> bool:
    """Say whether one stands in the other: `store.sync`, `budget` in `brief.budget`, `claude` in `claude-code`."""
    if len(min(word, candidate, key=len)) < _SHORTEST_PART:
        return False
    return candidate in word or all(part in candidate for part in word.split("."))


def _remoteness(word: str, candidate: str) -> float:
    """Return how far a name is from what was typed: the whole of it, or, half a slip further, a setting's section
    and one word of its name."""
    whole = slips(word, candidate)
    section, _, name = candidate.partition(".")
    typed_section, _, word = word.partition(".")
    in_word = min(slips(word, part) for part in name.split("_"))
    is_near = len(word) >= _SHORTEST_PART and in_word <= _most_slips(word)
    return min(whole, in_word + slips(typed_section, section) + 0.5) if is_near else whole


def _most_slips(word: str) -> int:
    return max(1, len(word) // 3)


def slips(word: str, other_word: str, most: int = _LONGEST) -> int:
    """Count letters added, dropped, changed or swapped with their neighbour; stop counting above `most`."""
    if abs(len(word) - len(other_word)) > most:
        return most + 1
    older: list[int] = []
    last = list(range(len(other_word) + 1))
    for row, letter in enumerate(word, 1):
        line = [row]
        for column, right in enumerate(other_word, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != right))
            if row > 1 and column > 1 and letter == other_word[column - 2] and word[row - 2] == right:
                cost = min(cost, older[column - 2] + 1)
            line.append(cost)
        if min(line) > most:
            return most + 1
        older, last = last, line
    return last[-1]
