"""Indexing in the background of a long-lived process: `start` when it begins, `stop` when it ends."""

import contextlib
import threading
from collections.abc import Callable

from holdfast.errors import HoldfastError
from holdfast.ingest.files.index import Index
from holdfast.ingest.files.watch import Watch
from holdfast.model.ingest import Indexed

OpenIndex = Callable[[], "contextlib.AbstractContextManager[Index]"]

PATIENCE_S = 5.0
"""How long stopping waits for a file that is being read."""


class AutoIndex:
    """A thread that watches a project with a connection of its own."""

    def __init__(
        self, open_index: OpenIndex, on_indexed: Callable[[Indexed], None] = lambda outcome: None
    ) -> None:
        self._open_index = open_index
        self._on_indexed = on_indexed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="holdfast-index", daemon=True)
        self.problem: str | None = None
        """Why it ended by itself, when it did: the server goes on without it."""

    def start(self) -> None:
        """Begin watching."""
        self._thread.start()

    def stop(self) -> None:
        """End watching, after the file that is being read."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(PATIENCE_S)

    def _run(self) -> None:
        try:
            with self._open_index() as index:
                Watch(index, self._stop, self._on_indexed).run()
        except (HoldfastError, OSError) as error:
            self.problem = str(error)
