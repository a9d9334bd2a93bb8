"""A line at a terminal that says how far something is: how many, of how many, how fast, how long it will take."""

import shutil
import time
from collections import deque
from collections.abc import Callable
from typing import TextIO

EVERY_SECONDS = 0.1
"""How often the line is written anew; the last one always is."""

LOOKED_BACK_SECONDS = 15.0
"""The rate is that of the last seconds: texts of one sort come together, and others take longer."""

_FULL, _EMPTY, _BAR_COLUMNS = "█", "░", 20


class ProgressBar:
    """One line on a stream, written over and over."""

    def __init__(
        self, stream: TextIO, label: str, total: int, aside: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._label = label
        self._total = total
        self._aside = aside
        self._clock = clock
        self._begun = clock()
        self._done = 0
        self._written_at = self._begun
        self._width = 0
        self._marks: deque[tuple[float, int]] = deque([(self._begun, 0)])
        self._write(self.text())

    def update(self, count: int) -> None:
        """Say that this many more are done."""
        now = self._clock()
        self._done += count
        self._marks.append((now, self._done))
        while len(self._marks) > 2 and self._marks[1][0] <= now - LOOKED_BACK_SECONDS:
            self._marks.popleft()
        if now - self._written_at >= EVERY_SECONDS:
            self._written_at = now
            self._write(self.text())

    def close(self) -> None:
        """Leave a last line that says how it ended."""
        self._write(f"{self._label}: {self._done:,} in {duration(self._clock() - self._begun)}")
        self._stream.write("\n")
        self._stream.flush()

    def text(self) -> str:
        """Return the line as it is now."""
        total = max(self._total, self._done)  # more may have come meanwhile
        full = _BAR_COLUMNS * self._done // total if total else 0
        parts = [f"{self._label} {_FULL * full}{_EMPTY * (_BAR_COLUMNS - full)} {self._done:,} of {total:,}"]
        (then, before), (now, done) = self._marks[0], self._marks[-1]
        if now > then and done > before:
            rate = (done - before) / (now - then)
            parts += [f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.1f} a second"]
            parts += [f"{duration((total - done) / rate)} left"] if done < total else []
        return ", ".join(parts) + (f"; {self._aside}" if self._aside else "")

    def _write(self, line: str) -> None:
        room = shutil.get_terminal_size().columns - 1
        encoding = getattr(self._stream, "encoding", None) or "ascii"
        line = line.encode(encoding, "replace").decode(encoding)[:room]
        self._stream.write(f"\r{line:<{min(room, self._width)}}")
        self._stream.flush()
        self._width = len(line)


def duration(seconds: float) -> str:
    """Return a length of time for people."""
    if seconds < 90:
        return f"{max(seconds, 0):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"
