"""What is known of a store as a whole, and how much there is of what it holds, as changes that are summed up.

No two writers touch the same row of a sum. Almost everything that is asked of a store needs some of the facts, and
each piece alone would be a round trip: they are one statement. A transaction that reads sees one snapshot; one
that writes asks anew after each of its own changes.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from holdfast.stores.postgres.database import Database
    from holdfast.stores.postgres.server import Row

FOLD_FROM = 200
"""How many changes may stand in a row before they are summed up."""

FOLD_MOST = 10_000
"""How many changes one transaction sums up."""

VEC = "vec "
"""How the name begins under which the vectors of a target are counted."""

A_VECTOR = 208
"""About how many bytes a vector takes besides its numbers, in its table and in its index. Measured."""


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


class Stats:
    """The sums of one store, by what is counted."""

    def __init__(self, database: "Database") -> None:
        self._database = database

    def add(self, target: str, documents: int, tokens: int = 0, size: int = 0) -> None:
        """Note by how much something grew."""
        if documents or tokens or size:
            change = {"target": target, "documents": documents, "tokens": tokens, "bytes": size}
            self._database.note_change(change)

    def extent(self, target: str) -> tuple[int, int]:
        """Return documents and tokens of an index."""
        total = self._database.settled.sum_of(target)
        return total.documents, total.tokens

    def numbers(self) -> dict[str, int]:
        """Return how many there are of everything that is counted."""
        return {target: total.documents for target, total in self._database.settled.sums.items()}

    def used(self) -> int:
        """Return about how many bytes rows, postings and vectors take."""
        return max(0, sum(total.bytes for total in self._database.settled.sums.values()))

    def loose(self) -> list[str]:
        """Name what has enough changes to sum up."""
        sums = self._database.settled.sums
        return [target for target, total in sums.items() if total.changes >= FOLD_FROM]

    def fold(self, target: str) -> bool:
        """Sum up the oldest changes; return whether that was done: not when somebody else is at it."""
        with self._database.writing():
            has_lock = self._database.alone(f"fold {target}")
            rows = self._database.all("stat_oldest", {"target": target, "limit": FOLD_MOST}) if has_lock else []
            if rows:
                seqs, documents, tokens, sizes = zip(*rows, strict=True)
                self._database.all("stats_drop", {"target": target, "seqs": list(seqs)})
                change = {"documents": sum(documents), "tokens": sum(tokens), "bytes": sum(sizes)}
                self._database.note_change({"target": target, **change})
        return has_lock

    def drop_vectors(self, target: str, seqs: list[int]) -> None:
        """Let rows lose their vectors."""
        chunks = self._database.all("vectors_gone", {"target": target, "seqs": seqs}) if seqs else []
        total = self._database.facts.sum_of(VEC + target)
        size = round(len(chunks) * total.bytes / max(1, total.documents))  # all are of one length
        self.add(VEC + target, -len(chunks), size=-size)

    def drop_all_vectors(self) -> None:
        """Let every vector go."""
        self._database.all("vectors_drop")
        for target, total in self._database.settled.sums.items():
            if target.startswith(VEC):
                self.add(target, -total.documents, size=-total.bytes)
