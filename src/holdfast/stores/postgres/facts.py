"""What a transaction knows of its store as a whole, read in one statement: notes, sums, aliases, what waits.

Almost everything that is asked of a store needs some of it, and each piece alone would be a round trip. A
transaction that reads sees one snapshot; one that writes asks anew after each of its own changes.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from holdfast.stores.postgres.pool import Row


class Sum(NamedTuple):
    """How much there is of something, as the sum of changes."""

    documents: int = 0
    tokens: int = 0
    bytes: int = 0
    changes: int = 0


class Facts(NamedTuple):
    """What is known of a store as a whole."""

    notes: dict[str, str]
    """What it remembers about itself."""
    sums: dict[str, Sum]
    """By what is counted."""
    aliases: tuple[tuple[str, str], ...]
    """Words and what else they are called, in the order of the alphabet."""
    waiting: frozenset[str]
    """Of which targets rows wait for vectors."""
    tombstones: int

    def sum_of(self, target: str) -> Sum:
        """Return how much there is of something."""
        return self.sums.get(target, Sum())


def facts_from(rows: "Iterable[Row]") -> Facts:
    """Read the answer to `place_facts`: what a row is about, a name, a text, numbers."""
    notes, sums, aliases, waiting = {}, {}, [], set()
    tombstones = 0
    for about, name, text, numbers in rows:
        match about:
            case "note":
                notes[name] = text
            case "sum":
                sums[name] = Sum(*numbers)
            case "alias":
                aliases.append((name, text))
            case "waits":
                waiting.add(name)
            case _:
                [tombstones] = numbers
    return Facts(notes, sums, tuple(sorted(aliases)), frozenset(waiting), tombstones)
