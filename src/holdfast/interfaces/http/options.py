"""The options of a server: where, whose, and how much of everything."""

from dataclasses import dataclass
from pathlib import Path

from holdfast.interfaces.http.access import Names


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """How much one request, one token and one process may take."""

    body_bytes: int = 4_194_304
    concurrency: int = 256
    """Requests under way in one process; more are asked to come again."""
    threads: int = 2
    """Requests that are worked on at once in one process."""
    request_s: float = 30.0
    patience_s: float = 10.0
    """How long a client may take for its headers, and again for its body."""
    idle_s: float = 60.0
    """How long a connection without a request is kept."""
    stopping_s: int = 10
    """How long requests under way may take when the server stops."""
    streams: int = 64
    """Streams of events in one process."""

    @property
    def most_of_one_token(self) -> int:
        """Requests that one token may have under way in one process: half, so that there is room for others."""
        return max(1, self.concurrency // 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One server."""

    directory: Path
    names: Names
    limits: RequestLimits
    shared: Path
    """A folder of this server: counters and the keys of tabs lie in it."""
    local: bool = False
    """Whether it is `holdfast view`: for who started it, and nobody else."""
