"""What a tool is: a name, what it takes and returns, what it does to the world, and the verb behind it."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from holdfast.model.plain import Plain, plain
from holdfast.model.token import WRITE
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


def structured(result: object) -> dict[str, Plain]:
    """Return a result as JSON has it; what is not known is left out."""
    whole = plain(result)
    if not isinstance(whole, dict):
        raise TypeError(f"{type(result).__name__} is not a tool's result")
    return {name: _known(value) for name, value in whole.items() if value is not None}


def _known(value: Plain) -> Plain:
    match value:
        case dict():
            return {name: _known(one) for name, one in value.items() if one is not None}
        case list():
            return [_known(one) for one in value]
        case _:
            return value


def given(arguments: Any, *names: str) -> dict[str, object]:
    """Return the named arguments that were given."""
    every = {one.name: getattr(arguments, one.name) for one in fields(arguments)}
    return {name: every[name] for name in names if every[name] is not None}
