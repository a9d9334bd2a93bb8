"""Which store holds what: the project's own, and the user's, which is made when it is first needed."""

from collections.abc import Callable

from holdfast.capture.clean import echo
from holdfast.errors import AmbiguousId, InvalidInput, UnknownId
from holdfast.model.conflict import Conflict
from holdfast.model.ids import is_full_id, short_id, tail_of
from holdfast.model.memory import Memory
from holdfast.ports import Store

OpenUser = Callable[[bool], Store | None]
"""Open the user's store; the flag says whether to make it. None when it is not there and not made."""


class Scopes:
    """The stores one service works on."""

    def __init__(self, project: Store, open_user: OpenUser = lambda create: None) -> None:
        self.project = project
        self._open_user = open_user
        self._user: Store | None = None

    @property
    def user(self) -> Store | None:
        """The user's store, if there is one."""
        if self._user is None:
            self._user = self._open_user(False)
        return self._user

    @property
    def present(self) -> list[Store]:
        """Every store there is, the project's first."""
        user = self.user
        return [self.project, user] if user else [self.project]

    def of(self, scope: str) -> Store:
        """Return the store for a scope, made if it is not there yet."""
        if scope == "project":
            return self.project
        if self._user is None:
            self._user = self._open_user(True)
        return self._user or self.project

    def full_id(self, text: str, field: str = "id") -> str | None:
        """Return the whole id for what a caller typed, or None when nothing fits."""
        if not isinstance(text, str):
            raise InvalidInput(field=field, problem=f"must be an id as text, not {type(text).__name__}.")
        if is_full_id(text):
            return text
        tail = tail_of(text)
        found = [full for store in self.present for full in store.memories.ending(tail)] if tail else []
        if len(found) > 1:
            raise AmbiguousId(field=field, id=echo(text), matches=", ".join(sorted(found)))
        return found[0] if found else None

    def find(self, text: str, field: str = "id") -> tuple[Store, Memory]:
        """Return a memory with its store; the id may be short."""
        full = self.full_id(text, field)
        for store in self.present if full else []:
            for memory in store.memories.get([full] if full else []):
                return store, memory
        raise UnknownId(noun="memory", id=echo(text))

    def conflict(self, text: str) -> tuple[Store, Conflict]:
        """Return a conflict with its store; the id may be short."""
        tail = tail_of(text) if isinstance(text, str) else None
        ids = {full: store for store in self.present for full in (store.conflicts.ending(tail) if tail else ())}
        if len(ids) > 1:
            raise AmbiguousId(field="conflict", id=echo(text), matches=", ".join(sorted(ids)))
        for full, store in ids.items():
            if found := store.conflicts.get(full):
                return store, found
        raise UnknownId(noun="conflict", id=echo(text))

    def short(self, full: str) -> str:
        """Return the short id people see."""
        rivals = [other for store in self.present for other in store.memories.ending(tail_of(full[-8:]) or "")]
        return short_id(full, rivals)

    def close(self) -> None:
        """Let go of every store."""
        self.project.close()
        if self._user is not None:
            self._user.close()
