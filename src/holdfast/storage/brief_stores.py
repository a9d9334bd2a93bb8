"""The stores that a short-lived process reads for one brief: opened as they are, within moments. Light.

`storage.open` opens the same stores for good: it makes, migrates, scrubs and backs up, and reads the whole
configuration for that. Here nothing is made, migrated or moved. A store that cannot be had at once is gone
without, and a trace says why: an agent waits, and must not fail because of its memory.
"""

import os
from typing import TYPE_CHECKING

from holdfast.errors import StoreError, UntrustedStore
from holdfast.machine import environment, failures, paths
from holdfast.machine.paths import is_owned
from holdfast.service.scopes import Scopes
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.stores.weights import POSTINGS_BUDGET

if TYPE_CHECKING:
    from holdfast.ports import Store

BUSY_MS = 20
"""How long another process's lock is waited for, by reads and by the receipt."""

STEP = "brief"
"""What a trace says was tried."""


def open_stores_for_brief(root: str, database: str, postings_budget: int = POSTINGS_BUDGET) -> Scopes:
    """Open the project's store and, when it is asked for, the user's own.

    The project's is opened only if this user made the very file that stands there; the user's own is trusted by
    its place. Where the project's cannot be used an empty one in memory stands in. What can be written is: a
    receipt waits for other writers no longer than a read does.
    """

    def open_user(create: bool) -> "Store | None":
        path = paths.user_database()
        try:
            return _open(path, postings_budget) if os.path.isfile(path) else None
        except StoreError as error:
            failures.leave(STEP, root, error)
            raise

    return Scopes(_project_store(root, database, postings_budget) or SqliteStore.in_memory(), open_user)


def _project_store(root: str, database: str, postings_budget: int) -> "Store | None":
    if not os.path.lexists(database):
        return None
    try:
        if not is_owned(database, os.path.join(paths.data_directory(), "stores")):
            raise UntrustedStore(path=database, problem="you did not make it, or it is damaged")
        return _open(database, postings_budget)
    except StoreError as error:
        failures.leave(STEP, root, error)
        return None


def _open(path: str, postings_budget: int) -> "Store":
    return SqliteStore.open_as_it_is(path, busy_ms=environment.stretch(BUSY_MS), postings_budget=postings_budget)
