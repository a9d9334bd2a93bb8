"""What waits for vectors in the stores of a service: for who leaves it, and for who works it off later."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from holdfast.agents import spool
from holdfast.machine import detached, failures
from holdfast.ports import Progress, Store
from holdfast.service.scopes import Scopes
from holdfast.upkeep.embed import Embeddings

STEP = "embed"
"""What a trace says was tried."""

_HOPELESS_FILE = "embedding.left"
"""How many rows waited in each store when a try ended without making any vector: `project 3`, `user 1`."""

_RETRY_SECONDS = 600.0
"""How long rows that could not be embedded are left alone, unless more have come."""


def start(root: str, backlog: "dict[str, int]") -> None:
    """Start the worker for a project in whose opened stores so many rows wait; never raises."""
    try:
        if any(backlog.values()) and not is_hopeless(spool.prepare(root), backlog):
            detached.start_worker(root)
    except OSError as error:
        failures.leave(STEP, root, error)


def is_hopeless(folder: str, backlog: "dict[str, int]") -> bool:
    """Say whether nothing waits but rows that could not be embedded a short while ago.

    Each store is compared with itself: what cannot be embedded in one holds up nothing in the other.
    """
    hopeless = _hopeless(folder)
    return all(rows <= hopeless.get(store, 0) for store, rows in backlog.items())


def note_hopeless(folder: str, backlog: "dict[str, int]") -> None:
    """Note in a project's folder how many rows of each store could not be embedded."""
    with open(os.path.join(folder, _HOPELESS_FILE), "w", encoding="ascii") as file:
        file.writelines(f"{store} {rows}\n" for store, rows in backlog.items())


def note_success(folder: str) -> None:
    """Note that vectors can be made: what could not be embedded before is tried again."""
    try:
        os.unlink(os.path.join(folder, _HOPELESS_FILE))
    except FileNotFoundError:
        return  # nothing was noted


def _hopeless(folder: str) -> "dict[str, int]":
    """Return how many rows of each store could not be embedded a short while ago."""
    path = os.path.join(folder, _HOPELESS_FILE)
    try:
        if os.stat(path).st_mtime < time.time() - _RETRY_SECONDS:
            return {}
        with open(path, encoding="ascii") as file:
            return {store: int(rows) for store, rows in map(str.split, file)}
    except (OSError, ValueError):
        return {}


class VectorBacklog:
    """Rows without vectors that may be made in the background."""

    def __init__(
        self, root: Path | None, scopes: Scopes, embeddings: Embeddings, off: Callable[[], str | None]
    ) -> None:
        self._root = root
        self._scopes = scopes
        self._embeddings = embeddings
        self._off = off

    @property
    def can_be_made(self) -> bool:
        """Whether there is anything that makes vectors."""
        return self._embeddings.model is not None

    def by_store(self) -> dict[str, int]:
        """Count them in every store there is, each by itself."""
        return self._count(self._scopes.present)

    def leave(self) -> None:
        """Let a process in the background see to those in the stores that were needed so far.

        Who was quick must not open another store for this.
        """
        if self._root is not None:
            start(str(self._root), self._count(self._scopes.opened))

    def work_off(self, go_on: Callable[[], bool]) -> int:
        """Make their vectors, newest first, as long as that goes on; return of how many rows."""
        counts: list[int] = []
        for store in self._unfinished_stores(self._scopes.present):
            self._embeddings.catch_up(store, go_on, counts.append)
        return sum(counts)

    def make_now(self, go_on: Callable[[], bool], progress: Progress) -> None:
        """Make vectors of what waits in the stores that were needed, here and now, as long as that goes on."""
        for store in self._scopes.opened if not self._off() else ():
            if store.state().read_only is None:
                self._embeddings.catch_up(store, go_on, progress)

    def _count(self, stores: list[Store]) -> dict[str, int]:
        return {
            self._name(store): sum(store.vectors.waiting().values()) for store in self._unfinished_stores(stores)
        }

    def _name(self, store: Store) -> str:
        return "project" if store is self._scopes.project else "user"

    def _unfinished_stores(self, stores: list[Store]) -> list[Store]:
        if self._off():
            return []
        return [store for store in stores if store.state().read_only is None and self._embeddings.left(store)]
