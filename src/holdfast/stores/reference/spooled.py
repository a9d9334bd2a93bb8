"""Which entries of hooks' spools the reference store has taken in."""

from collections.abc import Sequence


class ReferenceSpooled:
    """`ports.Spooled` in a dictionary: when each entry was noted, by spool and sequence."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, int], int] = {}

    def claim(self, spool: str, sequence: int, at: int) -> bool:
        if (spool, sequence) in self.rows:
            return False
        self.rows[spool, sequence] = at
        return True

    def noted(self) -> list[tuple[str, int, int]]:
        return sorted((spool, sequence, at) for (spool, sequence), at in self.rows.items())

    def release(self, before: int, present: Sequence[str]) -> None:
        self.rows = {key: at for key, at in self.rows.items() if at >= before or key[0] in present}
