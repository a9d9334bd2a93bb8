"""Where the pages of walks ended: a walk goes on from there though the last row of its page is gone since."""

MOST = 100
"""Pages that are remembered; a walk asks for the last one."""


class Ends:
    """The last rows of pages, with their numbers in the order of arrival."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def note(self, row_id: str, number: int) -> None:
        """Remember where a page ended; of too many the oldest is let go."""
        self._numbers.pop(row_id, None)
        self._numbers[row_id] = number
        while len(self._numbers) > MOST:
            self._numbers.pop(next(iter(self._numbers)), None)

    def of(self, row_id: str | None) -> int | None:
        """Return the number of a row that ended a page."""
        return None if row_id is None else self._numbers.get(row_id)
