"""Which store holds what: the project's own, and the user's, which is made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from holdfast.errors import AmbiguousId, InvalidInput, StoreError, UnknownId
from holdfast.model.ids import is_full_id, short_id, slips, tail_of

if TYPE_CHECKING:
    from holdfast.model.inbox import Proposal
    from holdfast.model.memory import Conflict, Memory
    from holdfast.model.session import Session
    from holdfast.ports import Store

    OpenUser = Callable[[bool], Store | None]

    """Open the user's store; the flag says whether to make it. None when it is not there and not made."""

T = TypeVar("T")

T_co = TypeVar("T_co", covariant=True)


class RowsById(Protocol[T_co]):
    """What people name by the end of an id."""

    def ending(self, tail: str) -> list[str]: ...
    def get(self, full: str, /) -> T_co | None: ...


EVERYWHERE = "everywhere"
"""The scope of a search over all projects of this user."""


class Elsewhere(Struct, frozen=True):
    """The store of another project, opened to look only, and where that project lies."""

    place: str
    store: Store


class Scopes:
    """The stores one service works on."""

    def __init__(
        self,
        project: Store,
        open_user: OpenUser = lambda create: None,
        open_others: Callable[[], Sequence[Elsewhere]] = lambda: (),
    ) -> None:
        self.project = project
        self._open_user = open_user
        self._open_others = open_others
        self._user: Store | None = None
        self.user_error: StoreError | None = None
        """Why the user's store cannot be used, when it cannot: the project's memory works without it."""

    @property
    def user(self) -> Store | None:
        """The user's store, if there is one that can be used."""
        if self._user is None and self.user_error is None:
            try:
                self._user = self._open_user(False)
            except StoreError as error:
                self.user_error = error
        return self._user

    @property
    def opened(self) -> list[Store]:
        """The stores that somebody needed so far."""
        return [self.project, self._user] if self._user else [self.project]

    @property
    def present(self) -> list[Store]:
        """Every store there is, the project's first."""
        user = self.user
        return [self.project, user] if user else [self.project]

    def one_by_one(self) -> Iterator[Store]:
        """Go through every store there is, the project's first; the user's is looked for only then."""
        yield self.project
        if user := self.user:
            yield user

    @cached_property
    def others(self) -> Sequence[Elsewhere]:
        """The stores of this user's other projects."""
        return self._open_others()

    def within(self, scope: str | None) -> list[Store]:
        """Every store there is, or the one of a scope, if that is there."""
        if scope is None:
            return self.present
        if scope == EVERYWHERE:
            return [*self.present, *(other_project.store for other_project in self.others)]
        return [self.project] if scope == "project" else self.present[1:]

    def of(self, scope: str) -> Store:
        """Return the store for a scope, made if it is not there yet."""
        if scope == "project":
            return self.project
        if self._user is None:
            self._user = self._open_user(True)
        if self._user is None:
            raise InvalidInput(field="scope", problem="there is no store for user scope here.")
        return self._user

    def full_id(self, text: str, field: str = "id") -> str | None:
        """Return the whole id for what a caller typed, or None when nothing fits."""
        if not isinstance(text, str):
            raise InvalidInput(field=field, problem=f"must be an id as text, not {type(text).__name__}.")
        if is_full_id(text):
            return text
        tail = tail_of(text)
        full_ids = [full for store in self.present for full in store.memories.ending(tail)] if tail else []
        if len(full_ids) > 1:
            raise AmbiguousId(field=field, id=_echo(text), matches=", ".join(sorted(full_ids)))
        return full_ids[0] if full_ids else None

    def find(self, text: str, field: str = "id") -> tuple[Store, Memory]:
        """Return a memory with its store; the id may be short."""
        full = self.full_id(text, field)
        for store in self.one_by_one() if full else ():
            for memory in store.memories.get([full] if full else []):
                return store, memory
        raise UnknownId(noun="memory", id=_echo(text), near=self.near(text))

    def conflicts(self, now: int, ids: Sequence[str] = ()) -> list[Conflict]:
        """Return unresolved conflicts between memories that hold, newest first, each with its marker."""
        return [
            self._with_marker(store, conflict)
            for store in self.present
            for conflict in store.conflicts.unresolved(now, ids)
        ]

    def _with_marker(self, store: Store, conflict: Conflict) -> Conflict:
        from holdfast.model.memory import marker

        first, second = store.memories.get([conflict.first, conflict.second])
        return replace(conflict, marker=marker(first, self.short(first.id), second, self.short(second.id)))

    def conflict(self, text: str) -> tuple[Store, Conflict]:
        """Return a conflict with its store; the id may be short."""
        return self._find_row("conflict", text, lambda store: store.conflicts)

    def proposal(self, text: str) -> tuple[Store, Proposal]:
        """Return a proposal with its store; the id may be short."""
        return self._find_row("proposal", text, lambda store: store.proposals)

    def _find_row(self, noun: str, text: str, rows_of: Callable[[Store], RowsById[T]]) -> tuple[Store, T]:
        """Return what has an id, which may be short, with its store."""
        tail = tail_of(text) if isinstance(text, str) else None
        ids = {full: store for store in self.present for full in (rows_of(store).ending(tail) if tail else ())}
        if len(ids) > 1:
            raise AmbiguousId(field=noun, id=_echo(text), matches=", ".join(sorted(ids)))
        for full, store in ids.items():
            row = rows_of(store).get(full)
            if row is not None:
                return store, row
        raise UnknownId(noun=noun, id=_echo(text))

    def near(self, text: str) -> str | None:
        """Return the short id that a caller may have meant, when there is just one."""
        candidate_tails = slips(text)
        full_ids = {
            full for store in self.present for tail in candidate_tails for full in store.memories.ending(tail)
        }
        return self.short(full_ids.pop()) if len(full_ids) == 1 else None

    def session(self, text: str) -> Session:
        """Return a session; the id may be short."""
        from holdfast.capture.check import check_name  # a brief knows its session by its whole id

        check_name("session", text)
        sessions = self.project.sessions
        session = sessions.get(text)
        tails = sessions.ending(tail) if not session and (tail := tail_of(text)) else []
        if len(tails) > 1:
            raise AmbiguousId(field="session", id=_echo(text), matches=", ".join(sorted(tails)))
        session = session or (sessions.get(tails[0]) if tails else None)
        if session is None:
            candidate_ids = {full for tail in slips(text) for full in sessions.ending(tail)}
            suggestion = self.short_session(candidate_ids.pop()) if len(candidate_ids) == 1 else None
            raise UnknownId(noun="session", id=_echo(text), near=suggestion)
        return session

    def short_session(self, full: str) -> str:
        """Return the short id people see for a session."""
        return short_id(full, self.project.sessions.ending(full[-8:]))

    def short(self, full: str) -> str:
        """Return the short id people see."""
        rivals = [
            memory_id for store in self.present for memory_id in store.memories.ending(tail_of(full[-8:]) or "")
        ]
        return short_id(full, rivals)

    def close(self) -> None:
        """Let go of every store."""
        self.project.close()
        if self._user is not None:
            self._user.close()
        for other_project in self.__dict__.get("others", ()):
            other_project.store.close()


def _echo(text: object) -> object:
    """Return what a caller typed as an error may repeat it."""
    from holdfast.capture.text.clean import echo  # only who mistypes waits for the rules on secrets

    return echo(text)
