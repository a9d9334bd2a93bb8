"""How much there is of what a store holds, as changes that are summed up: no two writers touch the same row."""

from holdfast.stores.postgres.connection import Database

FOLD_FROM = 200
"""How many changes may stand in a row before they are summed up."""

FOLD_MOST = 10_000
"""How many changes one transaction sums up."""


class Stats:
    """The sums of one store, by what is counted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, target: str, documents: int, tokens: int = 0, size: int = 0) -> None:
        """Note by how much something grew."""
        if documents or tokens or size:
            change = {"target": target, "documents": documents, "tokens": tokens, "bytes": size}
            self._database.all("stat_add", change)

    def extent(self, target: str) -> tuple[int, int]:
        """Return documents and tokens of an index."""
        documents, tokens, _ = self._database.all("stat_sum", {"target": target})[0]
        return documents, tokens

    def numbers(self) -> dict[str, int]:
        """Return how many there are of everything that is counted."""
        return {target: number for target, number, _, _ in self._database.all("stat_totals")}

    def used(self) -> int:
        """Return about how many bytes rows, postings and vectors take."""
        sizes: list[int] = [size for _, _, size, _ in self._database.all("stat_totals")]
        return max(0, sum(sizes))

    def loose(self) -> list[str]:
        """Name what has enough changes to sum up."""
        return [target for target, _, _, changes in self._database.all("stat_totals") if changes >= FOLD_FROM]

    def fold(self, target: str) -> bool:
        """Sum up the oldest changes; return whether that was done: not when somebody else is at it."""
        with self._database.writing():
            has_lock = self._database.alone(f"fold {target}")
            if has_lock:
                self._database.all("stat_fold", {"target": target, "limit": FOLD_MOST})
        return has_lock
