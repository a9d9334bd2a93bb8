"""What an operation is: an address, a scope, what it takes and returns, and the verb behind it."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import ConfigDict

from holdfast.service.service import Service

R = TypeVar("R")


class Arguments:
    """What an operation takes: a frozen value whose fields come from the path, the query or the body."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing(Arguments):
    """Nothing is needed."""


@dataclass(frozen=True, kw_only=True)
class Operation(Generic[R]):
    """One operation, and what it returns."""

    name: str
    route: str
    """The method and the path, with a gap in braces for each argument that stands in it."""
    scope: str
    summary: str
    act: Callable[[Service, Any], object]
    arguments: Any = Nothing
    """The type of what it takes: a kind of `Arguments`."""
    result: type[R] | None = None
    """The type of what it returns; None: nothing."""
    renamed: tuple[tuple[str, str], ...] = ()
    """Short names that the query has for arguments."""
    media_type: str = "application/json"

    @property
    def method(self) -> str:
        """How it is asked for."""
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        """Where it is asked for."""
        return self.route.partition(" ")[2]

    @property
    def in_body(self) -> bool:
        """Whether arguments come in the body; otherwise in the query."""
        return self.method in ("POST", "PATCH")

    @cached_property
    def in_path(self) -> tuple[str, ...]:
        """The names of the arguments that stand in the path."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all arguments."""
        return tuple(field.name for field in fields(self.arguments))

    @cached_property
    def shown(self) -> dict[str, str]:
        """The arguments outside the path: the name a caller writes, and ours."""
        short = {own_name: public_name for public_name, own_name in self.renamed}
        return {short.get(name, name): name for name in self.names if name not in self.in_path}
