"""What waits for vectors in the stores of a service: for who leaves it, and for who works it off later."""

from collections.abc import Callable
from pathlib import Path

from holdfast.ports import Progress, Store
from holdfast.service import backfill_process
from holdfast.service.scopes import Scopes
from holdfast.upkeep.embed import Embeddings


class VectorBacklog:
    """Rows without vectors that may be made in the background."""

    def __init__(
        self, root: Path | None, scopes: Scopes, embeddings: Embeddings, off: Callable[[], str | None]
    ) -> None:
        self._root = root
        self._scopes = scopes
        self._embeddings = embeddings
        self._off = off

    def by_store(self) -> dict[str, int]:
        """Count them in every store there is, each by itself."""
        return self._count(self._scopes.present)

    def leave(self) -> None:
        """Let a process in the background see to those in the stores that were needed so far.

        Who was quick must not open another store for this.
        """
        if self._root is not None:
            backfill_process.start(str(self._root), self._count(self._scopes.opened))

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
