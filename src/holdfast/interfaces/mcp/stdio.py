"""The client's two pipes: lines in, lines out, for the whole life of the process. Light: stdlib only.

Whatever else the process prints goes to standard error, so that nothing but messages reaches the client.
"""

import os
import select
import sys
import threading

LONGEST = 4 * 1024 * 1024
"""Bytes of one message; a memory has 64 KiB at most."""
PORTION = 65_536
WATCH_S = 2.0
"""How often to look whether the client is still there: a killed one may leave the pipe open in another child."""


class TooLong(Exception):
    """A message of more bytes than any there should be; it was read to its end and dropped."""


class Wire:
    """Standard input and output, taken over."""

    def __init__(self) -> None:
        self._parent = os.getppid()
        self._source, self._sink = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self._write_lock = threading.Lock()
        self._rest = b""
        self._skipping = False
        self.gone = False
        """Whether the client takes no more answers."""

    def line(self, patience: "float | None" = None) -> "bytes | None":
        """Return the next line; empty when none came in time, None when no more will."""
        while b"\n" not in self._rest:
            if len(self._rest) > LONGEST:
                self._rest, self._skipping = b"", True
            if not self._readable(patience):
                return None if self.gone else b""
            portion = os.read(self._source, PORTION)
            if not portion:
                return self._last()
            self._rest += portion
        line, _, self._rest = self._rest.partition(b"\n")
        if self._skipping or len(line) > LONGEST:
            self._skipping = False
            raise TooLong
        return line

    def send(self, text: str) -> None:
        """Write one message, whole; that the client is gone is no error."""
        line = text.encode("utf-8", errors="replace") + b"\n"
        with self._write_lock:
            try:
                while line and not self.gone:
                    line = line[os.write(self._sink, line) :]
            except OSError:
                self.gone = True

    def _readable(self, patience: "float | None") -> bool:
        """Wait until there is something to read; False when it takes too long or the client has died."""
        if sys.platform == "win32":  # no waiting for a pipe there; reading it waits
            return True
        while not select.select([self._source], [], [], WATCH_S if patience is None else patience)[0]:
            self.gone = os.getppid() != self._parent
            if self.gone or patience is not None:
                return False
        return True

    def _last(self) -> "bytes | None":
        """Return what stands after the last line end, if anything does."""
        line, self._rest = self._rest, b""
        return line if line.strip() and not self._skipping else None
