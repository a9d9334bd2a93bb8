"""How long reads may take together."""

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """When the reads of a transaction must have ended."""

    milliseconds: int
    end: float
    """On the clock of `time.monotonic`."""

    def left(self) -> float:
        """Return the milliseconds that are left."""
        return (self.end - time.monotonic()) * 1000

    def within(self, outer: "Limit | None") -> "Limit":
        """Return the stricter of two."""
        return outer if outer and outer.end < self.end else self


def limit_of(milliseconds: int) -> Limit:
    """Return a limit that runs from now on."""
    return Limit(milliseconds, time.monotonic() + milliseconds / 1000)
