"""How long one statement of an embedded store may take in this thread.

A server has few threads, and one that waits for a statement without end serves nobody else. Whoever runs requests
says how long is long enough; whoever runs statements asks. A person at the machine has no such limit: a cleanup
takes the time that it takes.
"""

import contextlib
import threading

TYPE_CHECKING = False  # typing's own, without importing typing: hooks share this module
if TYPE_CHECKING:
    from collections.abc import Iterator

_of_thread = threading.local()


@contextlib.contextmanager
def statements_within(seconds: float | None) -> "Iterator[None]":
    """Let no statement of this thread take longer; None: as long as it takes."""
    before = statement_limit()
    _of_thread.seconds = seconds
    try:
        yield
    finally:
        _of_thread.seconds = before


def statement_limit() -> float | None:
    """Return how many seconds a statement of this thread may take; None: as many as it takes."""
    return getattr(_of_thread, "seconds", None)
