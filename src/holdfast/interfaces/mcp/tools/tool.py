"""What a tool is: a name, what it takes and returns, what it does to the world, and the verb behind it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from holdfast.model.actor import WRITE
from holdfast.model.plain import Plain, plain
from holdfast.service.service import Service


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What a client may tell its user before the tool is called."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


READS = Hints(read_only=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool. Its function takes the service and the arguments; the text is made from its result."""

    name: str
    verb: str
    """The service's verb that it calls: a service without it does not offer the tool."""
    description: str
    arguments: type
    result: type
    hints: Hints
    act: Callable[[Service, Any], Any]
    text: Callable[[Any], str]
    scope: str = WRITE
    """What the token of a server must be good for."""

    @property
    def writes(self) -> bool:
        """Whether it may make a store where there is none."""
        return self.verb == "add"


def to_structured(result: object) -> dict[str, Plain]:
    """Return a result as JSON has it; what is not known is left out."""
    whole = plain(result)
    if not isinstance(whole, dict):
        raise TypeError(f"{type(result).__name__} is not a tool's result")
    return {name: _without_none(value) for name, value in whole.items() if value is not None}


def _without_none(value: Plain) -> Plain:
    match value:
        case dict():
            return {name: _without_none(child) for name, child in value.items() if child is not None}
        case list():
            return [_without_none(child) for child in value]
        case _:
            return value
